"""Finds the few free rates of a family of devices that bring simulated times next to measured ones.

A parameter is one number of the device files, equal on all devices of a family: a slope or an overhead. There is no
factor for a case. Logarithms of times are fitted by SciPy's least squares; every parameter is held weakly to where it
begins, so that one that no row says anything about stays there, and strictly within its bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...chip.device_file import Quantity, check_value
from ...chip.rates import Rates, build_rates
from ...log import Log
from .correlation import Comparison, Correlation, Simulated
from .measured import Free, Skipped

#: A residual of so much (of a logarithm) weighs as much as a parameter that has moved by a factor of e.
_ERROR, _STEP = 0.03, 0.02
#: A fit ends when a round lowers the cost by a smaller share, or after so many rounds.
_TOLERANCE, _ROUNDS = 1e-4, 30
#: Where a number begins that the device file does not have, by the last part of its name.
_BEGIN = {"efficiency": 0.9, "task_us": 0.1, "part_cycles": 64.0}
#: What a number can physically be; a bandwidth at most what the device file says.
_BOUNDS = {
    "efficiency": (0.05, 1.0), "startup_cycles": (1e-3, 1e5), "part_cycles": (1e-3, 1e5), "latency_ns": (1.0, 1e4),
    "overhead_us": (1e-2, 1e3), "task_us": (1e-3, 1e2), "per_cycle": (1e-4, 1e5), "core_mhz": (10.0, 1e4),
}  # fmt: skip


@dataclass(frozen=True)
class FittedNumber:
    """A free number of a family: where it began, where it ended, between which bounds; ``paths`` are its places."""

    family: str
    paths: tuple[str, ...]
    before: float
    after: float
    low: float
    high: float

    @property
    def path(self) -> str:
        """Its name: the first place."""
        return self.paths[0]


@dataclass(frozen=True)
class Fit:
    """What a calibration found."""

    parameters: tuple[FittedNumber, ...]
    before: Correlation
    after: Correlation  # its cases say what rates that were fitted without them predict

    def facts(self, family: str, table: str) -> dict[str, Quantity]:
        """The fitted numbers of a family as a device file holds them."""
        errors = [abs(case.error) for case in self.after.cases if case.family == family]
        said = f"{table}: {len(errors)} rows of this family, mean error {sum(errors) / len(errors):.2g} %"
        return {
            path: Quantity(value=float(f"{p.after:.4g}"), kind="fitted", source=said)
            for p in self.parameters
            if p.family == family
            for path in p.paths
        }

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain data."""
        return {
            "parameters": [
                {"family": p.family, "name": p.path, "also": p.paths[1:], "before": p.before, "after": p.after,
                 "low": p.low, "high": p.high}
                for p in self.parameters
            ],
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "left_out_mape": self.after.left_out_mape,
        }  # fmt: skip


@dataclass(frozen=True)
class _Row:
    """A row of the table with the parameters that its log can notice, and the times found so far."""

    row: Simulated
    family: str
    hears: tuple[int, ...]
    known: dict[tuple[float, ...], float]

    def us(self, free: Sequence[Free], values: np.ndarray) -> float:
        """Its time at some values of the free numbers."""
        key = tuple(float(values[i]) for i in self.hears)
        if key not in self.known:
            pairs = zip((free[i] for i in self.hears), key, strict=True)
            changes = {path: value for number, value in pairs for path in number.numbers}
            self.known[key] = self.row.us(changed_rates(self.row.device.rates, changes))
        return self.known[key]


def calibrate(
    found: Sequence[Simulated],
    skipped: Sequence[Skipped],
    families: Mapping[str, str],
    free: Sequence[Free],
    progress: Callable[[str], None] = lambda what: None,
) -> Fit:
    """Fit the ``free`` numbers of each family to the rows of its devices.

    ``families`` maps names of devices to families. ValueError when a family has fewer rows than free numbers, when
    there is nothing to fit, and for a number that no device file can have.
    """
    parameters: list[FittedNumber] = []
    after: dict[int, tuple[float, float]] = {}
    for family in dict.fromkeys(families.values()):
        rows = [row for row in found if families[row.device.name] == family]
        own = [number for number in free if number.family == family]
        if not own or not rows:
            continue
        if len(rows) < len(own):
            raise ValueError(
                f"{family} has {len(rows)} rows that can be simulated for {len(own)} free numbers "
                f"({', '.join(number.number for number in own)}); measure more cases, or free fewer numbers"
            )
        progress(family)
        fitted = _Family(family, own, rows)
        parameters += fitted.fit()
        for row, times in zip(rows, fitted.predictions(), strict=True):
            after[id(row)] = times
    if not parameters:
        raise ValueError("no row of the table has a device of which a number is free; name some with --fit")
    before = [Comparison(r.measurement, r.us(r.device.rates), r.roofline_us, families[r.device.name]) for r in found]
    cases = [
        replace(old, predicted_us=after[id(row)][0], left_out_us=after[id(row)][1]) if id(row) in after else old
        for row, old in zip(found, before, strict=True)
    ]
    return Fit(tuple(parameters), Correlation(tuple(before), tuple(skipped)), Correlation(tuple(cases), tuple(skipped)))


