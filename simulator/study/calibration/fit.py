"""Finds the few free rates of a family of devices that bring simulated times next to measured ones.

A parameter is one number of the device files, equal on all devices of a family; there is no factor for a case. What is
known of it before any row is a centre and a spread, and rows and these take part in one sum of squares, of logarithms:

    sum over rows of ((log simulated - log measured) / error)^2
    + sum over numbers of ((log value - log centre) / log spread)^2

SciPy's least squares find where that is least, within what is physically possible. The covariance there is the inverse
of J^T J, J being the derivatives of all its terms; the standard error of a number is the root of its place on the
diagonal, and larger by as much as the rows miss more than their errors say. A number that rows leave nearly as
uncertain as it was is put back to its centre, and the others are fitted once more. A fit without some of the rows is
made the same way, with the derivatives at the fit to all rows.

What the model gets wrong though its numbers are right is taken for `_MODEL_ERROR`, and for more by as much as the rows
of the fit miss more than their errors say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...chip.device_file import Quantity, check_value
from ...chip.rates import Rates, build_rates
from ...log import Log
from ...timing import INVERSE, MODEL_ERROR
from .cases import Free
from .correlation import GROUPS, Correlation, Prediction, Simulated, comparison
from .measured import Skipped

#: A fit ends when a round lowers the cost by a smaller share, or after so many rounds.
_TOLERANCE, _ROUNDS = 1e-4, 30
#: A number is known by the rows if they make it so much less uncertain than it was.
_LEARNT = 0.8
#: What is expected of the model though its numbers are right, before any row: the factor of one standard deviation.
_MODEL_ERROR = 1.1
#: Where a number is that the device file does not have, by the last part of its name.
_CENTRES = {"efficiency": 0.9, "task_us": 0.1, "host_us": 10.0, "part_cycles": 64.0, "dependent_cycles": 16.0}
#: What a number can physically be; a bandwidth at most what the device file says of the channel.
_BOUNDS = {
    "efficiency": (0.05, 1.0), "startup_cycles": (1e-3, 1e5), "part_cycles": (1e-3, 1e5), "latency_ns": (1.0, 1e4),
    "write_latency_ns": (1e-2, 1e4), "dependent_cycles": (1e-2, 1e4), "overhead_us": (1e-2, 1e3),
    "host_us": (1e-2, 1e3), "task_us": (1e-3, 1e2), "per_cycle": (1e-4, 1e5), "core_mhz": (10.0, 1e4),
}  # fmt: skip


@dataclass(frozen=True)
class FittedNumber:
    """A free number of a family, and what a fit says of it; ``paths`` are its places in device files.

    ``error`` and ``spread`` are factors: the value lies within one of ``after`` with the odds of a standard deviation,
    as it lay within the other of ``centre`` before. ``fitted`` is False where the rows say nothing of it.
    """

    family: str
    paths: tuple[str, ...]
    centre: float
    spread: float
    why: str
    after: float
    error: float
    fitted: bool

    @property
    def path(self) -> str:
        """Its name: the first place."""
        return self.paths[0]


@dataclass(frozen=True)
class Fit:
    """What a calibration found."""

    parameters: tuple[FittedNumber, ...]
    model_errors: Mapping[str, float]  # family -> `model.error` of its device files
    before: Correlation
    after: Correlation  # its cases say what rates that were fitted without their operator, or board, predict

    def facts(self, family: str, table: str) -> dict[str, Quantity]:
        """The free numbers of a family as a device file holds them."""
        of = f"{table}, {sum(case.family == family for case in self.after.cases)} rows of this family"
        facts = {
            path: Quantity(
                float(f"{p.after:.4g}"), "fitted" if p.fitted else "assumed", source, float(f"{p.error:.3g}")
            )
            for p in self.parameters
            if p.family == family
            for source in [f"{of}: standard error {percent(p.error)}" if p.fitted else p.why or "named by the user"]
            for path in p.paths
        }
        if (error := self.model_errors.get(family)) is not None:
            source = f"{of}: {percent(_MODEL_ERROR)} expected, more where the fit misses them by more"
            facts[MODEL_ERROR] = Quantity(float(f"{error:.4g}"), "fitted", source)
        return facts

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain data."""
        return {
            "parameters": [
                {"family": p.family, "name": p.path, "also": p.paths[1:], "centre": p.centre, "spread": p.spread,
                 "after": p.after, "error": p.error, "fitted": p.fitted}
                for p in self.parameters
            ],
            "model_errors": {**self.model_errors},
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
        }  # fmt: skip


