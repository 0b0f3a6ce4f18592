"""Simulates the rows of a table of measured times and says how far off they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...chip.rates import Rates
from ...findings import MlusimError
from ...host.operators.loading import load
from ...launches import Program
from ...launches.device import Device
from ...log import Log
from ...timing import replay
from .measured import Cases, MeasuredCase, Measurement, Skipped, check_type, evaluate


@dataclass(frozen=True)
class Simulated:
    """A row whose kernel has run: its log can be timed at any rates."""

    measurement: Measurement
    device: Device
    log: Log
    roofline_us: float

    def us(self, rates: Rates) -> float:
        """The simulated time."""
        return replay(self.log, rates).total_us


@dataclass(frozen=True)
class Comparison:
    """A measured time, what the simulator says, and what a plain roofline says (microseconds)."""

    measurement: Measurement
    predicted_us: float
    roofline_us: float
    family: str = ""
    left_out_us: float | None = None  # predicted by rates that were fitted without this row

    @property
    def error(self) -> float:
        """In percent of the measured time; negative where the simulator is too quick."""
        return percent_error(self.predicted_us, self.measurement.us)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data; errors in percent."""
        row = self.measurement
        return {
            "operator": row.operator, "platform": row.platform, "dtype": row.dtype, "shape_or_case": row.shape,
            "measured_us": row.us, "predicted_us": self.predicted_us, "error": self.error,
            "roofline_us": self.roofline_us, "roofline_error": percent_error(self.roofline_us, row.us),
            "left_out_us": self.left_out_us,
        }  # fmt: skip


@dataclass(frozen=True)
class Correlation:
    """All rows of a table: those that could be compared, and the others."""

    cases: tuple[Comparison, ...]
    skipped: tuple[Skipped, ...]

    @property
    def errors(self) -> list[float]:
        """The size of every error, in percent."""
        return [abs(case.error) for case in self.cases]

    @property
    def mape(self) -> float:
        """Mean of the sizes of the errors, in percent; not a number without cases."""
        return _mean(self.errors)

    @property
    def roofline_mape(self) -> float:
        """The same of the roofline."""
        return _mean([abs(percent_error(case.roofline_us, case.measurement.us)) for case in self.cases])

    @property
    def left_out_mape(self) -> float | None:
        """The same of the times predicted without the row itself, where they are known."""
        errors = [
            abs(percent_error(case.left_out_us, case.measurement.us))
            for case in self.cases
            if case.left_out_us is not None
        ]
        return _mean(errors) if errors else None

    @property
    def correlation(self) -> float:
        """Pearson's coefficient of the logarithms; not a number for fewer than two cases."""
        if len(self.cases) < 2:
            return math.nan
        measured, predicted = np.log([[case.measurement.us, case.predicted_us] for case in self.cases]).T
        if not measured.std() or not predicted.std():
            return math.nan
        return float(np.corrcoef(measured, predicted)[0, 1])

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data; errors in percent, None where there is nothing to say."""
        errors = self.errors
        figures = {
            "mape": self.mape,
            "median": float(np.median(errors)) if errors else math.nan,
            "max": max(errors, default=math.nan),
            "correlation": self.correlation,
            "roofline_mape": self.roofline_mape,
            "left_out_mape": math.nan if self.left_out_mape is None else self.left_out_mape,
        }
        return {
            **{name: None if math.isnan(value) else value for name, value in figures.items()},
            "cases": [case.to_dict() for case in self.cases],
            "skipped": [
                {
                    "operator": skipped.measurement.operator, "platform": skipped.measurement.platform,
                    "dtype": skipped.measurement.dtype, "shape_or_case": skipped.measurement.shape,
                    "measured_us": None if math.isnan(skipped.measurement.us) else skipped.measurement.us,
                    "reason": skipped.reason,
                }
                for skipped in self.skipped
            ],
        }  # fmt: skip


def percent_error(predicted: float, measured: float) -> float:
    """How much a predicted time is above the measured one, in percent of that."""
    return 100.0 * (predicted / measured - 1.0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def correlate(
    rows: Iterable[Measurement], cases: Cases, progress: Callable[[int], None] = lambda done: None
) -> Correlation:
    """Simulate every row that has a kernel and a device."""
    found, skipped = simulate(rows, cases, progress)
    return compare(found, skipped)


def compare(found: Sequence[Simulated], skipped: Sequence[Skipped]) -> Correlation:
    """Simulated rows beside their measured times, at the rates of their devices."""
    return Correlation(
        tuple(Comparison(row.measurement, row.us(row.device.rates), row.roofline_us) for row in found), tuple(skipped)
    )


def simulate(
    rows: Iterable[Measurement], cases: Cases, progress: Callable[[int], None] = lambda done: None
) -> tuple[list[Simulated], list[Skipped]]:
    """Run the kernel of every row; rows without one, without a device, or whose kernel fails are skipped."""
    found: list[Simulated] = []
    skipped: list[Skipped] = []
    built: dict[tuple[Path, str], tuple[Device, Program]] = {}
    for number, row in enumerate(rows):
        case = cases.of(row)
        try:
            if case is None:
                raise ValueError("no kernel stands for its operator and dtype")
            found.append(_simulated(row, case, built))
        except (ValueError, TypeError, MlusimError, MemoryError) as error:
            text = str(error).partition("\n")[0]
            skipped.append(Skipped(row, text or type(error).__name__))
        progress(number + 1)
    return found, skipped


def _simulated(
    row: Measurement, case: MeasuredCase, built: dict[tuple[Path, str], tuple[Device, Program]]
) -> Simulated:
    check_type(row)
    if math.isnan(row.us):
        raise ValueError("it has no measured time (hw_time_us)")
    key, known = (case.folder / case.source, row.platform), case.numbers(row)
    if key not in built:
        device = row.device()
        built[key] = device, load([key[0]], device=device)
    device, program = built[key]
    run = program.launch(case.kernel, row.dim, row.type, case.arguments(row))
    if run.timeline.not_modelled:
        raise ValueError(f"the device file gives no cost of {', '.join(run.timeline.not_modelled)}")
    log = replace(run.log, device=device.name)
    operations, moved = evaluate(case.operations, known), evaluate(case.bytes, known)
    return Simulated(row, device, log, roofline_us(device, log, operations, moved))


def roofline_us(device: Device, log: Log, operations: int, moved: int) -> float:
    """The time that the whole device needs at least: for the operations at its peak, or for the bytes at its peak.

    The peak is that of the best engine that multiplies and adds among those that the log uses; 2 operations each.
    """
    rates, cycles = device.rates, device.rates.clock_mhz * device.shape.cores
    used = {op.engine for op in log.ops}
    tensor = [engine.per_cycle for name, engine in rates.engines.items() if name in used and name.startswith("tensor")]
    vector = rates.engines["compute"].per_cycle / 4 if "compute" in rates.engines else 1.0
    peak = max([2 * rate for rate in tensor], default=vector) * cycles
    bandwidth = min((c.gb_per_s * 1e3 for c in rates.channels.values() if c.scope == "device"), default=math.inf)
    return max(operations / peak, moved / bandwidth)
