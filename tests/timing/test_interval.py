"""What a time rests on, and the interval that follows from how well that is known."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Log
from mlusim.simulator.chip.device_file import Quantity, spread_of
from mlusim.simulator.timing import INVERSE, MODEL_ERROR, Interval, change, interval, interval_of, replay, resting

from tests.timing.test_walks import rates_of_everything, rows_of_everything
from tests.timing.timing_logs import Row, log_of

LOGS = Path(__file__).parents[2] / "benchmarks" / "hardware" / "logs"
RATES = Device.load("mlu370-x4").rates


def fact(value, spread):
    return Quantity(value, "assumed", "a guess", spread)


FACTS = {"slow.startup_cycles": fact(5, 2.0), "fast.gb_per_s": fact(5, 1.5), MODEL_ERROR: fact(1.2, None)}


@pytest.mark.parametrize("seed", range(30))
def test_the_parts_of_a_time_add_up_to_it(seed):
    generator = np.random.default_rng(seed)
    line = replay(log_of(*rows_of_everything(generator)), rates_of_everything(generator))
    assert sum(resting(line).values()) == pytest.approx(line.total_us)


def test_a_number_that_changes_a_little_changes_the_time_by_its_part():
    rows = [Row("load", 4096, gaps=3), Row("add", 512, serial=True), Row("scalar", 9), Row("put", 640, blocking=True)]
    log = log_of(*rows * 3, *(replace(row, task=32) for row in rows))
    line = replay(log, RATES)
    parts = resting(line)
    names = {name for numbers in parts for name in numbers if name in RATES.facts}
    assert len(names) > 10
    for name in names:
        sign = -1 if name.rpartition(".")[2] in INVERSE else 1
        own = sign * sum(us for numbers, us in parts.items() if name in numbers)
        more = replay(log, RATES.replace({name: float(RATES.facts[name].value) * (1 - 1e-4)}))
        assert line.total_us - more.total_us == pytest.approx(1e-4 * own, rel=1e-2, abs=1e-9), name


def test_a_front_end_that_runs_ahead_of_a_pipe_decides_though_the_pipe_is_late():
    """The queue of a pipe is long, and short ones behind scalar code all the same begin when they are issued."""
    rows = [*[Row("add", 512)] * 9, *[Row("scalar", 40, blocking=True), Row("load", 64), Row("add", 8)] * 3]
    log = log_of(*[Row("add", 4096)] * 4, *[Row("load", 64)] * 3, *[Row("scalar", 90)], *[Row("add", 8)] * 12, *rows)
    name = "engines.scalar.startup_cycles"
    line, parts = replay(log, RATES), resting(replay(log, RATES))
    own = sum(us for numbers, us in parts.items() if name in numbers)
    more = replay(log, RATES.replace({name: float(RATES.facts[name].value) * (1 + 1e-4)}))
    assert more.total_us - line.total_us == pytest.approx(1e-4 * own, rel=1e-2, abs=1e-9)


def test_an_interval_is_as_wide_as_its_numbers_are_unsure():
    for name in ("slow.startup_cycles", "fast.gb_per_s"):
        found = interval_of({(name,): 100.0}, FACTS)
        deviation = math.hypot(math.log(FACTS[name].spread), math.log(1.2))
        assert math.log(found.high / 100) == pytest.approx(1.645 * deviation, rel=0.05)
        assert math.log(found.low / 100) == pytest.approx(-1.645 * deviation, rel=0.05)
    known = interval_of({("not.asked",): 100.0}, FACTS)
    assert math.log(known.high / 100) == pytest.approx(1.645 * math.log(1.2), rel=0.05)
    both = interval_of({("slow.startup_cycles",): 50.0, ("fast.gb_per_s",): 50.0}, FACTS)
    assert both.high < interval_of({("slow.startup_cycles",): 100.0}, FACTS).high
    assert interval_of({("slow.startup_cycles",): 1.0}, {}) is None


def test_numbers_that_were_fitted_together_move_together():
    """Of two numbers a fit knows the sum well; two others are one by nature."""

    def width(first, second):
        facts = {"a.latency_ns": first, "b.latency_ns": second, MODEL_ERROR: fact(1.0001, None)}
        found = interval_of({("a.latency_ns",): 50.0, ("b.latency_ns",): 50.0}, facts)
        return math.log(found.high / found.low)

    def together(*loadings):
        return Quantity(5, "fitted", "a fit", loadings=loadings)

    alone = width(fact(5, math.exp(0.3)), fact(5, math.exp(0.3)))
    assert spread_of(together(0.18, 0.24)) == pytest.approx(math.exp(0.3))
    assert width(together(0.3), together(-0.3, 0.01)) < 0.3 * alone
    assert width(together(0.18, 0.24), together(0.18, 0.24)) == pytest.approx(2 * 1.645 * 0.3, rel=0.05)
    assert width(together(0.3), together(0.0, 0.3)) == pytest.approx(alone, rel=0.05)


def test_what_two_times_have_in_common_drops_out_of_their_difference():
    slow, fast = ("slow.startup_cycles",), ("fast.gb_per_s",)
    assert change({slow: 100, fast: 9}, {slow: 100, fast: 9}, FACTS) == Interval(0, 0)
    less = change({slow: 100, fast: 9}, {slow: 100, fast: 7}, FACTS)
    assert -4.5 < less.low < -2 < less.high < -0.9  # however unsure the 100 are
    assert 0 in change({slow: 100, fast: 9}, {slow: 80, fast: 27}, FACTS)
    assert change({slow: 1}, {slow: 2}, {}) is None


def test_what_if_values_are_taken_at_their_word():
    log = log_of(*[Row("add", 512)] * 2000)
    name = "engines.compute.startup_cycles"
    unsure, told = (interval(replay(log, rates)) for rates in (RATES, RATES.replace({name: RATES.facts[name].value})))
    assert told.high - told.low < 0.8 * (unsure.high - unsure.low)


@pytest.mark.parametrize("name", ["logcumsumexp_1160x28", "logcumsumexp_21x41x44", "logcumsumexp_10x60x8x43"])
def test_replays_with_drawn_numbers_find_about_the_same_interval(name):
    log, generator = Log.load(LOGS / f"{name}.mlulog"), np.random.default_rng(1)
    line = replay(log, RATES)
    names = sorted({name for numbers in resting(line) for name in numbers if name in RATES.facts})
    drawn = []
    for _ in range(150):
        factors = {name: spread_of(RATES.facts[name]) ** generator.standard_normal() for name in names}
        limits = {name: 1.0 if name.endswith("efficiency") else math.inf for name in names}
        changes = {name: min(float(RATES.facts[name].value) * factors[name], limits[name]) for name in names}
        model = RATES.facts[MODEL_ERROR].value ** generator.standard_normal()
        drawn.append(replay(log, RATES.replace(changes)).total_us * model)
    expected, found = Interval.of(np.array(drawn)), interval(line)
    assert [found.low, found.high] == pytest.approx([expected.low, expected.high], rel=0.12)


@pytest.mark.parametrize("name", Device.names())
def test_every_built_in_device_says_how_sure_it_is(name):
    facts = Device.load(name).rates.facts
    assert 1.05 <= facts[MODEL_ERROR].value <= 2
    assert all(
        fact.spread is not None or fact.loadings
        for fact in facts.values()
        if fact.kind == "fitted" and fact.value != facts[MODEL_ERROR].value
    )
    measured = any(fact.kind == "fitted" for fact in facts.values())
    assert (facts[MODEL_ERROR].value < 1.3) == measured
