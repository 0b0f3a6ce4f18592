"""Recursions over two axes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from .problem import Formula, Problem, function

#: Points of all lattices, at most.
_MOST_POINTS = 1 << 17
#: Of steps that there are none, as kernels write it, too.
_NONE = -np.inf


class _Lattice:
    """Steps down [batch, s, t + 1] and across [batch, s + 1, t] between the points [batch, s + 1, t + 1] of a lattice.

    Steps down go one across, too, if there is one less of them in each row. ``bounds`` are first and last points.
    """

    def __init__(self, names: str, down: np.ndarray, across: np.ndarray, bounds: np.ndarray) -> None:
        self.names, self.down, self.across, self.bounds = names, down, across, bounds
        self.slanted = int(down.shape[2] == across.shape[2])

    def points(self) -> np.ndarray:
        """The logarithms of the sums of all paths to each point; 0 outside of the bounds."""
        batch, rows, columns = self.down.shape[0], self.across.shape[1], self.across.shape[2] + 1
        made = np.zeros((batch, rows, columns))
        for b, (first, left, last, right) in enumerate(self.bounds):
            for s in range(first, last + 1):
                for t in range(left, right + 1):
                    before = t - self.slanted
                    above = (
                        made[b, s - 1, before] + self.down[b, s - 1, before] if s > first and before >= left else _NONE
                    )
                    beside = made[b, s, t - 1] + self.across[b, s, t - 1] if t > left else _NONE
                    made[b, s, t] = np.logaddexp(above, beside) if (s, t) != (first, left) else 0.0
        return made

    def back(self, points: np.ndarray, coming: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What comes back to the steps down and across from the last points."""
        down, across, grads = np.zeros(self.down.shape), np.zeros(self.across.shape), np.zeros(points.shape)
        for b, (first, left, last, right) in enumerate(self.bounds):
            grads[b, last, right] = coming[b]
            for s in range(last, first - 1, -1):
                for t in range(right, left - 1, -1):
                    after = t + self.slanted
                    if s < last and after <= right:
                        share = np.exp(points[b, s, t] + self.down[b, s, t] - points[b, s + 1, after])
                        down[b, s, t] = share * grads[b, s + 1, after]
                        grads[b, s, t] += down[b, s, t]
                    if t < right:
                        share = np.exp(points[b, s, t] + self.across[b, s, t] - points[b, s, t + 1])
                        across[b, s, t] = share * grads[b, s, t + 1]
                        grads[b, s, t] += across[b, s, t]
        return down, across


def _lattices(problem: Problem) -> Iterator[_Lattice]:
    """Steps in the order of arguments, of axes or of three numbers that are passed one after the other."""
    runs = [*zip(problem.counts, problem.counts[1:], problem.counts[2:], strict=False)]
    for one, other in permutations(problem.floats, 2):
        axes = [other.values.shape] if other.values.ndim == 3 else []
        for batch, rows, across in dict.fromkeys([(b, s - 1, t) for b, s, t in axes] or runs):
            for wide in (across + 1, across):
                fits = one.size == batch * rows * wide and other.size == batch * (rows + 1) * across
                if fits and one.size + other.size <= _MOST_POINTS:
                    steps = one.flat.reshape(batch, rows, wide), other.flat.reshape(batch, rows + 1, across)
                    yield _Lattice(f"{one.name}, {other.name}", *steps, _bounds(problem, batch, rows, across))


def _bounds(problem: Problem, batch: int, rows: int, across: int) -> np.ndarray:
    """The first and the last point of each batch, as an array of four numbers says."""
    for one in problem.inputs:
        bounds = (
            one.values.reshape(-1, 4) if one.values.dtype.kind in "iu" and one.size == 4 * batch else np.zeros((0, 4))
        )
        if len(bounds) and bounds.min() >= 0 and (bounds[:, 2:] <= (rows, across)).all():
            return bounds.astype(np.int64)
    return np.tile(np.array([0, 0, rows, across]), (batch, 1))


@function("mutual information")
def _information(problem: Problem) -> Iterator[Formula]:
    """Of all points, and of the last ones."""
    for lattice in _lattices(problem):
        points = lattice.points()
        last = points[np.arange(len(points)), lattice.bounds[:, 2], lattice.bounds[:, 3]]
        yield Formula(f"sums of paths of {lattice.names}", points.reshape(-1))
        yield Formula(f"sums of whole paths of {lattice.names}", last)


@function("mutual information backward")
def _information_back(problem: Problem) -> Iterator[Formula]:
    """What comes back to both kinds of steps, and through all of them; none of a part, of which a number says so."""
    for lattice in _lattices(problem) if not problem.named("step") else ():
        batch, rows, columns = lattice.down.shape[0], lattice.across.shape[1], lattice.across.shape[2] + 1
        points = [one for one in problem.floats if one.size == batch * rows * columns]
        for coming in (one for one in problem.floats if one.size == batch):
            for made in [one.flat.reshape(batch, rows, columns) for one in points] or [lattice.points()]:
                down, across = lattice.back(made, coming.flat)
                text = f"{coming.name} back to {lattice.names}"
                yield Formula(f"{text}, down", down.reshape(-1))
                yield Formula(f"{text}, across", across.reshape(-1))
                yield Formula(f"{coming.name} of {lattice.names}", _first_of(down, across, lattice))


def _first_of(down: np.ndarray, across: np.ndarray, lattice: _Lattice) -> np.ndarray:
    """What comes back to the first point of each batch."""
    found = []
    for b, (first, left, last, right) in enumerate(lattice.bounds):
        found.append((down[b, first, left] if last > first else 0) + (across[b, first, left] if right > left else 0))
    return np.array(found)
