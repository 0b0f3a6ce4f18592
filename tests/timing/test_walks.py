"""The walk in native code and the plain one are one model; what is faster or less never makes a run slower."""

from dataclasses import replace

import numpy as np
import pytest
from mlusim.simulator import BuildError, Log
from mlusim.simulator.chip.rates import Channel
from mlusim.simulator.native import library
from mlusim.simulator.timing import Costs, replay
from mlusim.simulator.timing.plan import WalkPlan
from mlusim.simulator.timing.walk import walk

from tests.timing.plain_walk import plain_walk
from tests.timing.test_timing import random_rows
from tests.timing.timing_logs import ALONE, MEMORY_CORE, RATES, Row, log_of

STAGGERED = replace(RATES, task_us=33.0)


#: Instructions but barriers.
OTHERS = ("add", "load", "load", "put", "poke", "scalar", "section", "sync_io", "sync", "strange", "alloc")


def differences(log, rates):
    """The columns in which native code and the plain walk differ in a byte."""
    plan = WalkPlan.of(log, rates, Costs.of(log, rates))
    names = ("start", "end", "reason", "cause")
    pairs = zip(names, walk(plan), plain_walk(plan), strict=True)
    return [name for name, native, plain in pairs if native.tobytes() != plain.tobytes()]


@pytest.mark.parametrize("rates", [RATES, ALONE, STAGGERED], ids=["shared", "alone", "staggered"])
@pytest.mark.parametrize("seed", range(20))
def test_both_walks_give_equal_bytes(seed, rates):
    assert differences(log_of(*random_rows(seed)), rates) == []


def rows_of_everything(generator):
    """Tasks one after the other on some cores: each instruction, in queues, blocking or on its own, and barriers."""
    cores = generator.choice([0, 1, 2, 3, 4, 9, MEMORY_CORE, MEMORY_CORE + 1], int(generator.integers(1, 6)), False)
    rows = []
    for turn in range(3):
        tasks = {int(core): 100 * turn + place for place, core in enumerate(cores)}
        for _ in range(int(generator.integers(1, 120))):
            core, op = int(generator.choice(cores)), str(generator.choice(OTHERS))
            work, odd = int(generator.integers(0, 300)), generator.random()
            queued = op in ("add", "load", "section") and 0.2 < odd < 0.4
            rows.append(Row(op, work, core, odd < 0.2, queued, tasks[core], int(generator.integers(0, 4))))
        if generator.random() < 0.8:
            rows += [Row("meet", turn, core, task=task) for core, task in tasks.items()]
    return rows


def rates_of_everything(generator):
    """Channels of each scope, some of which a core cannot fill; round numbers, so that many times are equal."""
    channels = {
        str(scope): Channel(
            float(generator.choice([1.6e-3, 3.2e-3, 6.4e-3])),
            float(generator.choice([0, 7000, 12345.6])),
            scope,
            ("gdram",),
            float(generator.choice([0.8e-3, 1e-3])) if generator.random() < 0.5 else None,
        )
        for scope in ("device", "cluster", "core")
        if generator.random() < 0.8
    }
    return replace(RATES, channels=channels, task_us=float(generator.choice([0, 0.1, 33])))


@pytest.mark.parametrize("seed", range(100))
def test_random_tasks_at_random_rates_take_equal_bytes(seed):
    generator = np.random.default_rng(seed)
    log = log_of(*rows_of_everything(generator))
    assert differences(log, rates_of_everything(generator)) == []


def test_a_log_without_records():
    assert differences(log_of(), RATES) == []


def test_barriers_that_cannot_be_met():
    stuck = log_of(Row("meet", 1), Row("meet", 2, core=1), Row("meet", 2), Row("meet", 1, core=1))
    for way in (plain_walk, walk):
        with pytest.raises(ValueError, match="its barriers let core 0 wait for ever"):
            way(WalkPlan.of(stuck, RATES, Costs.of(stuck, RATES)))


def test_without_a_compiler_a_time_is_refused(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    library.built_folder.cache_clear()
    with pytest.raises(
        BuildError, match=r"times are found by native code, and \$CXX names 'no-such-compiler', .* set it"
    ):
        replay(log_of(Row("add", 8)), RATES)


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
