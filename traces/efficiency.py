"""How near a run comes to the peaks of the device, in the terms of mlu-ops' performance standard."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..simulator.chip.rates import FLOAT, MULTIPLY_ADD, Rates
from ..simulator.log import Log
from ..simulator.timing import Timeline
from .tracks import covered

#: From these shares of a peak on, mlu-ops docs/MLU-OPS-Performance-Acceptance-Standard.md accepts common network sizes
#: and all others.
_GRADES = ((0.6, "meets the standard for common network sizes"), (0.3, "meets the standard for general sizes"))


@dataclass(frozen=True)
class Efficiency:
    """Operations and off-chip bytes of a run against both peaks of the whole device, as if nothing else cost time."""

    operations: float
    bytes: float  # that it has to move at least: every byte of device memory once in and once out
    peak_operations: float  # a second
    peak_bytes: float  # a second
    io_efficiency: float
    compute_efficiency: float
    bound: str  # "io" or "compute": of which peak it uses more
    grade: str
    baseline: float | None = None  # how many times as fast as the baseline

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data."""
        return asdict(self)


def efficiency(timeline: Timeline, baseline_us: float | None = None) -> Efficiency:
    """The efficiency of a run, and with ``baseline_us`` how it compares with that time."""
    log, rates = timeline.log, timeline.rates
    operations, seconds = theory_operations(log), timeline.total_us * 1e-6
    peak, bandwidth, moved = _peak(log, rates), (rates.device_gb_per_s or 0.0) * 1e9, theory_bytes(log)
    io = moved / (seconds * bandwidth) if seconds and bandwidth else 0.0
    compute = operations / (seconds * peak) if seconds and peak else 0.0
    best = max(io, compute)
    grade = next((text for least, text in _GRADES if best >= least), "below the standard")
    faster = baseline_us / timeline.total_us if baseline_us and timeline.total_us else None
    bound = "io" if io > compute else "compute"
    return Efficiency(operations, moved, peak, bandwidth, io, compute, bound, grade, faster)


def theory_operations(log: Log) -> float:
    """Operations of the vector and tensor units: a vector instruction does one for every float of its work."""
    total = 0.0
    for number, op in enumerate(log.ops):
        work = float(log.records["work"][log.records["op"] == number].sum())
        if op.engine.startswith("tensor"):
            total += MULTIPLY_ADD * work
        elif op.engine == "compute":
            total += work / FLOAT
    return total


def theory_bytes(log: Log) -> float:
    """Bytes of device memory that are read, each once, and that are written, each once."""
    spaces = [number for number, space in enumerate(log.shape.spaces.values()) if space.scope == "device"]
    used = np.isin(log.operand_spaces, spaces)
    total = 0
    for written in (False, True):
        mine = used & (log.operand_written == written)
        begin = log.operands["key"][mine]
        total += covered(begin, begin + log.operands["bytes"][mine])
    return float(total)


def _peak(log: Log, rates: Rates) -> float:
    """Operations a second of all cores: of the tensor unit where the log uses it, else of the vector unit."""
    used = {op.engine for op in log.ops}
    return rates.operations_per_cycle(used) * rates.clock_mhz * 1e6 * log.shape.cores
