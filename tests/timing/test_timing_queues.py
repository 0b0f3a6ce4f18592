"""Queues that take turns or run side by side, and what one core may draw of a channel: exact times."""

from dataclasses import replace

import pytest
from mlusim.simulator.chip.rates import Channel

from tests.timing.timing_logs import ALONE, ISSUE, LAUNCH, PIPE, RATES, WAIT, Row, timed


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(
            [Row("add", 8, serial=True), Row("load", 4, serial=True), Row("add", 8, serial=True)],
            [(0, 4, LAUNCH, -1), (4, 9, PIPE, 0), (9, 13, PIPE, 1)],
            id="commands of serial queues follow each other, and the front end goes on",
        ),
        pytest.param(
            [Row("add", 8, serial=True), Row("section", serial=True), Row("load", 4), Row("add", 8), Row("add", 8)],
            [(0, 4, LAUNCH, -1), (1, 1, ISSUE, 0), (4, 9, PIPE, 0), (4, 8, PIPE, 0), (8, 12, PIPE, 3)],
            id="in a section they run side by side, all of them after what came before it",
        ),
        pytest.param(
            [Row("load", 4), Row("add", 80), Row("section", serial=True), Row("load", 4, serial=True)],
            [(0, 5, LAUNCH, -1), (1, 23, ISSUE, 0), (2, 2, ISSUE, 1), (23, 28, PIPE, 1)],
            id="and what follows a section comes after both",
        ),
        pytest.param(
            [Row("add", 8, serial=True), Row("load", 4, serial=True), Row("sync"), Row("add", 8, serial=True)],
            [(0, 4, LAUNCH, -1), (4, 9, PIPE, 0), (9, 14, WAIT, 1), (14, 18, WAIT, 2)],
            id="a wait for both",
        ),
    ],
)
def test_queues_that_take_turns(rows, expected):
    assert timed(ALONE, *rows) == expected


def test_serial_queues_wait_for_channels_too():
    rates = replace(RATES, channels={"dram": RATES.channels["dram"]})
    rows = [
        Row("load", 64, core=0, serial=True),
        Row("load", 64, core=4, serial=True),
        Row("add", 8, core=4, serial=True),
    ]
    # Side by side, 64 bytes take 20 us of the channel each, then 7 us of latency. The add waits for its own load.
    assert timed(rates, *rows) == [(0, 27, LAUNCH, -1), (0, 27, LAUNCH, -1), (27, 31, PIPE, 1)]


def test_one_core_draws_no_more_of_a_channel_than_its_cap():
    wide = Channel(32e-3, 0.0, "device", ("gdram",))
    capped = replace(wide, core_gb_per_s=6.4e-3)
    tight = replace(wide, core_gb_per_s=20e-3)
    alone, cores = [Row("load", 640)], (0, 4, 8, 12)
    for channel, end, end_of_two, end_of_four in ((wide, 20, 40, 80), (capped, 100, 100, 100), (tight, 32, 40, 80)):
        rates = replace(RATES, channels={"dram": channel})
        assert timed(rates, *alone) == [(0, end, LAUNCH, -1)]
        for count, expected in ((2, end_of_two), (4, end_of_four)):
            both = [Row("load", 640, core=core) for core in cores[:count]]
            assert [row[1] for row in timed(rates, *both)] == pytest.approx([expected] * count)


def test_who_is_left_alone_gets_what_one_core_can_draw():
    tight = Channel(32e-3, 0.0, "device", ("gdram",), core_gb_per_s=20e-3)
    rates = replace(RATES, channels={"dram": tight})
    # 16 bytes a microsecond each for 40 us; then 640 bytes are left, at 20 a microsecond.
    rows = [Row("load", 640), Row("load", 1280, core=4)]
    assert [row[1] for row in timed(rates, *rows)] == pytest.approx([40, 72])
