"""Simulates the rows of a table of measured times and says how far off they are."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...chip.rates import FLOAT, MULTIPLY_ADD, Rates
from ...findings import MlusimError
from ...host.operators.loading import load
from ...launches.device import Device
from ...launches.program import Program
from ...log import Log
from ...timing import Interval, Numbers, interval_of, replay, resting
from .cases import Cases, MeasuredCase, evaluate
from .measured import Measurement, Skipped, check_type

#: What is left out of a fit together: all rows of an operator, or all rows of a board.
GROUPS = ("operator", "board")
#: Whose times a comparison has: the simulator's, of rates fitted without a group, an earlier model's, a roofline's.
MODELS = ("", *GROUPS, "earlier", "roofline")


@dataclass(frozen=True)
class Prediction:
    """What rates say of a row: microseconds, and their interval, None where the rates say nothing of that."""

    us: float
    interval: Interval | None = None


@dataclass(frozen=True)
class Simulated:
    """A row whose launches have run: their logs can be timed at any rates.

    ``error`` is how far off model and measurement are expected to be, as a share of the time.
    """

    measurement: Measurement
    device: Device
    logs: tuple[Log, ...]
    roofline_us: float
    error: float
    kind: str = ""

    def us(self, rates: Rates) -> float:
        """The simulated time of all launches, by the clock that the measured one was read from."""
        return sum(replay(log, rates).total_us + self._host(rates) for log in self.logs)

    def parts(self, rates: Rates) -> dict[Numbers, float]:
        """The same, taken apart by the numbers that it is computed from (`resting`)."""
        parts = defaultdict[Numbers, float](float)
        for log in self.logs:
            for numbers, us in resting(replay(log, rates)).items():
                parts[numbers] += us
            parts["launch.host_us",] += self._host(rates)
        return dict(parts)

    def prediction(self, rates: Rates) -> Prediction:
        """The same with its interval."""
        parts = self.parts(rates)
        return Prediction(sum(parts.values()), interval_of(parts, rates.facts))

    def _host(self, rates: Rates) -> float:
        return rates.launch_host_us if self.measurement.clock == "host" else 0.0


@dataclass(frozen=True)
class Comparison:
    """A measured time, what the simulator says, and what a plain roofline says (microseconds).

    ``left_out``: what rates say that were fitted without its operator, and without its board (`GROUPS`).
    """

    measurement: Measurement
    predicted: Prediction
    roofline_us: float
    kind: str = ""
    family: str = ""
    left_out: Mapping[str, Prediction] = field(default_factory=dict)

    @property
    def predicted_us(self) -> float:
        """The simulated time."""
        return self.predicted.us

    @property
    def error(self) -> float:
        """In percent of the measured time; negative where the simulator is too quick."""
        return percent_error(self.predicted_us, self.measurement.us)

    def said(self, model: str) -> float:
        """The time by the simulator ("") or by another of `MODELS`; no number where that says nothing."""
        if model in GROUPS:
            return self.left_out[model].us if model in self.left_out else math.nan
        return {"": self.predicted_us, "earlier": self.measurement.earlier_us, "roofline": self.roofline_us}[model]

    def interval(self, model: str) -> Interval | None:
        """That of the time by the simulator ("") or by one of `GROUPS`; None where there is none."""
        found = self.predicted if not model else self.left_out.get(model)
        return found.interval if found else None

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data; errors in percent."""
        row = self.measurement
        return {
            "operator": row.operator, "kind": self.kind, "platform": row.platform, "dtype": row.dtype,
            "shape_or_case": row.shape, "clock": row.clock, "measured_us": row.us, "predicted_us": self.predicted_us,
            "error": self.error, "roofline_us": _known(self.roofline_us),
            "roofline_error": _known(percent_error(self.roofline_us, row.us)), "earlier_us": _known(row.earlier_us),
            "left_out_us": {group: found.us for group, found in self.left_out.items()},
            "intervals_us": {
                model or "simulated": [found.low, found.high]
                for model in ("", *GROUPS) if (found := self.interval(model)) is not None
            },
        }  # fmt: skip


