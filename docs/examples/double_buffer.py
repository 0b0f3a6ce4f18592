"""The kernel of double_buffer.c in Python, and its launch."""

import numpy as np
from mlusim.simulator import Device, launch

LANES, LANE_BYTES, FP32 = 64, 256 * 1024, 5  # of the bm1690; a data_type_t


def source(tile):
    return tile % 2 * LANE_BYTES // 2


def result(tile):
    return source(tile) + LANE_BYTES // 4


def scale(tpu, out, given, rows, cols, factor):
    tpu.tpu_initialize()
    tiles = -(-rows // LANES)
    share = -(-tiles // tpu.tpu_core_num())
    first = min(share * tpu.tpu_core_index(), tiles)
    count = min(share, tiles - first)

    def tile(number):
        row = (first + number) * LANES
        return row * cols, (1, min(LANES, rows - row), 1, cols)

    tpu.tpu_parallel_start()
    for step in range(count + 2):
        if step >= 2:
            at, shape = tile(step - 2)
            tpu.tpu_gdma_cpy_L2S(out + at, result(step), shape, None, None, FP32)
        if step < count:
            at, shape = tile(step)
            tpu.tpu_gdma_cpy_S2L(source(step), given + at, shape, None, None, FP32)
        if 1 <= step <= count:
            _, shape = tile(step - 1)
            tpu.tpu_bdc_fp_mul_C(result(step - 1), source(step - 1), factor, shape, None, None, FP32)
        tpu.tpu_parallel_end()  # both engines are done with this step
        tpu.tpu_parallel_start()
    tpu.tpu_parallel_end()
    tpu.tpu_poll()


def main() -> None:
    x = np.ones((1000, 4000), np.float32)
    y = np.zeros_like(x)
    factor = np.float32(3).view(np.uint32)  # the bits of a scalar_t
    run = launch(scale, args=[y, x, 1000, 4000, factor], device=Device.load("bm1690"))
    print("equal:", np.array_equal(y, 3 * x))
    print(f"{len(run.log)} records, {run.time_us:.3f} us")


if __name__ == "__main__":
    main()
