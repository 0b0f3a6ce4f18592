"""The three tests of a check: the fault, near misses, and what is found when the kernel loses what kept it safe."""

import numpy as np
import pytest
from mlusim.simulator import Device, launch, load
from nan_born import NanBorn

DEVICE = Device.load("mlu370-x4").watched(NanBorn)
N = 64


def root(mlu, x, clamp):
    tile = mlu.nram("float", N)
    mlu.__memcpy(tile, x, 4 * N, mlu.GDRAM2NRAM)
    if clamp:
        mlu.__bang_mul(tile, tile, tile, N)
    mlu.__bang_sqrt(tile, tile, N)
    mlu.__bang_add_scalar(tile, tile, 1.0, N)
    mlu.__memcpy(x, tile, 4 * N, mlu.NRAM2GDRAM)


def found(values, clamp=False):
    run = launch(root, args=[np.asarray(values, np.float32), clamp], device=DEVICE)
    return [(f.rule, f.severity, f.instruction, f.operand, f.message.partition(" is ")[0]) for f in run.findings]


def test_the_first_nan_is_reported_and_what_follows_from_it_is_not():
    values = np.ones(N)
    values[[7, 9]] = -4
    assert found(values) == [("nan", "warning", "__bang_sqrt", "dst", "element 7 of dst")]


@pytest.mark.parametrize("special", [np.nan, np.inf, -0.0])
def test_numbers_and_a_nan_that_came_in_are_silent(special):
    assert found([special, *np.ones(N - 1)]) == []


def test_without_the_square_the_same_values_are_found():
    values = np.linspace(-1, 1, N)
    assert found(values, clamp=True) == []
    assert len(found(values)) == 1


@pytest.mark.parametrize("isolate", [True, False])
def test_kernels_in_c_are_watched_and_other_devices_are_not(isolate, tmp_path):
    source = tmp_path / "root.mlu"
    source.write_text(
        "#include <bang.h>\n"
        "__nram__ float tile[64];\n"
        "__mlu_entry__ void root(float *x) {\n"
        "  __memcpy(tile, x, sizeof(tile), GDRAM2NRAM);\n"
        "  __bang_sqrt(tile, tile, 64);\n"
        "}\n"
    )
    for device, expected in ((DEVICE, [("nan", 5)]), (Device.load("mlu370-x4"), [])):
        run = load([source], device=device).launch("root", args=[np.full(N, -1, np.float32)], isolate=isolate)
        assert [(f.rule, f.location.line) for f in run.findings] == expected


def test_an_effect_that_takes_place_late_is_seen():
    device = Device.load("bm1690").watched(NanBorn)

    def subtract(tpu, x):
        shape = (1, 1, 1, 16)
        tpu.tpu_initialize()
        tpu.tpu_gdma_cpy_S2L(0, x, shape, None, None, tpu.DT_FP32)
        tpu.tpu_bdc_fp_sub(4096, 0, 0, shape, None, None, None, tpu.DT_FP32)
        tpu.tpu_poll()

    for value, expected in ((1.0, []), (np.inf, ["tpu_bdc_fp_sub"])):
        run = launch(subtract, (1, 1, 1), args=[np.full(16, value, np.float32)], device=device)
        assert [f.instruction for f in run.findings] == expected