def percent(factor: float) -> str:
    """A factor by which a number may be off, as text."""
    return f"{100 * (factor - 1):.2g} %"


@dataclass(frozen=True)
class _Row:
    """A row of the table with the parameters that its logs can notice, and the times found so far."""

    row: Simulated
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

    def slopes(self, free: Sequence[Free], values: np.ndarray) -> np.ndarray:
        """The derivative of its time's logarithm by those of the free numbers, as long as its critical path stays."""
        places = {path: i for i in self.hears for path in free[i].numbers}
        changes = {path: float(values[i]) for path, i in places.items()}
        parts = self.row.parts(changed_rates(self.row.device.rates, changes))
        slopes, total = np.zeros(len(free)), sum(parts.values())
        for numbers, us in parts.items():
            for name in numbers:
                if name in places:
                    slopes[places[name]] += (-us if name.rpartition(".")[2] in INVERSE else us) / total
        return slopes

    def prediction(self, free: Sequence[Free], by: _Found) -> Prediction:
        """Its time and the interval of that by a fit."""
        known = zip(free, np.exp(by.at).tolist(), np.exp(by.deviation).tolist(), strict=True)
        changes = {
            path: Quantity(value, "fitted", "a fit", spread)
            for number, value, spread in known
            for path in number.numbers
        } | {MODEL_ERROR: Quantity(by.model_error, "fitted", "a fit")}
        return self.row.prediction(changed_rates(self.row.device.rates, changes))

    def group(self, kind: str) -> str:
        """What is left out together with it."""
        return self.row.measurement.operator if kind == GROUPS[0] else self.row.device.name


def calibrate(
    found: Sequence[Simulated],
    skipped: Sequence[Skipped],
    families: Mapping[str, str],
    free: Sequence[Free],
    *,
    left_out: bool = True,
) -> Fit:
    """Fit the ``free`` numbers of each family to the rows of its devices, and once more without each of `GROUPS`.

    ``families`` maps names of devices to families; ``left_out`` is False where fits without rows say nothing. ValueError when there is nothing to fit, and for a number that no
    device file can have.
    """
    parameters: list[FittedNumber] = []
    model_errors: dict[str, float] = {}
    after: dict[int, tuple[Prediction, dict[str, Prediction]]] = {}
    for family in dict.fromkeys(families.values()):
        rows = [row for row in found if families[row.device.name] == family]
        own = [number for number in free if number.family == family]
        if not own or not rows:
            continue
        fitted = _Family(own, rows)
        parameters += fitted.parameters()
        model_errors[family] = fitted.found.model_error
        for row, times in zip(rows, fitted.predictions(left_out=left_out), strict=True):
            after[id(row)] = times
    if not parameters:
        raise ValueError("no row of the table has a device of which a number is free; name some with --fit")
    before = [replace(comparison(row), family=families[row.device.name]) for row in found]
    cases = [
        replace(old, predicted=after[id(row)][0], left_out=after[id(row)][1]) if id(row) in after else old
        for row, old in zip(found, before, strict=True)
    ]
    both = (Correlation(tuple(cases), tuple(skipped)) for cases in (before, cases))
    return Fit(tuple(parameters), model_errors, *both)


@dataclass(frozen=True)
class _Found:
    """Where a fit ended: logarithms of the values and of their standard errors, which of them the rows tell, and what
    the model gets wrong besides.
    """

    at: np.ndarray
    deviation: np.ndarray
    told: np.ndarray
    model_error: float


