"""The walk in C and the one in Python are one model; what is faster or less never makes a run slower."""

from dataclasses import replace

import numpy as np
import pytest
from mlusim.simulator import Log
from mlusim.simulator.timing import Costs, replay
from mlusim.simulator.timing.compiled import compiled_walk
from mlusim.simulator.timing.plan import Plan
from mlusim.simulator.timing.replay import LONG
from mlusim.simulator.timing.walk import plain_walk

from tests.timing.test_timing import random_rows
from tests.timing.timing_logs import ALONE, RATES, Row, log_of

STAGGERED = replace(RATES, task_us=33.0)


def both(log, rates):
    plan = Plan.of(log, rates, Costs.of(log, rates))
    return plain_walk(plan), compiled_walk(plan)


@pytest.mark.parametrize("rates", [RATES, ALONE, STAGGERED], ids=["shared", "alone", "staggered"])
@pytest.mark.parametrize("seed", range(20))
def test_both_walks_give_equal_bytes(seed, rates):
    plain, compiled = both(log_of(*random_rows(seed)), rates)
    assert [column.tobytes() for column in plain] == [column.tobytes() for column in compiled]


def test_serial_queues_and_sections_too():
    generator = np.random.default_rng(7)
    ops = generator.choice(["add", "load", "section", "sync"], 400)
    rows = [Row(str(op), int(w), int(c), serial=op != "sync") for op, w, c in zip(
        ops, generator.integers(1, 300, 400), generator.choice([0, 1, 5], 400), strict=True
    )]  # fmt: skip
    plain, compiled = both(log_of(*rows), RATES)
    assert [column.tobytes() for column in plain] == [column.tobytes() for column in compiled]


def test_a_long_log_takes_the_compiled_walk_and_says_the_same_of_barriers():
    rows = [Row("add", 8)] * LONG
    assert replay(log_of(*rows), ALONE).end[-1] == 4 * LONG
    stuck = log_of(Row("meet", 1), Row("meet", 2, core=1), Row("meet", 2), Row("meet", 1, core=1))
    for walk in (plain_walk, compiled_walk):
        with pytest.raises(ValueError, match="its barriers let core 0 wait for ever"):
            walk(Plan.of(stuck, RATES, Costs.of(stuck, RATES)))


def quicker(rates, what):
    """Rates of which one is better."""
    if what == "clock":
        return replace(rates, clock_mhz=rates.clock_mhz * 1.3)
    channel = rates.channels[what]
    return replace(rates, channels={**rates.channels, what: replace(channel, gb_per_s=channel.gb_per_s * 1.3)})


def less(log: Log) -> Log:
    """The same log with shorter loads."""
    operands = log.operands.copy()
    operands["bytes"] = operands["bytes"] * 2 // 3
    return replace(log, operands=operands)


@pytest.mark.parametrize("seed", range(30))
def test_one_core_is_never_slower_with_more(seed):
    rows = [replace(row, core=0, task=0) for row in random_rows(seed) if row.op != "meet"]
    log = log_of(*rows)
    before = replay(log, RATES).total_us
    for what in ("clock", "dram", "cluster_port"):
        assert replay(log, quicker(RATES, what)).total_us <= before * (1 + 1e-9), what
    assert replay(less(log), RATES).total_us <= before * (1 + 1e-9)


#: With several cores a transfer that comes earlier can share with others than before.
ANOMALY = 1.001


@pytest.mark.parametrize("seed", range(30))
def test_many_cores_lose_little_where_an_order_changes(seed):
    log = log_of(*random_rows(seed))
    before = replay(log, RATES).total_us
    for what in ("clock", "dram", "cluster_port"):
        assert replay(log, quicker(RATES, what)).total_us <= before * ANOMALY, what
    assert replay(less(log), RATES).total_us <= before * ANOMALY
