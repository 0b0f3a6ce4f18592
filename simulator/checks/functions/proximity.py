"""Functions of two clouds of points: nearest ones of each batch, costs of matches, and the gradients of both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .problem import Formula, Problem, also, function, of_all_results, spelled

#: Coordinates of all pairs of points, at most, and coordinates of a point.
_MOST_PAIRS, _WIDEST = 1 << 22, 16
_WIDE = (3, 2)

_Clouds = tuple[str, np.ndarray, np.ndarray]  # [batch, points, coordinates] of two arrays


def _clouds(problem: Problem) -> Iterator[_Clouds]:
    """Two arrays of points, in as many batches and of as many coordinates as they may have."""
    for x, y in permutations(problem.floats, 2):
        ranked = len(x.axes) > 1 and len(y.axes) > 1
        wides = dict.fromkeys((x.axes[-1], y.axes[-1]) if ranked else (*_WIDE, *problem.whole))
        for wide in (n for n in wides if 0 < n <= _WIDEST and x.size % n == 0 and y.size % n == 0):
            for batch in dict.fromkeys((*x.axes[: len(x.axes) - 2], 1, *problem.whole)):
                n, m = x.size // wide, y.size // wide
                if batch > 0 and n % batch == 0 and m % batch == 0 and n * m // batch * wide <= _MOST_PAIRS:
                    text = f"{x.name} and {y.name}"
                    yield text, x.flat.reshape(batch, -1, wide), y.flat.reshape(batch, -1, wide)


def _bounds(problem: Problem, clouds: _Clouds) -> Iterator[tuple[str, np.ndarray]]:
    """Which pairs of points [batch, points, others] belong together: all, those of one cloud, those within lengths."""
    _, a, b = clouds
    yield "", np.ones((len(a), a.shape[1], b.shape[1]), bool)
    for first, second in permutations(problem.integers, 2) if len(a) == 1 else ():
        p, q = first.index, second.index
        if len(p) == len(q) > 1 and p[0] == q[0] == 0 and p[-1] == a.shape[1] and q[-1] == b.shape[1]:
            of_a, of_b = (np.repeat(np.arange(len(one) - 1), np.maximum(np.diff(one), 0)) for one in (p, q))
            if len(of_a) == a.shape[1] and len(of_b) == b.shape[1]:
                yield f" of each cloud {first.name}, {second.name}", (of_a[:, None] == of_b)[None]
    for second in problem.integers:
        if second.size == len(b) and second.index.max() <= b.shape[1]:
            within = np.arange(b.shape[1]) < second.index[:, None, None]
            yield f" of the first {second.name}", np.broadcast_to(within, (len(a), a.shape[1], b.shape[1]))


@also("knn")
def _nearest(problem: Problem) -> Iterator[Formula]:
    """The nearest of each point: their numbers, the point's own number, and how far they are."""
    for clouds in _clouds(problem):
        text, a, b = clouds
        points = a.shape[0] * a.shape[1]
        count = problem.size // points
        if problem.size % points or not 0 < count <= b.shape[1]:
            continue
        off = a[:, :, None] - b[:, None]
        for name, there in _bounds(problem, clouds):
            yield Formula(f"numbers of points {text}", np.repeat(np.arange(points), count))
            forms = [("squares", (off**2).sum(axis=3)), ("sums", np.abs(off).sum(axis=3))]
            forms.append(("1 - cosines", 1 - _cosines(a, b)))
            for how, apart in forms:
                far = np.where(there, apart, np.inf)
                nearest = np.argsort(far, axis=2, kind="stable")[:, :, :count]
                least = np.take_along_axis(far, nearest, 2)
                for missing in (-1.0, 0.0):
                    found = np.where(np.isfinite(least), nearest, missing)
                    yield Formula(f"{count} nearest by {how}, {text}{name}", found.reshape(-1))
                for missing in (0.0, 1e10, np.inf):
                    made = np.where(np.isfinite(least), least, missing)
                    yield Formula(f"{how} of the {count} nearest, {text}{name}", made.reshape(-1))


def _cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    sizes = np.linalg.norm(a, axis=2)[:, :, None] * np.linalg.norm(b, axis=2)[:, None]
    made: np.ndarray = a @ b.transpose(0, 2, 1) / sizes
    return made


spelled("knn", "k nearest neighbor, k nearest neighbour, knn search, bruteforce knn, knn brute force, knn points")


of_all_results("chamfer distance backward", "match cost backward")