class _Family:
    """The fit of one family."""

    def __init__(self, free: Sequence[Free], rows: Sequence[Simulated]) -> None:
        self.free = free
        self.rows = [
            _Row(
                row,
                tuple(
                    i for i, number in enumerate(free)
                    if any(_hears(log, row.device.rates, path) for log in row.logs for path in number.numbers)
                    or (number.number == "launch.host_us" and row.measurement.clock == "host")
                ), {},
            )
            for row in rows
        ]  # fmt: skip
        self.measured = np.log([row.measurement.us for row in rows])
        self.errors = np.array([row.error for row in rows])
        low, high = zip(*(_bounds(number.number, rows[0].device.rates) for number in free), strict=True)
        self.low, self.high = np.log(low), np.log(high)
        self.centre = np.clip(np.log([number.centre for number in free]), self.low, self.high)
        self.spread = np.log([number.spread for number in free])
        everything = np.arange(len(rows))
        rough = self._least(self.centre, everything, np.ones(len(free), bool))
        self.slopes = self._slopes_at(rough)
        self.found = self._fitted(everything, rough)

    def parameters(self) -> list[FittedNumber]:
        """The free numbers, fitted to all rows."""
        numbers = zip(self.free, self.centre, self.found.at, self.found.deviation, self.found.told, strict=True)
        return [
            FittedNumber(
                number.family, number.numbers, math.exp(centre), number.spread, number.why, math.exp(found),
                math.exp(deviation), bool(learnt),
            )
            for number, centre, found, deviation, learnt in numbers
        ]  # fmt: skip

    def predictions(self, *, left_out: bool) -> list[tuple[Prediction, dict[str, Prediction]]]:
        """Of every row its time by the fit, and by fits that have seen no row of its operator, or of its board."""
        others: list[dict[str, Prediction]] = [{} for _ in self.rows]
        for kind in GROUPS if left_out else ():
            groups = np.array([row.group(kind) for row in self.rows])
            for group in dict.fromkeys(groups.tolist()):
                found = self._fitted(np.flatnonzero(groups != group), self.found.at)
                for number in np.flatnonzero(groups == group).tolist():
                    others[number][kind] = self.rows[number].prediction(self.free, found)
        return [(row.prediction(self.free, self.found), other) for row, other in zip(self.rows, others, strict=True)]

    def _fitted(self, used: np.ndarray, begin: np.ndarray) -> _Found:
        """What some rows say of the numbers."""
        told = np.ones(len(self.free), bool)
        for _ in range(2):  # what the rows do not tell goes back, and the others are fitted once more
            at = self._least(np.where(told, begin, self.centre), used, told, self.slopes[used])
            deviation, more = self._deviation(at, used, told)
            told = told & (deviation < _LEARNT * self.spread)
        deviation = np.where(told, deviation, self.spread)
        return _Found(np.where(told, at, self.centre), deviation, told, _MODEL_ERROR**more)

    def _times(self, at: np.ndarray, used: np.ndarray) -> np.ndarray:
        """The logarithm of the time of every row ``used`` (their numbers) at some values."""
        return np.log([self.rows[number].us(self.free, np.exp(at)) for number in used])

    def _misses(self, at: np.ndarray, used: np.ndarray) -> np.ndarray:
        """By how many of its errors every row is missed."""
        misses: np.ndarray = (self._times(at, used) - self.measured[used]) / self.errors[used]
        return misses

    def _least(
        self, begin: np.ndarray, used: np.ndarray, open: np.ndarray, slopes: np.ndarray | None = None
    ) -> np.ndarray:
        """Where the sum of squares over the rows ``used`` is least, the numbers that are not ``open`` held.

        With ``slopes``, [rows, numbers], these are taken for the derivatives wherever it looks.
        """
        if not len(used) or not open.any():
            return begin

        def whole(part: np.ndarray) -> np.ndarray:
            at = begin.copy()
            at[open] = part
            return at

        def derivatives(part: np.ndarray) -> np.ndarray:
            return self._derivatives(self._slopes_at(whole(part))[used] if slopes is None else slopes, used, open)

        found = _least_squares()(
            lambda part: np.concatenate([self._misses(whole(part), used), self._moved(whole(part))[open]]),
            begin[open],
            derivatives,
            bounds=(self.low[open], self.high[open]),
            ftol=_TOLERANCE,
            max_nfev=_ROUNDS,
        )
        return whole(np.asarray(found.x))

    def _moved(self, at: np.ndarray) -> np.ndarray:
        """By how many spreads every number has moved from its centre."""
        moved: np.ndarray = (at - self.centre) / self.spread
        return moved

    def _derivatives(self, slopes: np.ndarray, used: np.ndarray, open: np.ndarray) -> np.ndarray:
        """Of all terms of the sum by the ``open`` numbers, [terms, numbers]."""
        return np.concatenate([slopes[:, open] / self.errors[used, None], np.diag(1 / self.spread[open])])

    def _deviation(self, at: np.ndarray, used: np.ndarray, open: np.ndarray) -> tuple[np.ndarray, float]:
        """The standard error of every number that is ``open``, of others their spread; how many times more the rows
        miss than their errors say, at least 1.
        """
        deviation, more = self.spread.copy(), 1.0
        if len(used) and open.any():
            derivatives = self._derivatives(self.slopes[used], used, open)
            deviation[open] = np.sqrt(np.diag(np.linalg.inv(derivatives.T @ derivatives)))
            told = float(np.sum(1 - (deviation[open] / self.spread[open]) ** 2))  # numbers' worth of rows
            if (freedom := len(used) - told) > 0:
                misses = self._misses(at, used)
                more = max(1.0, math.sqrt(float(misses @ misses) / freedom))
                deviation[open] *= more
        return np.minimum(deviation, self.spread), more

    def _slopes_at(self, at: np.ndarray) -> np.ndarray:
        """The derivative of every row's logarithm by that of every number, [rows, numbers]."""
        return np.stack([row.slopes(self.free, np.exp(at)) for row in self.rows])


