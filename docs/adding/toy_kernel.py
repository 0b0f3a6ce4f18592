"""A kernel of the toy dialect: x * y + 1 on two cores, and a call that breaks a rule of its declaration."""

from pathlib import Path

import numpy as np
from mlusim.simulator import Device, launch

DEVICE = Device.load(Path(__file__).with_name("toy.toml"))
COUNT = 1024


def multiply_add(toy, out, x, y, count):
    first = toy.taskId * COUNT
    total, left, right = (toy.scratch("float", COUNT) for _ in range(3))
    for scratch, array in ((total, out), (left, x), (right, y)):
        toy.toy_copy(scratch, array + first, 4 * COUNT, toy.TOY_IN)
    toy.toy_fma(total, left, right, count)
    toy.toy_copy(out + first, total, 4 * COUNT, toy.TOY_OUT)


x = np.arange(2 * COUNT, dtype=np.float32)
out, y = np.ones_like(x), np.full_like(x, 3)
run = launch(multiply_add, (2, 1, 1), args=[out, x, y, COUNT], device=DEVICE)
print(f"{np.array_equal(out, 3 * x + 1)}, {run.time_us:.3f} us, {len(run.log)} records")

run = launch(multiply_add, args=[out, x, y, 100], device=DEVICE, on_finding="collect")
print(str(run.findings[0]).replace(f"{Path(__file__).parent}/", ""))
