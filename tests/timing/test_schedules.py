"""Small programs with the exact start and end of every instruction, worked out on paper.

At 1 MHz a cycle is a microsecond. An add of n bytes takes 2 + n / 4, a load of n bytes 3 + n / 64 on its engine (3 +
n / 2 without channels). The DRAM moves 64 bytes in 10, and the latency is 7. Issuing takes 1, a sync 5.
"""

from dataclasses import replace

import pytest
from mlusim.simulator.chip.rates import Channel, EngineRates

from tests.timing.timing_logs import ALONE, RATES, Row, timed

DRAM = replace(RATES, channels={"dram": RATES.channels["dram"]})
CAPPED = replace(RATES, channels={"dram": Channel(32e-3, 7000.0, "device", ("gdram",), core_gb_per_s=6.4e-3)})
STRIDED = replace(ALONE, engines={**ALONE.engines, "io": EngineRates(3, 64, 64, part_cycles=2)})
WAITED = replace(
    ALONE,
    engines={**ALONE.engines, "scalar_gdram": EngineRates(0, 0.5, 1, part_cycles=3)},
    channels={"dram": Channel(1e3, 0.0, "device", ("gdram",))},
)


def times(rates, *rows):
    return [row[:2] for row in timed(rates, *rows)]


PROGRAMS = {
    # Load 10 + 7, sync 5, add 12; the second load waits for the sync after the add, and so on.
    "single buffering": (
        DRAM,
        [Row("load", 64), Row("sync"), Row("add", 40), Row("sync"), Row("load", 64), Row("sync"), Row("add", 40)],
        [(0, 17), (17, 22), (22, 34), (34, 39), (39, 56), (56, 61), (61, 73)],
    ),
    # The second load is issued before the first add and runs beside it: 23..40, add 24..36.
    "double buffering": (
        DRAM,
        [Row("load", 64), Row("sync"), Row("load", 64), Row("add", 40), Row("sync"), Row("add", 40)],
        [(0, 17), (17, 22), (22, 39), (23, 35), (39, 44), (44, 56)],
    ),
    # The same with a blocking load in the middle: nothing runs beside it.
    "a missing overlap": (
        DRAM,
        [Row("load", 64), Row("sync"), Row("load", 64, blocking=True), Row("add", 40), Row("sync"), Row("add", 40)],
        [(0, 17), (17, 22), (22, 39), (39, 51), (51, 56), (56, 68)],
    ),
    # Both draw from 0 on: 128 bytes take 20, then 7. Alone each would have ended at 17.
    "contention of two cores": (
        DRAM,
        [Row("load", 64), Row("load", 64, core=4)],
        [(0, 27), (0, 27)],
    ),
    # Core 4 comes at 10, when 64 bytes of core 0 are left: they share for 20, core 4 has 64 left and takes 10 alone.
    "contention for a while": (
        DRAM,
        [Row("load", 128), Row("add", 32, core=4, blocking=True), Row("load", 128, core=4)],
        [(0, 37), (0, 10), (10, 47)],
    ),
    # 64 bytes at 6.4 a microsecond: 10, and two cores do not hinder each other, for 32 is more than twice that.
    "a cap for one core": (
        CAPPED,
        [Row("load", 64), Row("load", 64, core=1)],
        [(0, 17), (0, 17)],
    ),
    # Adds of 12 and 22: both go on at 22 + 5.
    "a barrier": (
        ALONE,
        [Row("add", 40), Row("meet", 1), Row("add", 80, core=1), Row("meet", 1, core=1), Row("add", 40)],
        [(0, 12), (12, 27), (0, 22), (22, 27), (27, 39)],
    ),
    # Three tasks on one core, one after the other; the fourth is handed out at 45 only.
    "waves": (
        replace(ALONE, task_us=15.0),
        [Row("add", 80, task=0), Row("add", 40, task=1), Row("add", 8, task=2), Row("add", 8, task=3)],
        [(0, 22), (22, 34), (34, 38), (45, 49)],
    ),
    # 6 accesses at half an access a cycle: 12 each, one after the other, and the add is issued after both.
    "a scalar loop": (
        ALONE,
        [Row("scalar", 6), Row("scalar", 6), Row("add", 8)],
        [(0, 12), (12, 24), (24, 28)],
    ),
    # Commands of both queues take turns; in the section the add and the load run side by side.
    "two queues in a parallel section": (
        ALONE,
        [Row("add", 40, serial=True), Row("load", 64, serial=True), Row("section", serial=True), Row("load", 64),
         Row("add", 40), Row("section", serial=True), Row("add", 8, serial=True)],
        [(0, 12), (12, 47), (2, 2), (47, 82), (47, 59), (4, 4), (82, 86)],
    ),
    # Four parts: 3 + 4 * 64 / 64 + 3 * 2 for the further ones, of 256 bytes as the engine moves them.
    "a strided copy": (
        STRIDED,
        [Row("load", 256, gaps=3), Row("load", 256)],
        [(0, 13), (13, 20)],
    ),
    # 6 accesses of 2, of which 4 are waited for, 3 each; of a short store each reads its granule besides.
    "scalar loads that are waited for together": (
        WAITED,
        [Row("scalar", 6, gaps=2), Row("poke", 2, bytes=8), Row("add", 8)],
        [(0, 24), (24, 44), (44, 48)],
    ),
    # The second load waits for its pipe, not for the add.
    "a pipe in order": (
        ALONE,
        [Row("load", 64), Row("load", 64), Row("add", 40), Row("sync_io"), Row("add", 40)],
        [(0, 35), (35, 70), (2, 14), (70, 75), (75, 87)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    rates, rows, expected = PROGRAMS[name]
    assert times(rates, *rows) == [pytest.approx(pair) for pair in expected]