def _least_squares() -> Callable[..., Any]:
    """SciPy's solver; ValueError that says how to get it."""
    try:
        from scipy.optimize import least_squares
    except ImportError:
        raise ValueError("fitting rates needs SciPy: pip install 'mlusim[fit]'") from None
    return least_squares  # type: ignore[no-any-return]


def changed_rates(rates: Rates, values: Mapping[str, float | Quantity]) -> Rates:
    """Rates with some numbers set, also such as the device file leaves out; they count as fitted."""
    facts = dict(rates.facts)
    for path, value in values.items():
        new = value if isinstance(value, Quantity) else Quantity(value, "fitted", "a fit")
        check_value(path, new.value)
        facts[path] = new
    wiring = {name: (channel.scope, channel.spaces) for name, channel in rates.channels.items()}
    return build_rates(facts, wiring)


def centre_of(path: str, rates: Rates) -> float:
    """The centre of a number that a user frees: its value; ValueError for one that no device file has."""
    part, _, field = path.rpartition(".")
    siblings = [name for name in rates.facts if name.startswith(f"{part}.")]
    if path not in rates.facts and (field not in _CENTRES or not siblings):
        raise ValueError(f"there is no number {path!r} to fit; `mlusim devices NAME` lists those of a device")
    centre = float(rates.facts[path].value) if path in rates.facts else _CENTRES[field]
    low, high = _bounds(path, rates)
    return min(max(centre, low), high)


def _bounds(path: str, rates: Rates) -> tuple[float, float]:
    """What a number can physically be; ValueError where none can be fitted."""
    field = path.rpartition(".")[2]
    if field.endswith("gb_per_s") and path in rates.facts:
        most = float(rates.facts[f"{path.rpartition('.')[0]}.gb_per_s"].value)
        return most * 1e-3, most
    if field not in _BOUNDS:
        raise ValueError(f"{path} is no rate that can be fitted")
    return _BOUNDS[field]


def _hears(log: Log, rates: Rates, path: str) -> bool:
    """Whether a log can notice a number: it uses that engine or channel, or has several tasks."""
    kind, name, *field = path.split(".")
    if path == "launch.host_us":
        return False
    if field == ["part_cycles"]:
        of = np.array([op.engine == name for op in log.ops], bool)[log.records["op"]]
        scalar = name in {op.engine for op in log.ops if op.granule > 1}
        return scalar or bool(log.records["gaps"][of].any())
    if kind == "engines":
        return name in {op.engine for op in log.ops} or name in ("scalar", "tensor", "compute")
    if kind == "channels":
        spaces = np.array([space in rates.channels[name].spaces for space in log.shape.spaces])
        return bool(spaces[log.operand_spaces].any())
    return path != "launch.task_us" or len(np.unique(log.records["task"])) > 1
