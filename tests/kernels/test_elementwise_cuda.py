"""The policies of an elementwise operator on a GPU, against NumPy."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from mlusim.kernels.elementwise import cuda
from mlusim.simulator import Device, load

CHIP = "cuda-sm80"

FLOAT, HALF, BFLOAT = np.dtype(np.float32), np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
REFERENCES = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "maximum": np.maximum,
    "minimum": np.minimum,
}  # fmt: skip


def numbers(shape, dtype="float32", seed=1) -> np.ndarray:
    """Small numbers of either sign; of a float type with fractions."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(-60, 60, shape)
    return (whole / 8 if np.dtype(dtype).kind not in "iub" else np.abs(whole) % 120).astype(dtype)


def expected(operator: str, a, b, dtype) -> np.ndarray:
    """What NumPy gives, computed in double and rounded at the end; int and bool as they are."""
    if np.dtype(dtype).kind in "iub":
        return np.asarray(REFERENCES[operator](a, b)).astype(dtype)
    return np.asarray(REFERENCES[operator](np.asarray(a, np.float64), np.asarray(b, np.float64))).astype(dtype)


def check(device, operator, a, b, planned, **options) -> cuda.Result:
    run = getattr(cuda, operator)(device, a, b, **options)
    assert run.plan.policy == planned
    assert run.findings == []
    assert run.output.shape == np.broadcast_shapes(a.shape, b.shape)
    wanted = expected(operator, a, b, run.plan.dtype)
    np.testing.assert_array_equal(run.output.astype(np.float64), wanted.astype(np.float64))
    return run


@pytest.mark.parametrize("operator", REFERENCES)
def test_operators_on_contiguous_floats(device, operator):
    a, b = numbers(1300), numbers(1300, seed=2)
    b[b == 0] = 1
    run = check(device, operator, a, b, "vectorized")
    assert run.widths == (4,)


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513])
def test_sizes_around_a_block(device, count):
    run = check(device, "add", numbers(count), numbers(count, seed=2), "vectorized")
    assert len(run.runs) == (count > 0)


def test_slices_shift_the_alignment(device):
    # The second slice begins at byte 4 * 65535, which is no multiple of 8.
    run = check(device, "add", numbers(70000), numbers(70000, seed=2), "vectorized")
    assert (run.plan.slices, run.widths) == (((0, 65535), (65535, 4465)), (4, 1))


@pytest.mark.parametrize(
    ("addresses", "itemsize", "width"),
    [((0, 128, 256), 4, 4), ((0, 128, 264), 4, 2), ((0, 4, 0), 4, 1), ((8, 16, 24), 2, 4), ((2, 8, 8), 2, 1),
     ((32, 64, 16), 8, 2), ((4, 4, 4), 1, 4)],
)  # fmt: skip
def test_vector_width(addresses, itemsize, width):
    assert cuda.vector_width(addresses, itemsize) == width


def test_a_view_that_starts_between_two_vectors(device):
    for start, width in ((1, 1), (2, 2), (4, 4)):
        run = check(device, "add", numbers(700)[start:600], numbers(700, seed=2)[start:600], "vectorized")
        assert run.widths == (width,)


def test_a_vector_at_an_address_that_is_none(device):
    sources = Path(cuda.__file__).parent
    program = load([sources / "binary.cu"], device=device)
    memory, out = device.array(numbers(2048)), device.array(numbers(2048))
    for width, offset, rules in ((4, 16, set()), (4, 8, {"alignment"}), (2, 8, set()), (2, 4, {"alignment"})):
        args = [512, out.address + offset, memory.address, memory.address]
        run = program.launch(f"vectorized<Add, float, {width}>", 1, args=args, block=128, on_finding="collect")
        assert {finding.rule for finding in run.findings} == rules


def transactions(run: cuda.Result, access: str) -> dict[int, int]:
    """Transactions of a kind of access by their bytes, over all launches."""
    found: dict[int, int] = {}
    for log in (each.log for each in run.runs):
        for number, op in enumerate(log.ops):
            if op.name == access:
                work = int(log.records["work"][log.records["op"] == number].sum())
                found[op.granule] = found.get(op.granule, 0) + work
    return found


