"""Calls `__bang_mirror` from C and from Python."""

from pathlib import Path

import numpy as np
from mlusim.simulator import Device, launch, load

DEVICE = Device.load("mlu370-x4")
HEIGHT, WIDTH = 2, 64


def flip(mlu, out, x, height):
    row, flipped = mlu.nram("half", height * WIDTH), mlu.nram("half", height * WIDTH)
    mlu.__memcpy(row, x, 2 * height * WIDTH, mlu.GDRAM2NRAM)
    mlu.__bang_mirror(flipped, row, height, WIDTH)
    mlu.__memcpy(out, flipped, 2 * height * WIDTH, mlu.NRAM2GDRAM)


x = np.arange(HEIGHT * WIDTH, dtype=np.float16).reshape(HEIGHT, WIDTH)
from_c, from_python = np.zeros_like(x), np.zeros_like(x)
program = load([Path(__file__).with_name("flip.mlu")], device=DEVICE)
runs = [
    program.launch("flip", args=[from_c, x, HEIGHT]),
    launch(flip, args=[from_python, x, HEIGHT], device=DEVICE),
]
for name, result, run in zip(("C", "Python"), (from_c, from_python), runs, strict=True):
    print(f"{name}: {np.array_equal(result, x[:, ::-1])}, {run.time_us:.3f} us, {len(run.findings)} findings")
