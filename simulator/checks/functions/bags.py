"""Sums of rows that belong together, pools undone, and arrays that are moved in time or multiplied by chosen rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, permutations, product

import numpy as np

from .channels import rows_of
from .problem import Formula, Problem, also, function, of_few, spelled, vague

#: How rows [count, depth] of a bag become one; the number of rows is above 0.
_MODES: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "sum": lambda rows: rows.sum(axis=0), "mean": lambda rows: rows.mean(axis=0), "max": lambda rows: rows.max(axis=0),
    "root mean": lambda rows: rows.sum(axis=0) / np.sqrt(len(rows)), "first": lambda rows: rows[0],
    "last": lambda rows: rows[-1], "min": lambda rows: rows.min(axis=0),
}  # fmt: skip


def _bags(problem: Problem, count: int, size: int, first: int = 0) -> Iterator[tuple[str, list[np.ndarray]]]:
    """So many bags of rows: by where they begin, by how long they are, by the bag of each row; or equally long.

    Places and bags are counted from ``first`` on.
    """
    for one in problem.integers:
        index, starts = one.index, one.index - first
        if len(index) in (count, count + 1) and one.may_be_starts(first) and starts[-1] <= size:
            ends = [*starts[1:], size][:count]
            yield f"starts {one.name}", [np.arange(a, max(a, b)) for a, b in zip(starts[:count], ends, strict=True)]
        if len(index) == count and index.min() >= 0 and index.sum() == size and not first:
            starts = np.append(0, np.cumsum(index))
            yield f"lengths {one.name}", [np.arange(a, b) for a, b in pairwise(starts)]
        if len(index) == size and index.min() >= first and index.max() < count + first:
            yield f"numbers {one.name}", [np.flatnonzero(index == at + first) for at in range(count)]
    if count and size % count == 0 and not first:
        yield "equal lengths", [np.arange(at, at + size // count) for at in range(0, size, size // count)]


def _pooled(rows: np.ndarray, bags: list[np.ndarray], mode: str, empty: float = 0.0) -> np.ndarray:
    """One row of each bag; 0 or another number of an empty one."""
    none = np.full(rows.shape[1], empty)
    return np.array([_MODES[mode](rows[bag]) if len(bag) else none for bag in bags])


@vague("embedding bag", unless=of_few(3))
def _embedded(problem: Problem) -> Iterator[Formula]:
    """Sums, means or largest of the rows of a table that are chosen for each bag, by weights or not."""
    for table, chosen, first in product(problem.floats, problem.integers, (0, 1)):
        index = chosen.index - first
        for depth in (n for n in dict.fromkeys((*problem.shape[-1:], *table.axes[-1:], *problem.whole)) if n > 0):
            if problem.size % depth or table.size % depth:
                continue
            rows, count = table.flat.reshape(-1, depth), problem.size // depth
            if not 0 <= index.min() <= index.max() < len(rows):
                continue
            weights = [("", np.ones((len(index), 1)))]
            weights += [
                (f" * {w.name}", w.flat[:, None]) for w in problem.floats if w.size == len(index) and w is not table
            ]
            for (how, bags), (name, weight) in product(_bags(problem, count, len(index), first), weights):
                for mode in ("sum", "mean", "max"):
                    made = _pooled(rows[index] * weight, bags, mode)
                    yield Formula(
                        f"{mode} of {table.name} at {chosen.name}{name} by {how}{', from 1 on' * first}",
                        made.reshape(-1),
                    )


@also("embedding bag")
def _of_bags(problem: Problem) -> Iterator[Formula]:
    """The bag of each index, and how many indices each bag has."""
    for chosen, starts, first in product(problem.integers, problem.integers, (0, 1)):
        for count in (starts.size, starts.size - 1) if starts is not chosen else ():
            for how, bags in _bags(problem, count, chosen.size, first):
                if not how.startswith("starts"):
                    continue
                sizes = np.array([len(bag) for bag in bags])
                if problem.size == count:
                    yield Formula(f"sizes of bags by {how}", sizes)
                if problem.size == chosen.size == sizes.sum():
                    yield Formula(f"bags by {how}, from {first} on", np.repeat(np.arange(count) + first, sizes))


def _of_segments(problem: Problem) -> Iterator[Formula]:
    """What each segment of rows is, in one of several ways."""
    for x in problem.floats:
        for depth in (n for n in dict.fromkeys((*problem.shape[-1:], *x.axes[-1:], *problem.whole, 1)) if n > 0):
            if problem.size % depth or x.size % depth:
                continue
            rows, count = x.flat.reshape(-1, depth), problem.size // depth
            for how, bags in _bags(problem, count, len(rows)):
                for mode, empty in product(_MODES, (0.0, *problem.factors)):
                    yield Formula(f"{mode} of {x.name} by {how}", _pooled(rows, bags, mode, empty).reshape(-1))


vague("sequence pool", unless=of_few(2))(_of_segments)
spelled(
    "embedding bag",
    "lookup table bag, embeddingbag, embedding bag sum, embedding bag mean, embedding bag max, bag embedding",
)
spelled("sequence pool", "seq pool, sequence pooling, sequence sum pool, sequence average pool, sequence max pool")


def _planes(problem: Problem, size: int) -> Iterator[int]:
    """How many pixels an image of so many elements may have."""
    whole = [n for n in dict.fromkeys(problem.whole) if 0 < n <= size]
    yield from (rows * columns for rows, columns in product(whole, whole) if size % (rows * columns) == 0)
    lengths = problem.shape[-2:]
    if len(problem.shape) > 2 and size % max(math.prod(lengths), 1) == 0:
        yield math.prod(lengths)


@function("max unpool")
def _unpooled(problem: Problem) -> Iterator[Formula]:
    """Numbers at their places in images; 0 or what was there elsewhere."""
    for x, at in product(problem.floats, problem.integers):
        if x.size != at.size or x.size > problem.size or at.index.min() < 0:
            continue
        for pixels in dict.fromkeys(_planes(problem, problem.size)):
            images = problem.size // pixels
            if x.size % images == 0 and at.index.max() < pixels:
                for held in (np.zeros(problem.size), *(one.flat for one in problem.like)):
                    made = held.reshape(images, pixels).copy()
                    made[np.arange(images)[:, None], at.index.reshape(images, -1)] = x.flat.reshape(images, -1)
                    yield Formula(f"{x.name} at {at.name} of {pixels}", made.reshape(-1))


@function("max unpool backward")
def _unpooled_back(problem: Problem) -> Iterator[Formula]:
    for back, at in product(problem.floats, problem.integers):
        if at.size != problem.size or at.index.min() < 0:
            continue
        for pixels in dict.fromkeys(_planes(problem, back.size)):
            images = back.size // pixels
            if at.size % images == 0 and at.index.max() < pixels:
                made = np.take_along_axis(back.flat.reshape(images, -1), at.index.reshape(images, -1), 1)
                yield Formula(f"{back.name} at {at.name} of {pixels}", made.reshape(-1))


spelled("max unpool", "max unpooling, unpool, unpooling, maxunpool, maxunpooling")


@function("index mul")
def _times_rows(problem: Problem) -> Iterator[Formula]:
    """Rows of one array, at indices, times another one."""
    for x, y, at in product(problem.floats, problem.like, problem.integers):
        depth = problem.size // at.size if problem.size % at.size == 0 else 0
        if x is not y and depth and x.size % depth == 0 and at.index.min() >= 0 and at.index.max() < x.size // depth:
            made = x.flat.reshape(-1, depth)[at.index] * y.flat.reshape(-1, depth)
            yield Formula(f"{x.name} at {at.name} * {y.name}", made.reshape(-1))


spelled("index mul", "index mul 2d, indexed mul, gather mul, gather multiply")


@vague("temporal shift")
def _in_time(problem: Problem) -> Iterator[Formula]:
    """[videos * frames, channels, inner]: some channels from the frame before or behind, others as they are."""
    ratios = [f for f in problem.factors if 0 < f <= 0.5]
    for x, frames in product(problem.like, problem.counts):
        for rows in rows_of(problem, x):
            count, channels, inner = rows.shape
            if count % frames or frames < 2:
                continue
            moved = np.pad(rows.reshape(-1, frames, channels, inner), ((0, 0), (1, 1), (0, 0), (0, 0)))
            parts = [int(channels * ratio) for ratio in ratios] + [n for n in problem.counts if 2 * n <= channels]
            parts += [channels // n for n in (*problem.counts, 8, 4, 3) if n > 1 and channels >= 2 * n]
            for part, one in product(dict.fromkeys(parts), (1, -1)):
                made = moved[:, 1:-1].copy()
                made[:, :, :part] = moved[:, 1 - one : frames + 1 - one, :part]
                made[:, :, part : 2 * part] = moved[:, 1 + one : frames + 1 + one, part : 2 * part]
                yield Formula(f"{x.name}, {part} channels of frames -{one} and of {one}", made.reshape(-1))


spelled("temporal shift", "temporal shift module, tsm shift")


@vague("transducer joint")
def _joint(problem: Problem) -> Iterator[Formula]:
    """f[batch, t] + g[batch, u] of each pair [batch, t, u, depth]; above 0 or as it is."""
    for f, g in permutations(problem.floats, 2):
        for depth, batch in product(
            dict.fromkeys((*problem.shape[-1:], *problem.whole)), dict.fromkeys((*problem.shape[:1], *problem.whole))
        ):
            if depth < 1 or batch < 1 or f.size % (depth * batch) or g.size % (depth * batch):
                continue
            if f.size * g.size == problem.size * depth * batch:
                made = f.flat.reshape(batch, -1, 1, depth) + g.flat.reshape(batch, 1, -1, depth)
                yield Formula(f"{f.name} + {g.name} of each pair", made.reshape(-1))
                yield Formula(f"relu({f.name} + {g.name}) of each pair", np.maximum(made, 0).reshape(-1))
