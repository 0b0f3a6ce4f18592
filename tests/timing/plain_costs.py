"""What a record costs once more, in Python, one at a time: what native code is compared with."""

from __future__ import annotations

import math

from mlusim.simulator.chip.rates import EngineRates, Rates
from mlusim.simulator.log import Log, Region


def plain_costs(log: Log, rates: Rates) -> list[tuple[float, float, list[int]]]:
    """Of each record, what it takes alone and then waits, microseconds, and its bytes on each channel."""
    made: dict[tuple[int, int], Region] = {}
    return [_record(log, rates, index, made) for index in range(len(log))]


def _record(log, rates, index, made):
    record, channels = log.records[index], list(rates.channels.values())
    op = log.ops[int(record["op"])]
    engine = rates.engines.get(op.engine) or EngineRates(0, math.inf, 1)
    work, parts = int(record["work"]), int(record["gaps"]) + 1
    is_scalar_access = op.granule > 1 and op.engine.startswith("scalar")
    regions = list(log.regions(index))
    moved, reads, repeats = [0] * len(channels), False, 1
    for _, written, region in regions:
        used = [region.space in channel.spaces for channel in channels]
        most = work * (rates.granule if is_scalar_access else op.granule)
        bytes_ = min(region.bytes, most) if most else region.bytes
        part = math.ceil(bytes_ / parts)
        if op.granule > 1:
            whole = bytes_
        else:
            first, last = region.offset // rates.granule, (region.offset + part - 1) // rates.granule
            whole = parts * (last - first + 1) * rates.granule
        if written and 0 < part < rates.granule and (is_scalar_access or op.granule == 1):
            whole *= 2  # what is around it is read first
        moved = [before + whole * on for before, on in zip(moved, used, strict=True)]
        if any(used):
            reads |= not written
            repeats = 2 if written and is_scalar_access else repeats
    gaps = parts - 1
    waited = gaps
    if is_scalar_access:
        waited = 0 if any(op.writes) and repeats == 1 else max(work * repeats - gaps, 0)
    cycles = engine.startup_cycles + engine.part_cycles * waited
    if not op.barrier and not op.message:
        cycles += math.ceil(work * repeats / engine.quantum) * engine.quantum / engine.rate
    unit = int(record["core"]), int(record["pipe"])
    results = [region for _, written, region in regions if written]
    taken = [region for _, written, region in regions if not written]
    if unit in made and any(_meet(made[unit], region) for region in taken):
        cycles += engine.dependent_cycles
    made.pop(unit, None)
    if results:
        made[unit] = results[0]
    alone = max([cycles / rates.clock_mhz, *(b / c.core_rate for b, c in zip(moved, channels, strict=True))])
    latency = sum(c.latencies[0 if reads else 1][1] for b, c in zip(moved, channels, strict=True) if b)
    return alone, latency, moved


def _meet(one, other):
    return (
        (one.space, one.owner) == (other.space, other.owner)
        and one.offset < other.offset + other.bytes
        and other.offset < one.offset + one.bytes
    )
