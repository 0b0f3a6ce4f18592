"""What every record of a log costs at the rates of a device, before any waiting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..hardware.rates import Rates
from ..log import Log


@dataclass(frozen=True)
class Costs:
    """Microseconds of every record.

    A record lasts as long as its engine takes or, where that is longer, as long as a channel is busy with its bytes or
    as one core needs to draw them from it; then comes the latency of each channel that it uses.
    """

    duration: np.ndarray  # shape [records]
    occupied: np.ndarray  # shape [channels, records]: time on each channel, in the order of ``rates.channels``
    assumed_share: float  # share of all durations that comes from assumed numbers, 0..1
    not_modelled: tuple[str, ...]  # instructions whose engine has no cost

    @classmethod
    def of(cls, log: Log, rates: Rates) -> Costs:
        """The costs of a log."""
        startup, rated, assumed_startup, assumed_rate, missing = _engine_times(log, rates)
        occupied = np.zeros((len(rates.channels), len(log)))
        latency, assumed_latency = np.zeros(len(log)), np.zeros(len(log))
        longest = startup + rated
        assumed = startup * assumed_startup + rated * assumed_rate
        moved_by_operand, spaces = _moved(log), log.operand_spaces
        for row, (name, channel) in zip(occupied, rates.channels.items(), strict=True):
            used = np.array([space in channel.spaces for space in log.shape.spaces])
            moved = log.per_record(used[spaces] * moved_by_operand)
            row[:] = moved / (channel.gb_per_s * 1e3)
            limits = [("gb_per_s", row)]
            if channel.core_gb_per_s is not None:
                limits.append(("core_gb_per_s", moved / (channel.core_gb_per_s * 1e3)))
            for field, time in limits:
                wins = time > longest
                longest = np.maximum(longest, time)
                assumed[wins] = time[wins] * (rates.kind(f"channels.{name}.{field}") == "assumed")
            delay = np.where(moved > 0, channel.latency_ns * 1e-3, 0.0)
            latency += delay
            assumed_latency += delay * (rates.kind(f"channels.{name}.latency_ns") == "assumed")
        duration = longest + latency
        total = float(duration.sum())
        share = float((assumed + assumed_latency).sum()) / total if total else 0.0
        return cls(duration, occupied, share, missing)


def _engine_times(log: Log, rates: Rates) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, tuple[str, ...]]:
    """Start-up and work time of every record on its engine, whether each is assumed, and what has no cost."""
    startup, per_cycle, quantum = np.zeros(len(log.ops)), np.ones(len(log.ops)), np.ones(len(log.ops))
    costs, guessed_startup, guessed_rate = (np.zeros(len(log.ops), bool) for _ in range(3))
    guessed_clock = rates.kind("clock.core_mhz") == "assumed"
    for index, op in enumerate(log.ops):
        engine = rates.engines.get(op.engine)
        if engine is None:
            continue
        startup[index], per_cycle[index], quantum[index] = engine.startup_cycles, engine.per_cycle, engine.quantum
        costs[index] = not op.barrier  # the work of a barrier is its number
        guessed_startup[index] = guessed_clock or rates.kind(f"engines.{op.engine}.startup_cycles") == "assumed"
        guessed_rate[index] = guessed_clock or rates.kind(f"engines.{op.engine}.per_cycle") == "assumed"
    column = log.records["op"]
    cycle_us = 1.0 / rates.clock_mhz
    cycles = np.ceil(log.records["work"] / quantum[column]) * quantum[column] / per_cycle[column] * costs[column]
    missing = tuple(sorted({o.name for o in log.ops if o.engine and o.engine not in rates.engines}))
    return startup[column] * cycle_us, cycles * cycle_us, guessed_startup[column], guessed_rate[column], missing


def _moved(log: Log) -> np.ndarray:
    """Bytes that each row of the operand table moves: of a strided operand, not the gaps between its parts."""
    granule = np.array([op.granule for op in log.ops], np.int64)
    work = log.records["work"].astype(np.int64)
    limit = (work * granule[log.records["op"]] if len(log) else work)[log.owners]
    spans = log.operands["bytes"].astype(np.int64)
    return np.where(limit > 0, np.minimum(spans, limit), spans)
