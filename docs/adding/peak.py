"""Calls `__bang_fabsmax` from C and from Python."""

from pathlib import Path

import numpy as np
from mlusim.simulator import Device, launch, load

DEVICE = Device.load("mlu370-x4")
COUNT = 64


def peak(mlu, out, x):
    values, found = mlu.nram("float", COUNT), mlu.nram("float", 3)
    mlu.__memcpy(values, x, 4 * COUNT, mlu.GDRAM2NRAM)
    mlu.__bang_fabsmax(found, values, COUNT)
    mlu.__memcpy(out, found, 12, mlu.NRAM2GDRAM)


x = np.sin(np.arange(COUNT, dtype=np.float32)) * np.arange(COUNT, dtype=np.float32)
from_c, from_python = np.zeros(3, np.float32), np.zeros(3, np.float32)
program = load([Path(__file__).with_name("peak.mlu")], device=DEVICE)
runs = [program.launch("peak", args=[from_c, x]), launch(peak, args=[from_python, x], device=DEVICE)]
at = int(np.abs(x).argmax())
for name, result, run in zip(("C", "Python"), (from_c, from_python), runs, strict=True):
    right = result[0] == abs(x[at]) and result.view(np.int32)[1] == at
    print(f"{name}: {right}, {run.time_us:.3f} us, {len(run.findings)} findings")
