"""What instructions would give without rounding is carried beside what they give; large differences are reported."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from mlusim.isa import DIALECTS, DeclarationError
from mlusim.isa.declare import declare
from mlusim.simulator import Device, launch
from mlusim.simulator.checks.at_issue.precision import Precision

DEVICE = Device.load("mlu590").watched(Precision)
TPU = Device.load("bm1690").watched(Precision)
PLAIN = Device.load("mlu590")
N = 64
RNG = np.random.default_rng(7)
X, Y = (RNG.uniform(0.5, 2, N).astype(np.float32) for _ in range(2))
X64, Y64 = X.astype(np.float64), Y.astype(np.float64)


def warnings(run):
    return [f for f in run.findings if f.rule == "precision" and f.severity == "warning"]


def advice(run):
    return [f for f in run.findings if f.rule == "precision" and f.severity == "advice"]


def computed(device=DEVICE):
    """What the arrays of the last launch would be without rounding, by name."""
    check = next(check for check in device.machine.checks if isinstance(check, Precision))
    return {entry.name.partition(" of ")[0]: cells["precise"] for entry, _, cells in check.memory.written()}


def one(mlu, x, y, out, name, *more):
    tile, other = mlu.nram("float", N), mlu.nram("float", N)
    mlu.__memcpy(tile, x, 4 * N, mlu.GDRAM2NRAM)
    mlu.__memcpy(other, y, 4 * N, mlu.GDRAM2NRAM)
    getattr(mlu, name)(tile, tile, *[other if argument == "vector" else argument for argument in more], N)
    mlu.__memcpy(out, tile, 4 * N, mlu.NRAM2GDRAM)


@pytest.mark.parametrize(
    ("name", "more", "expected"),
    [
        ("__bang_add", ("vector",), X64 + Y64),
        ("__bang_mul", ("vector",), X64 * Y64),
        ("__bang_div", ("vector",), X64 / Y64),
        ("__bang_mul_scalar", (0.1,), X64 * np.float64(np.float32(0.1))),
        ("__bang_sqrt", (), np.sqrt(X64)),
        ("__bang_log2", (), np.log2(X64)),
        ("__bang_active_tanh", (), np.tanh(X64)),
        ("__bang_rsqrt", (), 1 / np.sqrt(X64)),
    ],
)
def test_an_instruction_in_float64(name, more, expected):
    out = np.zeros(N, np.float32)
    launch(one, args=[X, Y, out, name, *more], device=DEVICE)
    np.testing.assert_allclose(computed()["argument 2"], expected, rtol=1e-14)
    assert (computed()["argument 2"] != out).any()


def test_sums_and_products_meet_in_float64():
    def kernel(mlu, x, w, out):
        a, b, c = mlu.nram("float", 4 * N), mlu.wram("float", N * N), mlu.nram("float", 4 * N)
        v = mlu.nram("float", N * N)
        mlu.__memcpy(a, x, 16 * N, mlu.GDRAM2NRAM)
        mlu.__memcpy(v, w, 4 * N * N, mlu.GDRAM2NRAM)
        mlu.__memcpy(b, v, 4 * N * N, mlu.NRAM2WRAM)
        mlu.__bang_matmul(c, a, b, 4, N, N)
        mlu.__memcpy(out, c, 16 * N, mlu.NRAM2GDRAM)

    x, w, out = (RNG.normal(size=size).astype(np.float32) for size in ((4, N), (N, N), (4, N)))
    launch(kernel, args=[x, w, out], device=DEVICE)
    # 64 rows of weights lie row after row: one in each slice.
    expected = x.astype(np.float64) @ w.astype(np.float64).T
    np.testing.assert_allclose(computed()["argument 2"], expected.ravel(), rtol=1e-10)
    assert not np.array_equal(out.ravel(), computed()["argument 2"])


@pytest.mark.parametrize("name", ["__bang_reduce_sum", "__bang_sumpool"])
def test_reductions_in_float64(name):
    def kernel(mlu, x, out):
        a, b = mlu.nram("half", N), mlu.nram("half", N)
        mlu.__memcpy(a, x, 2 * N, mlu.GDRAM2NRAM)
        if name == "__bang_reduce_sum":
            mlu.__bang_reduce_sum(b, a, N)
        else:
            mlu.__bang_sumpool(b, a, 1, N, 1, N, 1, 1, 1)
        mlu.__memcpy(out, b, 2, mlu.NRAM2GDRAM)

    x, out = X.astype(np.float16), np.zeros(1, np.float16)
    launch(kernel, args=[x, out], device=DEVICE)
    np.testing.assert_allclose(computed()["argument 1"], x.astype(np.float64).sum(), rtol=1e-12)


def test_conversions_between_floats_round_nothing_away():
    def kernel(mlu, x, out):
        a, b = mlu.nram("float", N), mlu.nram("half", N)
        mlu.__memcpy(a, x, 4 * N, mlu.GDRAM2NRAM)
        mlu.__bang_float2half_rn(b, a, N)
        mlu.__bang_half2float(a, b, N)
        mlu.__memcpy(out, a, 4 * N, mlu.NRAM2GDRAM)

    out = np.zeros(N, np.float32)
    run = launch(kernel, args=[X, out], device=DEVICE)
    np.testing.assert_array_equal(computed()["argument 1"], X64)
    assert not warnings(run), "half has what half can hold"
    (found,) = advice(run)
    most = (np.abs(out - X64) / np.maximum(X64, X64.mean())).max()
    assert f"off by {most:.2g} at most" in found.message


# --- what is reported: the fault, the near miss, and what is found without what kept it safe -------------------------


def variance(mlu, x, out, shift):
    """E[x * x] - E[x] ** 2, elements shifted toward zero before if ``shift``."""
    a, b = mlu.nram("float", N), mlu.nram("float", N)
    mlu.__memcpy(a, x, 4 * N, mlu.GDRAM2NRAM)
    if shift:
        mlu.__bang_sub_scalar(a, a, 1000.0, N)
    mlu.__bang_mul(b, a, a, N)
    mlu.__bang_reduce_sum(b, b, 32)
    mlu.__bang_reduce_sum(a, a, 32)
    mlu.__bang_mul_scalar(b, b, 1 / 32, 1)
    mlu.__bang_mul_scalar(a, a, 1 / 32, 1)
    mlu.__bang_mul(a, a, a, 1)
    mlu.__bang_sub(b, b, a, 1)
    mlu.__memcpy(out, b, 4, mlu.NRAM2GDRAM)


def test_cancellation_is_found_at_its_line_and_a_shift_heals_it():
    x, out = (1000 + RNG.normal(size=N)).astype(np.float32), np.zeros(1, np.float32)
    (finding,) = warnings(launch(variance, args=[x, out, False], device=DEVICE))
    assert finding.instruction == "__bang_sub"
    assert finding.related.line
    assert "half of the digits of float" in finding.limit
    true = x[:32].astype(np.float64).var()
    assert abs(computed()["argument 1"][0] - true) < 1e-6 * true < abs(out[0] - true), "the algorithm is right"
    assert warnings(launch(variance, args=[x, out, True], device=DEVICE)) == []
    assert abs(out[0] - true) < 1e-3 * true


def test_a_wrong_algorithm_is_told_from_rounding():
    def wrong(mlu, x, y, out):
        a, b = mlu.nram("float", N), mlu.nram("float", N)
        mlu.__memcpy(a, x, 4 * N, mlu.GDRAM2NRAM)
        mlu.__memcpy(b, y, 4 * N, mlu.GDRAM2NRAM)
        mlu.__bang_add(a, a, b, N)  # a product was wanted
        mlu.__memcpy(out, a, 4 * N, mlu.NRAM2GDRAM)

    out = np.zeros(N, np.float32)
    run = launch(wrong, args=[X, Y, out], device=DEVICE)
    assert warnings(run) == []
    (found,) = advice(run)
    assert re.match("rounding puts argument 2 .* comes from the algorithm$", found.message)
    assert np.abs(computed()["argument 2"] - X64 * Y64).max() > 0.1, "as wrong without rounding"
    assert found.location.line, "where the difference was born"


@pytest.mark.parametrize(("limit", "expected"), [(1e-9, 1), (1e-3, 0)])
def test_the_limit_is_an_option(limit, expected):
    device = Device.load("mlu590").watched(partial(Precision, limit=limit))
    run = launch(one, args=[X, Y, np.zeros(N, np.float32), "__bang_mul", "vector"], device=device)
    assert len(warnings(run)) == expected


def test_overflow_of_half_and_a_few_small_elements():
    def kernel(mlu, x, out, factor):
        a = mlu.nram("half", N)
        mlu.__memcpy(a, x, 2 * N, mlu.GDRAM2NRAM)
        mlu.__bang_mul_scalar(a, a, factor, N)
        mlu.__memcpy(out, a, 2 * N, mlu.NRAM2GDRAM)

    out = np.zeros(N, np.float16)
    (finding,) = warnings(launch(kernel, args=[X.astype(np.float16), out, 60000.0], device=DEVICE))
    assert "is inf" in finding.message
    assert "scale" in finding.suggestion
    assert warnings(launch(kernel, args=[X.astype(np.float16), out, 16.0], device=DEVICE)) == []

    def centre(mlu, x, out):  # some differences from the mean cancel, and do no harm
        a = mlu.nram("float", N)
        mlu.__memcpy(a, x, 4 * N, mlu.GDRAM2NRAM)
        mlu.__bang_mul_scalar(a, a, 1 / 3, N)
        mlu.__bang_sub_scalar(a, a, float(np.float32(X[5]) * np.float32(1 / 3)), N)
        mlu.__memcpy(out, a, 4 * N, mlu.NRAM2GDRAM)

    assert warnings(launch(centre, args=[X, np.zeros(N, np.float32)], device=DEVICE)) == []


def test_decisions_follow_the_real_numbers_and_are_reported():
    def kernel(mlu, x, out):
        a = mlu.nram("float", N)
        mlu.__memcpy(a, x, 4 * N, mlu.GDRAM2NRAM)
        mlu.__bang_mul_scalar(a, a, 1 / 49, N)
        mlu.__bang_mul_scalar(a, a, 49.0, N)
        mlu.__bang_ge_scalar(a, a, 1.0, N)
        mlu.__memcpy(out, a, 4 * N, mlu.NRAM2GDRAM)

    x, out = np.ones(N, np.float32), np.zeros(N, np.float32)
    run = launch(kernel, args=[x, out], device=DEVICE)
    assert (float(np.float32(1 / 49)) * 49 >= 1) != bool(out[0]), "rounding decides here"
    (found,) = warnings(run)
    assert "decided by rounding in 64 of 64 elements" in found.message
    assert advice(run), "the decision has no other value"
    np.testing.assert_array_equal(computed()["argument 1"], out)


# --- what carries a value and what begins anew -----------------------------------------------------------------------

SOURCE = """#include <bang.h>
__nram__ float t[64]; __nram__ char bytes[1024]; __nram__ float turned[64];
__mlu_entry__ void carried(float *x, float *out) {
  __memcpy(t, x, sizeof(t), GDRAM2NRAM);
  __bang_mul_scalar(t, t, 0.1f, 64);
  __memcpy(bytes + 256, t, 256, NRAM2NRAM);
  __bang_transpose(turned, (float *)(bytes + 256), 8, 8);
  __sync_compute();
  __memcpy_async(out, turned, 8, NRAM2GDRAM, 64, 32, 7);
  __sync_io();
  __memcpy(out + 2, turned + 2, 24, NRAM2GDRAM, 64, 32, 3);
}
__mlu_entry__ void stored(float *x, float *out) {
  __memcpy(t, x, sizeof(t), GDRAM2NRAM);
  __bang_mul_scalar(t, t, 0.1f, 64);
  __memcpy(turned, t, sizeof(t), NRAM2NRAM);
  for (int i = 0; i < 32; ++i) {
    t[2 * i] = turned[2 * i];
  }
  __memcpy(out, t, sizeof(t), NRAM2GDRAM);
}
"""


@pytest.fixture(scope="module")
def device():
    """That of the kernels in C."""
    return DEVICE


def local(program, kernel, out):
    """Launch in this process, where the check can be asked afterwards."""
    made = []
    begin = Precision.begin
    Precision.begin = lambda self: (made.append(self), begin(self))[1]
    try:
        program.launch(kernel, args=[X, out], isolate=False)
    finally:
        Precision.begin = begin
    return {entry.name.partition(" of ")[0]: cells for entry, _, cells in made[-1].memory.written()}


def test_copies_carry_values_and_where_they_were_born(program):
    out = np.full(128, 7, np.float32)
    cells = local(program, "carried", out)["argument 1"]
    turned = (X64 * np.float64(np.float32(0.1))).reshape(8, 8).T.ravel()
    for row in range(8):
        np.testing.assert_allclose(cells["precise"][16 * row : 16 * row + 2], turned[8 * row : 8 * row + 2], rtol=1e-15)
    np.testing.assert_allclose(cells["precise"][2:8], turned[2:8], rtol=1e-15)
    assert not cells["unit"][8:16].any(), "between the segments nothing was computed"
    assert len(set(cells["born"][cells["unit"] > 0])) == 1


def test_scalar_stores_begin_anew_even_with_the_same_number(program):
    cells = local(program, "stored", np.zeros(N, np.float32))["argument 1"]
    assert not cells["unit"][::2].any()
    assert cells["unit"][1::2].all()


def test_the_same_from_a_process_of_its_own(program):
    (found,) = advice(program.launch("carried", args=[X, np.zeros(128, np.float32)]))
    assert "40 elements" in found.message
    assert found.location.line == 5


def test_each_launch_begins_anew():
    array = DEVICE.array(X)

    def scale(mlu, x):
        a = mlu.nram("float", N)
        mlu.__memcpy(a, x, 4 * N, mlu.GDRAM2NRAM)
        mlu.__bang_mul_scalar(a, a, 0.1, N)
        mlu.__memcpy(x, a, 4 * N, mlu.NRAM2GDRAM)

    for _ in range(2):
        before = array.numpy().astype(np.float64)
        launch(scale, args=[array], device=DEVICE)
        np.testing.assert_allclose(computed()["device array"], before * np.float64(np.float32(0.1)), rtol=1e-15)


def test_tensors_across_lanes_whose_effects_come_late():
    def kernel(tpu, x, y, out):
        shape = (2, 3, 4, 5)
        tpu.tpu_initialize()
        for place, array in ((0, x), (4096, y)):
            tpu.tpu_gdma_cpy_S2L(place, array, shape, None, None, tpu.DT_FP32)
        tpu.tpu_bdc_fp_mul(8192, 0, 4096, shape, None, None, None, tpu.DT_FP32)
        tpu.tpu_bdc_fp_add(8192, 8192, 0, shape, None, None, None, tpu.DT_FP32)
        tpu.tpu_gdma_cpy_L2S(out, 8192, shape, None, None, tpu.DT_FP32)
        tpu.tpu_poll()

    x, y = (RNG.uniform(1, 2, 120).astype(np.float32) for _ in range(2))
    out = TPU.array(np.zeros(120, np.float32))
    launch(kernel, (1, 1, 1), args=[x, y, out], device=TPU)
    exact = x.astype(np.float64) * y + x.astype(np.float64)
    np.testing.assert_allclose(computed(TPU)["device array"], exact, rtol=1e-15)
    assert (out.numpy() != exact).any()


def test_nothing_of_it_is_in_the_ports_of_other_devices():
    run = launch(one, args=[X, Y, np.zeros(N, np.float32), "__bang_mul", "vector"], device=PLAIN)
    assert not run.findings
    assert not any(isinstance(check, Precision) for check in PLAIN.machine.checks)


@pytest.mark.parametrize(
    ("semantics", "problem"),
    [
        (lambda src: src.copy().view(np.float32), "could not be broadcast"),
        (lambda src: src.view(np.uint16).view(np.float32), "must be contiguous"),
        (lambda src: np.bitwise_or(src, 0) if src.dtype == np.float64 else src, "not supported for the input types"),
    ],
    ids=["another shape", "bytes", "bits"],
)
def test_an_instruction_on_bits_whose_declaration_does_not_say_so(monkeypatch, semantics, problem):
    prototype = "void __bang_turned(float dst[n], const float src[n], int32 n)"
    bang, made = DIALECTS["bang"], declare(prototype, doc="Turns bits", semantics=semantics)
    for module in ("core.execution.state", "kernelc.build"):
        dialects = {"bang": replace(bang, instructions=(*bang.instructions, made))}
        monkeypatch.setattr(f"mlusim.simulator.{module}.DIALECTS", dialects)
    args = [X, Y, np.zeros(N, np.float32), "__bang_turned"]
    launch(one, args=args, device=Device.load("mlu590"))
    with pytest.raises(DeclarationError, match=rf"__bang_turned: .*{problem}.* wider=Wider.BITS"):
        launch(one, args=args, device=Device.load("mlu590").watched(Precision))
