"""SiLU as a kernel in Python: the instructions of first_fixed.mlu."""

import sys

import numpy as np
from mlusim.simulator import Device, KernelError, launch

TILE = 8192


def silu(mlu, out, source, n):
    x, result = mlu.nram("float", TILE), mlu.nram("float", TILE)
    for begin in range(mlu.taskId * TILE, n, mlu.taskDim * TILE):
        count = min(TILE, n - begin)
        mlu.__memcpy(x, source + begin, 4 * count, mlu.GDRAM2NRAM)
        mlu.__bang_mul_scalar(result, x, -1.44269504, count)
        mlu.__bang_pow2(result, result, count)
        mlu.__bang_add_scalar(result, result, 1.0, count)
        mlu.__bang_recip(result, result, count)
        mlu.__bang_mul(result, result, x, count)
        mlu.__memcpy(out + begin, result, 4 * count, mlu.NRAM2GDRAM)


def main(n: int = 300_000) -> None:
    x = np.linspace(-8, 8, 300_000, dtype=np.float32)
    out = np.zeros_like(x)
    try:
        run = launch(silu, (4, 1, 1), "block", [out, x, n], device=Device.load("mlu370-x4"))
    except KernelError as error:
        print(error.finding)
        return
    print(f"{run.time_us:.3f} us, right: {np.allclose(out, x / (1 + np.exp(-x)), rtol=1e-4)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