class _Family:
    """The fit of one family."""

    def __init__(self, name: str, free: Sequence[Free], rows: Sequence[Simulated]) -> None:
        self.name, self.free = name, free
        self.rows = [
            _Row(
                row, name,
                tuple(
                    i for i, number in enumerate(free)
                    if any(_hears(row.log, row.device.rates, path) for path in number.numbers)
                ), {},
            )
            for row in rows
        ]  # fmt: skip
        self.measured = np.log([row.measurement.us for row in rows])
        low, high = zip(*(_bounds(number.number, rows[0].device.rates) for number in free), strict=True)
        begin = [number.begin for number in free]
        self.begin, self.low, self.high = (np.log(column) for column in (begin, low, high))
        self.begin = np.clip(self.begin, self.low, self.high)
        self.found = self.begin

    def fit(self) -> list[FittedNumber]:
        """The parameters, fitted to all rows."""
        self.found = self._least(np.arange(len(self.rows)))
        columns = (np.exp(column).tolist() for column in (self.begin, self.found, self.low, self.high))
        return [
            FittedNumber(self.name, number.numbers, *rest) for number, *rest in zip(self.free, *columns, strict=True)
        ]

    def predictions(self) -> list[tuple[float, float]]:
        """Of every row its time by the fit, and by a fit that has never seen it."""
        everything, pairs = np.arange(len(self.rows)), []
        for number, row in enumerate(self.rows):
            without = self._least(np.delete(everything, number))
            pairs.append((row.us(self.free, np.exp(self.found)), row.us(self.free, np.exp(without))))
        return pairs

    def _times(self, at: np.ndarray, used: np.ndarray) -> np.ndarray:
        """The logarithm of the time of every row ``used`` (their numbers) at some values."""
        return np.log([self.rows[number].us(self.free, np.exp(at)) for number in used])

    def _least(self, used: np.ndarray) -> np.ndarray:
        """Where the misses of the rows ``used`` are least, from where the numbers begin."""
        found = _least_squares()(
            lambda at: np.concatenate([(self._times(at, used) - self.measured[used]) / _ERROR, at - self.begin]),
            self.begin,
            lambda at: np.concatenate([self._slopes(at, used) / _ERROR, np.eye(len(at))]),
            bounds=(self.low, self.high),
            ftol=_TOLERANCE,
            max_nfev=_ROUNDS,
        )
        return np.asarray(found.x)

    def _slopes(self, at: np.ndarray, used: np.ndarray) -> np.ndarray:
        """The derivative of every row's logarithm by every parameter's, [rows, parameters].

        Between two steps to either side: closer by, a time jumps where the order of transfers changes.
        """
        steps = np.eye(len(at)) * _STEP
        pairs = zip(np.maximum(at - steps, self.low), np.minimum(at + steps, self.high), strict=True)
        return np.stack(
            [(self._times(above, used) - self._times(below, used)) / (above - below).sum() for below, above in pairs], 1
        )


def _least_squares() -> Callable[..., Any]:
    """SciPy's solver; ValueError that says how to get it."""
    try:
        from scipy.optimize import least_squares
    except ImportError:
        raise ValueError("fitting rates needs SciPy: pip install 'mlusim[fit]'") from None
    return least_squares  # type: ignore[no-any-return]


def changed_rates(rates: Rates, values: Mapping[str, float]) -> Rates:
    """Rates with some numbers set, also such as the device file leaves out; they count as fitted."""
    facts = dict(rates.facts)
    for path, value in values.items():
        check_value(path, value)
        facts[path] = Quantity(value=value, kind="fitted", source="a fit")
    wiring = {name: (channel.scope, channel.spaces) for name, channel in rates.channels.items()}
    return build_rates(facts, wiring)


def begins(path: str, rates: Rates) -> float:
    """Where a number begins that a user frees: at its value; ValueError for one that no device file has."""
    part, _, field = path.rpartition(".")
    siblings = [name for name in rates.facts if name.startswith(f"{part}.")]
    if path not in rates.facts and (field not in _BEGIN or not siblings):
        raise ValueError(f"there is no number {path!r} to fit; `mlusim devices NAME` lists those of a device")
    begin = float(rates.facts[path].value) if path in rates.facts else _BEGIN[field]
    low, high = _bounds(path, rates)
    return min(max(begin, low), high)


def _bounds(path: str, rates: Rates) -> tuple[float, float]:
    """What a number can physically be; ValueError where none can be fitted."""
    field = path.rpartition(".")[2]
    if field.endswith("gb_per_s") and path in rates.facts:
        most = float(rates.facts[path].value)
        return most * 1e-3, most
    if field not in _BOUNDS:
        raise ValueError(f"{path} is no rate that can be fitted")
    return _BOUNDS[field]


def _hears(log: Log, rates: Rates, path: str) -> bool:
    """Whether a log can notice a number: it uses that engine or channel, or has several tasks."""
    kind, name, *field = path.split(".")
    if field == ["part_cycles"]:
        of = np.array([op.engine == name for op in log.ops], bool)[log.records["op"]]
        scalar = name in {op.engine for op in log.ops if op.granule > 1}
        return scalar or bool(log.records["gaps"][of].any())
    if kind == "engines":
        return name in {op.engine for op in log.ops} or name == "scalar" or name == "tensor"
    if kind == "channels":
        spaces = np.array([space in rates.channels[name].spaces for space in log.shape.spaces])
        return bool(spaces[log.operand_spaces].any())
    return path != "launch.task_us" or len(np.unique(log.records["task"])) > 1
