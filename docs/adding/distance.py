"""Calls `tpu_bdc_fp_diff_abs` from C and from Python."""

from pathlib import Path

import numpy as np
from mlusim.simulator import Device, launch, load

DEVICE = Device.load("bm1684x")
SHAPE, FP32 = (1, 64, 1, 16), 5


def distance(tpu, out, a, b):
    tpu.tpu_initialize()
    tpu.tpu_gdma_cpy_S2L(0, a, SHAPE, None, None, FP32)
    tpu.tpu_gdma_cpy_S2L(64, b, SHAPE, None, None, FP32)
    tpu.tpu_bdc_fp_diff_abs(128, 0, 64, SHAPE, None, None, None, FP32)
    tpu.tpu_gdma_cpy_L2S(out, 128, SHAPE, None, None, FP32)
    tpu.tpu_poll()


a = np.arange(1024, dtype=np.float32)
b = a[::-1].copy()
from_c, from_python = np.zeros_like(a), np.zeros_like(a)
program = load([Path(__file__).with_name("distance.c")], device=DEVICE)
runs = [
    program.launch("distance", args={"out": from_c, "a": a, "b": b}),
    launch(distance, args=[from_python, a, b], device=DEVICE),
]
for name, result, run in zip(("C", "Python"), (from_c, from_python), runs, strict=True):
    print(f"{name}: {np.array_equal(result, np.abs(a - b))}, {run.time_us:.3f} us, {len(run.findings)} findings")