def _pairs_back(problem: Problem, each: int) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Points of both arrays, ``each`` of the second for one of the first, the numbers of these and what comes back."""
    for text, a, b in _clouds(problem):
        for index, coming in product(problem.integers, problem.floats):
            pairs = a.shape[0] * a.shape[1] * each
            if index.size == coming.size == pairs and index.index.min() >= -1 and index.index.max() < b.shape[1]:
                at = index.index.reshape(len(a), a.shape[1], each)
                name = f"{coming.name} by {text} at {index.name}"
                yield name, a, b, at, coming.flat.reshape(at.shape)
                lengths = (one for one in problem.integers if one.size == len(a) and one.index.max() <= a.shape[1])
                for one in lengths:
                    within = (np.arange(a.shape[1]) < one.index[:, None])[..., None]
                    yield (
                        f"{name} of the first {one.name}",
                        a,
                        b,
                        np.where(within, at, -1),
                        coming.flat.reshape(at.shape),
                    )


@function("chamfer distance backward", "knn backward")
def _distances_back(problem: Problem) -> Iterator[Formula]:
    """Gradients of squared distances (or of their roots, or of distances along axes) of points and those at indices."""
    counts = dict.fromkeys((1, *(n for n in problem.whole if 1 < n <= _WIDEST * 8)))
    for each in counts:
        for text, a, b, at, coming in _pairs_back(problem, each):
            batch = np.arange(len(a))[:, None, None]
            off = a[:, :, None] - b[batch, np.maximum(at, 0)]
            roots = off / np.maximum(np.linalg.norm(off, axis=3, keepdims=True), 1e-12)
            for norm, slope in (("squares", 2 * off), ("sums", np.where(off > 0, 1.0, -1.0)), ("roots", roots)):
                back = np.where(at[..., None] < 0, 0, slope * coming[..., None])
                to_b = np.zeros(b.shape)
                np.add.at(to_b, (batch, np.maximum(at, 0)), -back)
                for made in (back.sum(axis=2), to_b):
                    if made.size == problem.size:
                        yield Formula(
                            f"{text} back to {'second' if made is to_b else 'first'}, of {norm}", made.reshape(-1)
                        )
                        yield from (
                            Formula(f"{text} back, of {norm}, and {one.name}", made.reshape(-1) + one.flat)
                            for one in problem.like
                        )


spelled(
    "chamfer distance backward", "nm distance backward, chamfer dist backward, nn distance backward, chamfer backward"
)
spelled("chamfer distance backward", "sided distance backward")
spelled("knn backward", "k nearest neighbor backward, knn points backward")


def _matches(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    """Two clouds and shares of each point of the first for each of the second [batch, second, first]."""
    for text, a, b in _clouds(problem):
        for match in problem.floats:
            if a.shape[2] == 3 and match.size == len(a) * a.shape[1] * b.shape[1]:
                shares = match.flat.reshape(len(a), b.shape[1], a.shape[1]).transpose(0, 2, 1)
                yield f"{match.name} of {text}", a, b, shares


@function("match cost")
def _cost(problem: Problem) -> Iterator[Formula]:
    """How far points are from those that they are matched with, by shares; or the squares of that."""
    for text, a, b, shares in _matches(problem):
        if problem.size == len(a):
            squares = ((a[:, :, None] - b[:, None]) ** 2).sum(axis=3)
            yield Formula(f"squares by {text}", (squares * shares).sum(axis=(1, 2)))
            yield Formula(f"distances by {text}", (np.sqrt(squares) * shares).sum(axis=(1, 2)))


@function("match cost backward")
def _cost_back(problem: Problem) -> Iterator[Formula]:
    """Its gradients of the points of each array, also times what comes back to the cost of each batch."""
    for text, a, b, shares in _matches(problem):
        if problem.size not in (a.size, b.size):
            continue
        off = a[:, :, None] - b[:, None]
        far = np.sqrt((off**2).sum(axis=3, keepdims=True))
        tables: list[tuple[str, np.ndarray | float]] = [("", 1.0)]
        tables += [(f" * {one.name}", one.flat[:, None, None]) for one in problem.floats if one.size == len(a)]
        for how, slope in (("squares", 2 * off), ("distances", off / np.maximum(far, 1e-20))):
            parts = slope * shares[..., None]
            for to, made in (("first", parts.sum(axis=2)), ("second", -parts.sum(axis=1))):
                for name, by in tables if made.size == problem.size else ():
                    yield Formula(f"{how} by {text} back to the {to}{name}", (made * by).reshape(-1))


spelled("match cost", "matchcost, emd cost, emd")
spelled("match cost backward", "matchcostgrad, matchcost backward, emd cost backward, match cost grad, emd backward")


@function("grid cluster")
def _cells(problem: Problem) -> Iterator[Formula]:
    """The number of the cell of each point in a grid of cells of a size between two corners; the first axis is fast."""
    for points in problem.floats:
        wide = points.size // problem.size
        tables = [one for one in problem.floats if one.size == wide and one is not points]
        if points.size % problem.size or not 0 < wide <= _WIDEST:
            continue
        for size, start, end in permutations(tables, 3):
            at = np.trunc((points.flat.reshape(-1, wide) - start.flat) / size.flat)
            counts = np.trunc((end.flat - start.flat) / size.flat) + 1
            steps = np.concatenate([[1.0], np.cumprod(counts)[:-1]])
            yield Formula(f"cells of {points.name}, {size.name} from {start.name} to {end.name}", at @ steps)


spelled("grid cluster", "voxel grid, grid clustering, voxel grid cluster")
