"""The fit of one family of devices: where the sum of squares is least, and what of it is sure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...chip.device_file import Quantity
from ...timing import INVERSE, MODEL_ERROR
from .cases import Free
from .correlation import GROUPS, Prediction, Simulated
from .numbers import bounds, changed_rates, depends_on

#: A fit ends when a round lowers the cost by a smaller share, or after so many rounds.
_TOLERANCE, _ROUNDS = 1e-4, 30
#: A number is known by the rows if they make it so much less uncertain than it was.
_LEARNT = 0.8
#: The rows rule a value out, at two standard deviations, if it makes the sum of their squares so much larger.
_RULED_OUT = 4.0
#: What is expected of the model though its numbers are right, before any row: the factor of one standard deviation.
#: It counts as much as a row.
EXPECTED_ERROR = 1.1


@dataclass(frozen=True)
class TimedRow:
    """A row of the table with the free numbers that its time can depend on, and the times found so far."""

    row: Simulated
    depends_on: tuple[int, ...]
    known: dict[tuple[float, ...], float]

    def us(self, free: Sequence[Free], values: np.ndarray) -> float:
        """Its time at some values of the free numbers."""
        key = tuple(float(values[i]) for i in self.depends_on)
        if key not in self.known:
            pairs = zip((free[i] for i in self.depends_on), key, strict=True)
            changes = {path: value for number, value in pairs for path in number.numbers}
            self.known[key] = self.row.us(changed_rates(self.row.device.rates, changes))
        return self.known[key]

    def slopes(self, free: Sequence[Free], values: np.ndarray) -> np.ndarray:
        """The derivative of its time's logarithm by those of the free numbers, as long as its critical path stays."""
        places = {path: i for i in self.depends_on for path in free[i].numbers}
        parts = self.row.parts(
            changed_rates(self.row.device.rates, {path: float(values[i]) for path, i in places.items()})
        )
        slopes, total = np.zeros(len(free)), sum(parts.values())
        for numbers, us in parts.items():
            for name in numbers:
                if name in places:
                    slopes[places[name]] += (-us if name.rpartition(".")[2] in INVERSE else us) / total
        return slopes

    def prediction(self, free: Sequence[Free], by: Estimate) -> Prediction:
        """Its time and the interval of that by a fit."""
        changes = {
            path: Quantity(value, "fitted", "a fit", loadings=tuple(loadings))
            for number, value, loadings in zip(free, np.exp(by.at).tolist(), by.loadings.tolist(), strict=True)
            for path in number.numbers
        }
        if by.model_error:
            changes[MODEL_ERROR] = Quantity(by.model_error, "fitted", "a fit")
        return self.row.prediction(changed_rates(self.row.device.rates, changes))

    def group(self, kind: str) -> str:
        """What is left out together with it."""
        return self.row.measurement.operator if kind == GROUPS[0] else self.row.device.name


@dataclass(frozen=True)
class Estimate:
    """Where a fit ended: logarithms of the values, and which of them the rows tell.

    ``loadings`` [numbers, numbers] is the root of the covariance of the logarithms, lower triangular; ``model_error``
    what the model gets wrong besides, 0 where the rows do not say. Both are as wide as fits without each operator in
    turn ask for.
    """

    at: np.ndarray
    loadings: np.ndarray
    told: np.ndarray
    model_error: float

    @property
    def deviation(self) -> np.ndarray:
        """The standard error of every logarithm."""
        return np.asarray(np.sqrt((self.loadings**2).sum(1)))


