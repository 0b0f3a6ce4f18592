"""out[i] = factor * in[i], a tile at a time: the kernel of scale.mlu in Python, and its launch."""

import numpy as np
from mlusim.simulator import Device, launch

TILE = 2048


def scale(mlu, out, source, factor, n):
    tile = mlu.nram("float", TILE)
    for begin in range(mlu.taskId * TILE, n, mlu.taskDim * TILE):
        count = min(TILE, n - begin)
        mlu.__memcpy_async(tile, source + begin, 4 * count, mlu.GDRAM2NRAM)
        mlu.__sync_io()
        mlu.__bang_mul_scalar(tile, tile, factor, count)
        mlu.__memcpy(out + begin, tile, 4 * count, mlu.NRAM2GDRAM)


def main() -> None:
    x = np.arange(100_000, dtype=np.float32)
    y = np.zeros_like(x)
    run = launch(scale, (4, 1, 1), "union1", [y, x, 3.0, x.size], device=Device.load("mlu370-x4"))
    print("equal:", np.array_equal(y, 3 * x))
    print(f"{len(run.log)} records, {run.time_us:.3f} us")


if __name__ == "__main__":
    main()
