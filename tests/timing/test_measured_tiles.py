"""An addition on a BM1690 beside what was measured on a board, and beside its schedule counted by hand.

The board: arcflute/tilelang-tpu-bm1690-pipelines, 1024 x 1024 half on one core, host time from launch to sync. The
launch (22 us) and the start of a copy (0.5 us) come from these times: they check the model and not those numbers.
"""

import struct

import numpy as np
import pytest
from mlusim.simulator import Device, load

from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "tiles.c"


@pytest.fixture(scope="module")
def launch():
    device = Device.load("bm1690")
    program = load([SOURCE], device=device)
    arrays = [device.array(np.full((1024, 1024), value, np.float16)) for value in (0, 1, 2)]

    def run(rows, columns):
        addresses = [array.address for array in arrays]
        run = program.launch("add", (1, 1, 1), args=[struct.pack("<QQQiiii", *addresses, 1024, 1024, rows, columns)])
        assert not run.findings
        return run

    return run


@pytest.mark.parametrize(("tile", "measured_us"), [((1024, 1024), 114.6), ((128, 1024), 120.7), ((32, 128), 632.0)])
def test_the_times_of_a_board(launch, tile, measured_us):
    assert launch(*tile).time_us == pytest.approx(measured_us, rel=0.1)


def test_a_tile_takes_what_its_commands_take(launch):
    run = launch(32, 128)
    names = [run.log.ops[op].name for op in run.log.records["op"].tolist()]
    first = names.index("tpu_gdma_cpy_S2L")
    ends = run.timeline.end[first : first + 4]
    # 8 KB: 500 cycles of start and 64 of 128 bytes, more than 8192 B / 68.264 GB/s; 150 ns of latency. Of the add, the
    # 32 lines fill half of the 64 lanes: 11 cycles and 4 beats of 32 elements. All at 1 GHz, one after the other.
    steps = [0.714, 0.714, 0.015, 0.714]
    assert ends - run.timeline.start[first] == pytest.approx(np.cumsum(steps), abs=1e-6)
