"""Steps of models: prices, populations, paths, clusters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .pointwise import erf
from .problem import Formula, Problem, function, of_all_results, vague

#: Pairs of points and centres, at most.
_MOST_PAIRS = 1 << 23


of_all_results("black scholes")


@function("black scholes")
def _prices(problem: Problem) -> Iterator[Formula]:
    """Of calls and puts, by the price, the strike and the years of each, a rate and a volatility."""
    for (s, x, t), (rate, spread) in product(permutations(problem.like, 3), permutations(problem.factors, 2)):
        root = spread * np.sqrt(t.flat)
        first = (np.log(s.flat / x.flat) + (rate + spread * spread / 2) * t.flat) / root
        low, high = ((1 + erf((first - less) / math.sqrt(2))) / 2 for less in (root, 0))
        later = x.flat * np.exp(-rate * t.flat)
        yield Formula(f"calls of {s.name}, {x.name}, {t.name}", s.flat * high - later * low)
        yield Formula(f"puts of {s.name}, {x.name}, {t.name}", later * (1 - low) - s.flat * (1 - high))


@function("game of life")
def _life(problem: Problem) -> Iterator[Formula]:
    """A generation of cells, 0 or another number: none beyond the border, or the other end; or it is kept, or 0."""
    for x in problem.like:
        for text, image in problem.images_of(x):
            cells = image[..., 0] if image.shape[3] == 1 else np.zeros((1, 0, 0))
            alive = float(cells.max(initial=0)) or 1.0
            if min(cells.shape[1:]) < 3 or not np.isin(cells, (0, alive)).all():
                continue
            for how in ("constant", "wrap"):
                padded = np.pad(cells / alive, ((0, 0), (1, 1), (1, 1)), mode=how)
                rows, columns = cells.shape[1:]
                around = sum(padded[:, i : i + rows, j : j + columns] for i, j in product(range(3), repeat=2))
                made = alive * ((around == 3) | ((around == 4) & (cells != 0)))
                yield Formula(f"a generation of {x.name} {text}, {how}", made.reshape(-1))
                for border, held in (("0", np.zeros_like(made)), ("kept", cells.copy())):
                    held[:, 1:-1, 1:-1] = made[:, 1:-1, 1:-1]
                    yield Formula(f"a generation of {x.name} {text}, border {border}", held.reshape(-1))


@function("floyd warshall")
def _paths(problem: Problem) -> Iterator[Formula]:
    """min(d[i, j], d[i, k] + d[k, j]) of a square matrix, for a k that is passed."""
    for d in problem.like:
        n = math.isqrt(d.size)
        for k in (k for k in problem.whole if n * n == d.size and 0 <= k < n):
            square = d.flat.reshape(n, n)
            made = np.minimum(square, square[:, k : k + 1] + square[k : k + 1])
            yield Formula(f"paths of {d.name} by way of {k}", made.reshape(-1))


@function("assign clusters")
def _clusters(problem: Problem) -> Iterator[Formula]:
    """The number of the nearest centre of each point; both in rows, or both in columns."""
    for points, centres in permutations(problem.inputs, 2):
        depth = points.size // problem.size if problem.size and points.size % problem.size == 0 else 0
        count = centres.size // depth if depth and centres.size % depth == 0 else 0
        if not count or problem.size * count * depth > _MOST_PAIRS:
            continue
        for how, (a, b) in (
            ("rows", (points.flat.reshape(-1, depth), centres.flat.reshape(-1, depth))),
            ("columns", (points.flat.reshape(depth, -1).T, centres.flat.reshape(depth, -1).T)),
        ):
            made = ((a[:, None] - b[None]) ** 2).sum(axis=2).argmin(axis=1)
            yield Formula(f"nearest of {centres.name} to {points.name}, {how}", made)


@vague("new centroids")
def _centroids(problem: Problem) -> Iterator[Formula]:
    """The mean of the points of each cluster; of points in rows, or in columns."""
    for points, which in permutations(problem.inputs, 2):
        if which.values.dtype.kind not in "iu" or not which.size or points.size % which.size:
            continue
        depth, label = points.size // which.size, which.index
        count = problem.size // depth
        if count * depth != problem.size or int(label.max()) >= count or int(label.min()) < 0:
            continue
        sizes = np.bincount(label, minlength=count)[:, None]
        for how, rows in (("rows", points.flat.reshape(-1, depth)), ("columns", points.flat.reshape(depth, -1).T)):
            sums = np.zeros((count, depth))
            np.add.at(sums, label, rows)
            for least in (0, 1):  # of an empty one nothing is right, or 0
                made = sums / np.maximum(sizes, least)
                text = f"means of {points.name} by {which.name}, {how}"
                yield Formula(text, (made if how == "rows" else made.T).reshape(-1))


@vague("encoder")
def _encoder(problem: Problem) -> Iterator[Formula]:
    """Rows of a table by tokens [batch, time], and those of another one by their time."""
    for tokens, table, times in permutations(problem.inputs, 3):
        if tokens.values.dtype.kind not in "iu" or not tokens.size or problem.size % tokens.size:
            continue
        width, at = problem.size // tokens.size, tokens.index
        rows = table.size // width
        inside = table.size == rows * width and int(at.max()) < rows and int(at.min()) >= 0
        if inside and times.size % width == 0 and tokens.size % max(times.size // width, 1) == 0:
            made = table.flat.reshape(-1, width)[at].reshape(-1, times.size) + times.flat
            yield Formula(f"{table.name}[{tokens.name}] + {times.name}", made.reshape(-1))


@function("polynomial")
def _polynomial(problem: Problem) -> Iterator[Formula]:
    """Of each element, by coefficients that are passed, the constant first or last."""
    for x, c in permutations(problem.inputs, 2):
        if x.size == problem.size and 1 < c.size <= 64:
            yield Formula(f"polynomial({x.name}), {c.name}[0] first", np.polynomial.polynomial.polyval(x.flat, c.flat))
            yield Formula(f"polynomial({x.name}), {c.name}[0] last", np.polyval(c.flat, x.flat))


@function("lerp", "blend")
def _blend(problem: Problem) -> Iterator[Formula]:
    """x + t * (y - x), of a number that is passed or of one for each element."""
    for x, y in permutations(problem.like, 2):
        for t in problem.factors:
            yield Formula(f"{x.name} + {t:g} * ({y.name} - {x.name})", x.flat + t * (y.flat - x.flat))
        for share in (one for one in problem.like if one not in (x, y)):
            made = x.flat + share.flat * (y.flat - x.flat)
            yield Formula(f"{x.name} + {share.name} * ({y.name} - {x.name})", made)