@dataclass(frozen=True)
class Correlation:
    """All rows of a table: those that could be compared, and the others."""

    cases: tuple[Comparison, ...]
    skipped: tuple[Skipped, ...]

    @property
    def kinds(self) -> list[str]:
        """The kinds of its cases."""
        return [*dict.fromkeys(case.kind for case in self.cases if case.kind)]

    def figures(self, model: str = "", kind: str = "") -> dict[str, float]:
        """Of the sizes of a model's errors, in percent: mean, median, largest, and the share within 25 %; {} of none.

        "covered" is the share of the measured times that lie in the intervals, if there are any. ``model`` is "" for
        the simulator or one of `MODELS`, ``kind`` "" for all cases.
        """
        cases = [case for case in self.cases if kind in ("", case.kind)]
        said = ((case.said(model), case.measurement.us) for case in cases)
        errors = [abs(percent_error(us, measured)) for us, measured in said if not math.isnan(us)]
        if not errors:
            return {}
        held = [case.measurement.us in found for case in cases if (found := case.interval(model)) is not None]
        return {
            "cases": len(errors), "mean": sum(errors) / len(errors), "median": float(np.median(errors)),
            "max": max(errors), "within_25": 100.0 * sum(error <= 25 for error in errors) / len(errors),
            **({"covered": 100.0 * sum(held) / len(held)} if held else {}),
        }  # fmt: skip

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
        return {
            "figures": {
                kind or "all": {model or "simulated": found for model in MODELS if (found := self.figures(model, kind))}
                for kind in ("", *self.kinds)
            },
            "correlation": _known(self.correlation),
            "cases": [case.to_dict() for case in self.cases],
            "skipped": [
                {
                    "operator": skipped.measurement.operator, "platform": skipped.measurement.platform,
                    "dtype": skipped.measurement.dtype, "shape_or_case": skipped.measurement.shape,
                    "measured_us": _known(skipped.measurement.us),
                    "reason": skipped.reason,
                }
                for skipped in self.skipped
            ],
        }  # fmt: skip


def _known(number: float) -> float | None:
    """As JSON has it: None for what is no number."""
    return None if math.isnan(number) else number


def percent_error(predicted: float, measured: float) -> float:
    """How much a predicted time is above the measured one, in percent of that."""
    return 100.0 * (predicted / measured - 1.0)


def compare(found: Sequence[Simulated], skipped: Sequence[Skipped]) -> Correlation:
    """Simulated rows beside their measured times, at the rates of their devices."""
    return Correlation(tuple(map(comparison, found)), tuple(skipped))


def comparison(row: Simulated) -> Comparison:
    """A simulated row beside its measured time, at the rates of its device."""
    return Comparison(row.measurement, row.prediction(row.device.rates), row.roofline_us, row.kind)


def simulate(rows: Iterable[Measurement], cases: Cases) -> tuple[list[Simulated], list[Skipped]]:
    """Run the kernel of every row; rows without one, without a device, or whose kernel fails are skipped."""
    found: list[Simulated] = []
    skipped: list[Skipped] = []
    built: dict[tuple[Path, str], tuple[Device, Program]] = {}
    devices: dict[str, Device] = {}
    for row in rows:
        case = cases.of(row)
        try:
            if case is None:
                raise ValueError("no kernel stands for its operator and dtype")
            if row.platform not in devices:
                devices[row.platform] = row.device()
            found.append(_simulated(row, case, devices[row.platform], built))
        except (ValueError, TypeError, MlusimError, MemoryError) as error:
            text = str(error).partition("\n")[0]
            skipped.append(Skipped(row, text or type(error).__name__))
    return found, skipped


def _simulated(
    row: Measurement, case: MeasuredCase, device: Device, built: dict[tuple[Path, str], tuple[Device, Program]]
) -> Simulated:
    check_type(row)
    if math.isnan(row.us):
        raise ValueError("it has no measured time (hw_time_us)")
    known = case.numbers(row)
    logs = [*_launched(row, case, built), *case.launches(row)]
    for log in logs:
        if log.shape != device.shape:
            raise ValueError(f"its log is of {log.device}, whose shape is another one")
        if missing := replay(log, device.rates).not_modelled:
            raise ValueError(f"the device file gives no cost of {', '.join(missing)}")
    logs = [replace(log, device=device.name) for log in logs]
    roofline = math.nan
    if case.operations:
        roofline = roofline_us(device, logs, evaluate(case.operations, known), evaluate(case.bytes, known))
    return Simulated(row, device, tuple(logs), roofline, case.error, case.kind)


def _launched(
    row: Measurement, case: MeasuredCase, built: dict[tuple[Path, str], tuple[Device, Program]]
) -> Iterator[Log]:
    """The launch of the kernel that stands for a row, if there is one."""
    if not case.source:
        return
    key = case.folder / case.source, row.platform
    if key not in built:
        device = row.device()
        built[key] = device, load([key[0]], device=device)
    yield built[key][1].launch(case.kernel or row.operator, row.dim, row.type, case.arguments(row)).log


def roofline_us(device: Device, logs: Sequence[Log], operations: int, moved: int) -> float:
    """The time that the whole device needs at least: for the operations at its peak, or for the bytes at its peak.

    The peak is that of the best engine that multiplies and adds among those that the logs use, or of all lanes; 2
    operations each.
    """
    rates, cycles = device.rates, device.rates.clock_mhz * device.shape.cores
    used = {op.engine for log in logs for op in log.ops}
    lanes = MULTIPLY_ADD * (device.shape.lanes or 0) * (device.shape.eu_bytes or 0) / FLOAT
    peak = rates.operations_per_cycle(used, lanes) * cycles
    bandwidth = (rates.device_gb_per_s or math.inf) * 1e3
    return max(operations / peak, moved / bandwidth)
