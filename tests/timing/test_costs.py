"""Costs of records by native code, beside those of a plain loop."""

from dataclasses import replace

import numpy as np
import pytest
from mlusim.simulator.chip.rates import EngineRates
from mlusim.simulator.log import OPERAND, RECORD, Location, Log, Op, region_key
from mlusim.simulator.timing import Costs

from tests.timing.plain_costs import plain_costs
from tests.timing.test_walks import rates_of_everything
from tests.timing.timing_logs import OPS, PIPES, SHAPE

SPACES = {name: list(SHAPE.spaces).index(name) for name in ("gdram", "nram", "sram")}
SOME = (
    *OPS.values(),
    Op("sum", "", ("dst", "src0", "src1"), (True, False, False), "compute"),
    Op("swap", "", ("src", "dst", "old"), (False, True, True), "io"),
    Op("message", "", (), (), "compute", message="send"),
    Op("near", "", ("dst",), (True,), "scalar_gdram", granule=4),
    Op("warp", "", ("src",), (False,), "compute", granule=32),
)


def some_log(generator):
    """Records of every kind on operands anywhere in three memories, aligned or not, of any length."""
    count = int(generator.integers(1, 200))
    records, operands = np.zeros(count, RECORD), []
    for record in records:
        record["op"], record["pipe"] = generator.integers(len(SOME)), generator.integers(len(PIPES))
        record["core"], record["task"] = generator.integers(2), generator.integers(3)
        record["work"] = int(generator.choice([0, 1, 7, 64, 300, 5000]))
        record["gaps"], record["first"] = int(generator.choice([0, 0, 1, 5, 40])), len(operands)
        for _ in SOME[record["op"]].operands:
            key = region_key(int(generator.choice([*SPACES.values()])), 0, int(generator.integers(300)))
            operands.append((key, int(generator.integers(1, 400)), 0, 0))
    rows = np.array(operands, OPERAND)
    return Log(records, rows, SOME, PIPES, (Location("k.mlu", 1),), SHAPE, "test", {"kernel": "k"})


def some_rates(generator):
    rates = rates_of_everything(generator)
    waiting = EngineRates(2, 4, 8, part_cycles=3, dependent_cycles=7)
    engines = {**rates.engines, "compute": waiting, "scalar_gdram": EngineRates(1, 0.5, 1, part_cycles=11)}
    channels = {
        name: replace(channel, write_latency_ns=float(generator.choice([0, 500])), spaces=spaces)
        for (name, channel), spaces in zip(
            rates.channels.items(), (("gdram",), ("gdram", "sram"), ("sram",)), strict=False
        )
    }
    return replace(rates, engines=engines, channels=channels, granule=int(generator.choice([1, 32, 48, 64])))


@pytest.mark.parametrize("seed", range(60))
def test_costs_are_those_of_a_plain_loop(seed):
    generator = np.random.default_rng(seed)
    log, rates = some_log(generator), some_rates(generator)
    found, (alone, latency, moved) = Costs.of(log, rates), zip(*plain_costs(log, rates), strict=True)
    np.testing.assert_allclose(found.alone, alone, rtol=1e-12)
    np.testing.assert_allclose(found.latency, latency, rtol=1e-12)
    assert found.moved.T.tolist() == [list(bytes_) for bytes_ in moved]


@pytest.mark.parametrize("seed", range(20))
def test_what_times_rest_on_adds_up_to_them(seed):
    generator = np.random.default_rng(seed)
    log, rates = some_log(generator), some_rates(generator)
    weight, waits = generator.random(len(log)), generator.random(len(log))
    costs, times = Costs.weighed(log, rates, weight, waits)
    assert sum(times.values()) == pytest.approx(costs.alone @ weight + costs.latency @ waits)
    assert sum(costs.shares.values()) == pytest.approx(1)