class FamilyFit:
    """The fit of one family; ``generic`` rows say what the model gets wrong with rows like them."""

    def __init__(self, free: Sequence[Free], rows: Sequence[Simulated], *, generic: bool) -> None:
        self.free, self.generic = free, generic
        self.rows = [
            TimedRow(
                row,
                tuple(
                    i for i, number in enumerate(free)
                    if any(depends_on(log, row.device.rates, path) for log in row.logs for path in number.numbers)
                    or (number.number == "launch.host_us" and row.measurement.clock == "host")
                ), {},
            )
            for row in rows
        ]  # fmt: skip
        self.measured = np.log([row.measurement.us for row in rows])
        self.errors = np.array([row.error for row in rows])
        low, high = zip(*(bounds(number.number, rows[0].device.rates) for number in free), strict=True)
        self.low, self.high = np.log(low), np.log(high)
        self.centre = np.clip(np.log([number.centre for number in free]), self.low, self.high)
        self.spread = np.log([number.spread for number in free])
        everything = np.arange(len(rows))
        rough = self._least(self.centre, everything, np.ones(len(free), bool))
        self.slopes = self._slopes_at(rough)
        self.found = self._fitted(everything, rough)

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

    def _fitted(self, used: np.ndarray, begin: np.ndarray) -> Estimate:
        """What some rows say of the numbers."""
        at = self._least(begin, used, np.ones(len(self.free), bool), self.slopes[used])
        covariance = self._covariance(used)
        told = np.sqrt(np.diag(covariance)) < _LEARNT * self.spread
        back = ~told
        for number in np.flatnonzero(back).tolist():
            back[number] = not self._ruled_out(at, number, used)
        if back.any():  # what the rows do not tell goes back, and the others are fitted once more
            at = self._least(np.where(back, self.centre, at), used, told, self.slopes[used])
        misses = self.measured[used] - self._times(at, used)
        free = max(0.0, len(used) - float(np.sum(1 - np.diag(covariance) / self.spread**2)))  # rows beyond the numbers
        more = max(1.0, np.sqrt((1 + np.sum((misses / self.errors[used]) ** 2)) / (1 + free)))
        root = np.linalg.cholesky(covariance) * more
        root *= np.minimum(1.0, self.spread / np.sqrt((root**2).sum(1)))[:, None]
        if not self.generic:
            return Estimate(at, root, told, 0.0)
        error = float(np.sqrt((np.log(EXPECTED_ERROR) ** 2 + np.sum(misses**2)) / (1 + free)))
        scale = self._scale(at, used, misses, float(more), error)
        return Estimate(at, root * scale, told, float(np.exp(error * scale)))

    def _ruled_out(self, at: np.ndarray, number: int, used: np.ndarray) -> bool:
        """Whether the rows tell at least that a number is not its centre."""
        there = at.copy()
        there[number] = self.centre[number]
        before, after = (
            float(np.sum(((self._times(point, used) - self.measured[used]) / self.errors[used]) ** 2))
            for point in (at, there)
        )
        return after > before + _RULED_OUT

    def _covariance(self, used: np.ndarray) -> np.ndarray:
        """Of the logarithms of all numbers, by some rows and by what is known besides, [numbers, numbers]."""
        slopes = self.slopes[used] / self.errors[used, None]
        return np.linalg.inv(slopes.T @ slopes + np.diag(self.spread**-2))

    def _scale(self, at: np.ndarray, used: np.ndarray, misses: np.ndarray, more: float, error: float) -> float:
        """By how many of their standard deviations fits without an operator miss its rows: root of the mean square.

        The standard deviation is that of the numbers' uncertainty, ``more`` times their covariance's, and of the
        model's ``error``. An operator counts once, whatever the number of its rows, and one more that is missed by just
        one standard deviation. ``misses`` are the logarithms of measured / simulated at the fit ``at``. Fits without an
        operator go by derivatives.
        """
        groups, squares = np.array([self.rows[number].group(GROUPS[0]) for number in used]), [1.0]
        for group in dict.fromkeys(groups.tolist()):
            rest, own = groups != group, self.slopes[used[groups == group]]
            covariance = self._covariance(used[rest])
            weighed = self.slopes[used[rest]] / self.errors[used[rest], None] ** 2
            moved = covariance @ (weighed.T @ misses[rest] + (self.centre - at) / self.spread**2)
            variance = more**2 * np.einsum("ri,ij,rj->r", own, covariance, own) + error**2
            squares.append(float(np.mean((misses[~rest] - own @ moved) ** 2 / variance)))
        return float(np.sqrt(np.mean(squares)))

    def _times(self, at: np.ndarray, used: np.ndarray) -> np.ndarray:
        """The logarithm of the time of every row ``used`` (their numbers) at some values."""
        return np.log([self.rows[number].us(self.free, np.exp(at)) for number in used])

    def _least(
        self, begin: np.ndarray, used: np.ndarray, open: np.ndarray, slopes: np.ndarray | None = None
    ) -> np.ndarray:
        """Where the sum of squares over the rows ``used`` is least, the numbers that are not ``open`` held.

        With ``slopes``, [rows, numbers], these are taken for the derivatives wherever it looks.
        """
        if not open.any() or not len(used):
            return np.where(open, self.centre, begin)

        def whole(part: np.ndarray) -> np.ndarray:
            at = begin.copy()
            at[open] = part
            return at

        def missed(part: np.ndarray) -> np.ndarray:
            """By how many of its errors every row is missed, and every number has moved."""
            at = whole(part)
            misses = (self._times(at, used) - self.measured[used]) / self.errors[used]
            return np.concatenate([misses, ((at - self.centre) / self.spread)[open]])

        def derivatives(part: np.ndarray) -> np.ndarray:
            by = self._slopes_at(whole(part))[used] if slopes is None else slopes
            return np.concatenate([by[:, open] / self.errors[used, None], np.diag(1 / self.spread[open])])

        found = _least_squares()(
            missed, begin[open], derivatives, bounds=(self.low[open], self.high[open]), ftol=_TOLERANCE,
            max_nfev=_ROUNDS,
        )  # fmt: skip
        return whole(np.asarray(found.x))

    def _slopes_at(self, at: np.ndarray) -> np.ndarray:
        """The derivative of every row's logarithm by that of every number, [rows, numbers]."""
        return np.stack([row.slopes(self.free, np.exp(at)) for row in self.rows])


def can_fit() -> bool:
    """Whether SciPy is there, which fits need."""
    try:
        _least_squares()
    except ValueError:
        return False
    return True


def _least_squares() -> Callable[..., Any]:
    """SciPy's solver; ValueError that says how to get it."""
    try:
        from scipy.optimize import least_squares
    except ImportError:
        raise ValueError("fitting rates needs SciPy: pip install scipy") from None
    return least_squares  # type: ignore[no-any-return]