def test_neighbours_share_their_transactions(device):
    a, b = numbers(2048), numbers(2048, seed=2)
    # 64 lines of 128 bytes hold 2048 floats: each is moved once.
    assert transactions(cuda.add(device, a, b), "global.load") == {128: 2 * 64}
    assert transactions(cuda.add(device, a, b, policy="strided"), "global.load") == {128: 2 * 64}
    # Vectors of 2 from byte 8 on: 256 neighbouring bytes for each load of a warp, in two lines and a sector.
    run = cuda.add(device, numbers(2050)[2:], numbers(2050)[2:])
    assert run.widths == (2,)
    assert transactions(run, "global.load") == {128: 2 * 64, 32: 64}
    # Of every other float a warp needs two lines; of every 32nd, a sector of 32 bytes for each thread.
    wide = numbers(2048 * 32)
    assert transactions(cuda.add(device, wide[: 2 * 2048 : 2], b), "global.load") == {128: 3 * 64}
    assert transactions(cuda.add(device, wide[::32], b), "global.load") == {32: 2048, 128: 64}


@pytest.mark.parametrize("dtype", [HALF, BFLOAT])
def test_16_bits_are_rounded_once(device, dtype):
    a, b = numbers(600, dtype), numbers(600, dtype, seed=2)
    check(device, "mul", a, b, "vectorized")


def test_types_that_differ_are_cast_on_the_way(device):
    a = numbers(600, "int8")
    check(device, "add", a, numbers(600), "contiguous_cast")
    check(device, "add", numbers(600, HALF), numbers(600), "contiguous_cast")
    check(device, "add", a, numbers(600), "contiguous_cast", dtype=HALF)
    # Inputs of one type, and another result; whole numbers whose quotients are floats.
    check(device, "add", numbers(600), numbers(600, seed=2), "contiguous_cast", dtype=HALF)
    quotients = check(device, "div", a, np.maximum(numbers(600, "int8", seed=2), 1), "contiguous_cast")
    assert quotients.plan.dtype == FLOAT


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (numbers((5, 1, 6)), numbers((4, 6), seed=2)),
        (numbers((40, 30)).T, numbers((30, 40), seed=2)),
        (numbers(900)[::-3], numbers(300, seed=2)),
        (numbers((2, 1, 3, 1, 2, 1, 5)), numbers((1, 2, 3, 2, 1, 3, 5), seed=2)),
        (numbers(()), numbers((3, 200), seed=2)),
    ],
    ids=["broadcast", "transposed", "backwards", "seven", "scalar"],
)
def test_strides(device, a, b):
    check(device, "sub", a, b, "strided")


def test_strides_and_types_that_differ(device):
    check(device, "sub", numbers((5, 1, 6), HALF), numbers((4, 6), seed=2), "strided_cast")
    check(device, "sub", numbers(900, "int8")[::-3], numbers(300, seed=2), "strided_cast")


def test_slices_of_strided_tensors(device):
    check(device, "sub", numbers((3, 30000))[:, ::-1], numbers(30000, seed=2), "strided")


def test_a_policy_that_is_asked_for(device):
    a, b = numbers(600), numbers(600, seed=2)
    for policy in cuda.POLICIES:
        check(device, "add", a, b, policy, policy=policy)
    with pytest.raises(ValueError, match=r"policy is 'vectorized'; for these arrays it can be strided, strided_cast"):
        cuda.add(device, a[::2], b[::2], policy="vectorized")


def test_wrong_arguments(device):
    with pytest.raises(ValueError, match="runs no CUDA kernels"):
        cuda.add(Device.load("mlu370-x4"), numbers(3), numbers(3))
    with pytest.raises(ValueError, match="shape"):
        cuda.add(device, numbers(3), numbers(4))
    with pytest.raises(ValueError, match="8 dimensions; 7 are the most"):
        cuda.add(device, numbers((1,) * 8), numbers(4))
    with pytest.raises(TypeError, match="complex64 is no element type"):
        cuda.add(device, numbers(3).astype(np.complex64), numbers(3))
    with pytest.raises(TypeError, match="does not become int8"):
        cuda.add(device, numbers(3), numbers(3), dtype=np.int8)
