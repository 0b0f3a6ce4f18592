"""logspace: every branch against powers in float64 of exponents in float32, and the operator's checks."""

import itertools

import numpy as np
import pytest
from mlusim.kernels.logspace import logspace
from mlusim.simulator import DeviceArray, load

from tests.support.paths import ROOT

SOURCES = ROOT / "kernels" / "logspace"
INF, NAN = np.inf, np.nan
INT32 = np.iinfo(np.int32)
DTYPES = ("float32", "float16", "int32")
DOCUMENT_SIZES = (128, 65536, 131072, 98304, 262144)
#: Errors of denormal results are taken relative to this.
SMALLEST_NORMAL = np.finfo(np.float32).tiny


def as_type(value, dtype):
    """start or end as the result type, back in float32."""
    value = np.float32(value)
    if dtype == "int32":
        value = np.float32(0) if np.isnan(value) else np.clip(np.trunc(np.float64(value)), INT32.min, INT32.max)
    return np.float32(np.dtype(dtype).type(value) if dtype == "float16" else value)


def reference(start, end, steps, base, dtype="float32"):
    """Results before conversion, in float64, shape [steps]."""
    with np.errstate(all="ignore"):
        base = np.float64(np.float32(base))
        if steps == 1:
            return np.array([base ** np.float64(np.float32(start))])
        first, last = as_type(start, dtype), as_type(end, dtype)
        step = np.float32(last - first) / np.float32(steps - 1)
        if dtype == "float16":
            in_half = np.float32(last - first) / np.float32(np.float16(steps - 1))
            step = np.float32(0) if base != 0 and np.float16(in_half) == 0 else step
        index = np.arange(steps)
        ahead, back = index.astype(np.float32), (steps - 1 - index).astype(np.float32)
        exponent = np.where(index < steps // 2, first + step * ahead, last - step * back)
        assert exponent.dtype == np.float32
        return np.power(base, exponent.astype(np.float64))


def check_floats(output, exact, dtype):
    """Positions and signs of nan, infinities and zeros; relative error of the rest; diff1 and diff2."""
    with np.errstate(over="ignore", under="ignore"):
        expected = exact.astype(dtype)
    np.testing.assert_array_equal(np.isnan(output), np.isnan(expected))
    known = ~np.isnan(expected)
    output, expected, exact = output[known], expected[known], exact[known]
    np.testing.assert_array_equal(np.signbit(output), np.signbit(expected))
    np.testing.assert_array_equal(np.isinf(output), np.isinf(expected))
    finite = np.isfinite(expected)
    output, expected, exact = (part[finite].astype(np.float64) for part in (output, expected, exact))
    smallest, limit = (SMALLEST_NORMAL, 1e-5) if dtype == "float32" else (2.0**-14, 2.0**-11 * 1.02)
    error = np.abs(output - exact) / np.maximum(np.abs(exact), smallest)
    assert error.max(initial=0) < limit
    difference = output - expected
    assert np.abs(difference).sum() <= 3e-3 * np.abs(expected).sum()
    assert np.square(difference).sum() <= 3e-3**2 * np.square(expected).sum()


def check_int32(output, exact):
    """Toward zero, saturated, nan as 0; within one where the power is as good as whole, and in floats' last places."""
    with np.errstate(invalid="ignore"):
        expected = np.where(np.isnan(exact), 0, np.clip(np.trunc(exact), INT32.min, INT32.max)).astype(np.int64)
        distance = np.abs(output.astype(np.int64) - expected)
        doubtful = np.abs(exact - np.rint(exact)) < 5e-7 * np.abs(exact)
    assert not distance[~doubtful].any()
    assert (distance[doubtful] <= 1 + 4e-7 * np.abs(expected[doubtful])).all()


def check(device, start, end, steps, base, dtype="float32"):
    """One run of the operator without findings, against the reference."""
    run = logspace(device, start, end, steps, base, dtype)
    assert run.findings == []
    assert (run.output.shape, run.output.dtype) == ((steps,), dtype)
    exact = reference(start, end, steps, base, dtype)
    if dtype == "int32":
        check_int32(run.output, exact)
    else:
        check_floats(run.output, exact, dtype)


@pytest.mark.parametrize(
    ("arguments", "spec", "printed"),
    [
        ((-10, 10, 5), ".4e", "1.0000e-10, 1.0000e-05, 1.0000e+00, 1.0000e+05, 1.0000e+10"),
        ((0.1, 1.0, 5), ".4f", "1.2589, 2.1135, 3.5481, 5.9566, 10.0000"),
        ((0.1, 1.0, 1), ".4f", "1.2589"),
        ((2, 2, 1, 2), ".1f", "4.0"),
    ],
)
def test_examples_of_the_document(device, arguments, spec, printed):
    assert ", ".join(format(value, spec) for value in logspace(device, *arguments).output) == printed


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("base", [10, -3])
def test_sizes(device, dtype, base):
    # Around multiples of the 32 cores and of 32 elements, and the sizes of the document.
    for steps in (1, 2, 3, 5, 31, 32, 33, 63, 1023, 1025, 4099, *DOCUMENT_SIZES):
        check(device, -4, 4, steps, base, dtype)


@pytest.mark.parametrize("base", [10, -2, 0.5, 1 + 2**-23, 1e-40])
def test_over_and_underflow(device, base):
    # Infinities begin and denormals end at the reference's element, also next to whole exponents of -2.
    reach = min(160 / abs(np.log2(abs(base))), 2.0**27)
    for steps in (321, 65537):
        check(device, -reach, reach, steps, base)
        check(device, reach, -reach / 3, steps, base)


@pytest.mark.slow
@pytest.mark.parametrize("base", [10, 0.5, 1, -1, -2, 0.0, -0.0, INF, -INF, NAN, -1e-40])
def test_special_values(device, base):
    points = (0.0, -3.0, 2.5, INF, NAN)
    for start, end in (*itertools.product(points, points), (-3e38, 3e38), (-INF, 1)):
        check(device, start, end, 6, base)
    for dtype in ("float16", "int32"):
        for start, end in ((0, 0), (3, -3), (1e6, 2), (NAN, 3), (-INF, 2)):
            check(device, start, end, 7, base, dtype)
    for steps in (1, 2, 67):
        check(device, -7, 7, steps, base)


@pytest.mark.parametrize("base", [-2, -0.5, -1, -INF, -0.0])
def test_huge_exponents_of_a_negative_base_are_even(device, base):
    for reach in (2.0**24 + 2, 2.0**31, 3e9, 3e38):
        for start, end in ((0, reach), (reach, reach / 2), (-reach, -reach / 4)):
            check(device, start, end, 67, base)


def test_half_interval_that_vanishes(device):
    # steps - 1 is infinite in half, so the exponents do not move: two levels.
    output = logspace(device, 0, 2, 70001, 10, "half").output
    np.testing.assert_array_equal(output, np.repeat(np.float16([1, 100]), [35000, 35001]))
    # One step fewer than that limit and the curve is there.
    assert len(np.unique(logspace(device, 0, 2, 65519, 10, "half").output)) > 1000


def test_half_rounds_to_nearest_even_and_to_infinity(device):
    run = logspace(device, 15, 17, 3, 2, "half")
    np.testing.assert_array_equal(run.output, np.float16([32768, INF, INF]))
    # 2^11 + 1 and 2^11 + 3 are halfway between two halfs.
    assert [logspace(device, 1, 1, 1, base, "half").output[0] for base in (2049, 2051, 65504, 65519, 65520)] == [
        2048, 2052, 65504, 65504, INF,
    ]  # fmt: skip


def test_int32_keeps_whole_powers_and_saturates(device):
    for base in (*range(2, 20), 37, 101, 107, 149):
        last = int(np.log(2.0**22) / np.log(base))
        for sign in (1, -1):
            output = logspace(device, 0, last, last + 1, sign * base, "int32").output
            assert output.tolist() == [(sign * base) ** exponent for exponent in range(last + 1)]
    assert logspace(device, 30, 33, 4, -2, "int32").output.tolist() == [2**30, INT32.min, INT32.max, INT32.min]
    assert logspace(device, 0.9, 2.9, 3, 10, "int32").output.tolist() == [1, 10, 100]
    assert logspace(device, 2.7, 9, 1, 10, "int32").output.tolist() == [501]
    assert logspace(device, 1, 2, 3, NAN, "int32").output.tolist() == [0, 0, 0]


def test_indices_beyond_the_whole_floats(device, tmp_path):
    source = tmp_path / "indices.mlu"
    source.write_text(
        '#include <mlu.h>\n#include "indices.h"\n__nram__ float buffer[1024];\n'
        "__mlu_global__ void Indices(int64_t first, int32_t num, float *res) {\n"
        "  getWideIndices(buffer, first, num);\n  __memcpy(res, buffer, num * sizeof(float), NRAM2GDRAM);\n}\n"
    )
    program = load([source], include=[SOURCES], device=device)
    for first in (0, -500, 2**23 - 10, -(2**23) + 1, 2**24 - 3, -(2**24) - 700, 2**31 + 1, -(2**40) - 5, 2**46 + 12345):
        for num in (1, 63, 64, 65, 1000):
            result = np.zeros(num, np.float32)
            assert program.launch("Indices", args=[first, num, result]).findings == []
            np.testing.assert_array_equal(result, (np.arange(num, dtype=np.int64) + first).astype(np.float32))


@pytest.fixture(scope="module")
def kernel(device):
    """Launches the kernel itself, on whatever cores."""
    program = load([SOURCES / "logspace.mlu"], device=device)

    def run(dim, type, *arguments):
        return program.launch("MLUKernelLogspace<float>", dim=dim, type=type, args=arguments)

    return run


@pytest.mark.parametrize(("base", "tiles"), [(3, 2), (-3, 8), (1e5, 6)])
def test_several_tiles_a_core(device, kernel, base, tiles):
    # One, four and three blocks in the NRAM of a core.
    steps = 600_001
    whole = logspace(device, -9, 9, steps, base).output
    result = np.zeros(steps, np.float32)
    run = kernel((2, 1, 1), "block", -9.0, 9.0, steps, float(base), result)
    assert run.findings == []
    np.testing.assert_array_equal(result, whole)
    check_floats(result, reference(-9, 9, steps, base), "float32")
    copies = [index for index in range(len(run.log)) if run.log.ops[run.log.records["op"][index]].name == "__memcpy"]
    assert len(copies) == 2 * tiles


def test_log_names_source_lines_and_nram_stays_in_budget(device):
    log = logspace(device, -4, 4, 5000, -3).log
    assert {location.file.rsplit("/", 1)[-1] for location in log.locations} >= {"logspace.mlu", "indices.h", "power.h"}
    used, peak = {}, 0
    for index in range(len(log)):
        name = log.ops[log.records["op"][index]].name
        for _, _, region in log.regions(index):
            if name in ("alloc", "free") and region.space == "nram":
                used[region.owner] = used.get(region.owner, 0) + (region.bytes if name == "alloc" else -region.bytes)
                peak = max(peak, used[region.owner])
    nram = device.shape.spaces["nram"]
    usable = nram.budget - nram.reserved
    assert 0.99 * usable < peak <= usable


def test_no_steps_no_launch(device):
    run = logspace(device, 0, 1, 0, dtype="half")
    assert (run.output.shape, run.output.dtype, len(run.log), run.findings) == ((0,), np.float16, 0, [])


def test_out(device):
    out = np.full(8, -1, np.int32)
    run = logspace(device, 0, 4, 5, 2, "int32", out=out)
    assert out.tolist() == [1, 2, 4, 8, 16, -1, -1, -1]
    assert run.output.tolist() == [1, 2, 4, 8, 16]
    strided = np.zeros((3, 4), np.int32)[:, ::2]
    logspace(device, 0, 4, 5, 2, "int32", out=strided)
    assert strided.ravel().tolist() == [1, 2, 4, 8, 16, 0]
    array = device.array(np.full(6, 7, np.float32))
    assert isinstance(array, DeviceArray)
    run = logspace(device, 0, 4, 5, 2, out=array)
    assert run.output is array
    assert array.numpy().tolist() == [1, 2, 4, 8, 16, 7]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"steps": -1}, ValueError, r"steps is -1; pass an int that is at least 0"),
        ({"steps": 2.5}, ValueError, r"steps is 2.5"),
        ({"steps": True}, ValueError, r"steps is True"),
        ({"steps": 2**63}, ValueError, r"int64"),
        ({"dtype": "float64"}, ValueError, r"'float64'.*float32 \(float\), float16 \(half\), int32"),
        ({"dtype": None}, ValueError, r"float32 \(float\), float16 \(half\), int32"),
        ({"dtype": "quarter"}, TypeError, r"'quarter'.*float32 \(float\), float16 \(half\), int32"),
        ({"start": "1"}, TypeError, r"start is '1'; pass a real number"),
        ({"base": 1j}, TypeError, r"base is 1j"),
        ({"out": 0}, ValueError, r"out is a null pointer"),
        ({"out": 4096}, TypeError, r"out is of type int"),
        ({"out": np.zeros(4, np.float32)}, ValueError, r"out has 4 elements and steps is 5"),
        ({"out": np.zeros(5)}, ValueError, r"out has dtype float64 and dtype is float32"),
    ],
)
def test_wrong_arguments(device, changes, error, message):
    arguments = {"start": 0.0, "end": 1.0, "steps": 5} | changes
    with pytest.raises(error, match=message):
        logspace(device, **arguments)
