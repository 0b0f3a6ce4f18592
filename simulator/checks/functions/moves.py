"""Functions that place elements elsewhere, or count them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement, permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, spelled

#: Numbers that one count of a histogram stands for, at most.
_MOST_WIDE = 1 << 31
#: Differences of elements that distances are made of, at most.
_MOST_DISTANCES = 1 << 24


@function("transpose", "permute")
def _transpose(problem: Problem) -> Iterator[Formula]:
    for x in problem.like:
        shapes = [x.values.shape] if len(x.axes) > 1 else []
        if len(x.axes) < 2:
            if not problem.numbers:  # a square, as far as is known
                shapes += [(math.isqrt(x.size),) * 2] if math.isqrt(x.size) ** 2 == x.size else []
            shapes += [(n, x.size // n) for n in problem.whole if 1 < n < x.size and x.size % n == 0]
            positive = [n for n in problem.whole if n > 0]
            shapes += [three for three in permutations(positive, 3) if math.prod(three) == x.size]
        for shape in shapes:
            if len(shape) > 5:
                continue
            for axes in permutations(range(len(shape))):
                if axes != tuple(range(len(shape))):
                    yield Formula(f"{x.name}.transpose{axes}", x.flat.reshape(shape).transpose(axes).reshape(-1))


@function("repeat", "tile", "broadcast", "expand")
def _repeat(problem: Problem) -> Iterator[Formula]:
    for x in problem.inputs:
        if problem.size % x.size == 0 and problem.size > x.size:
            shape, out = x.values.shape, problem.shape
            if len(shape) <= len(out):
                wide = (1,) * (len(out) - len(shape)) + shape
                if all(o % w == 0 for o, w in zip(out, wide, strict=True)):
                    times = [o // w for o, w in zip(out, wide, strict=True)]
                    yield Formula(f"tile({x.name}, {times})", np.tile(x.real.reshape(wide), times).reshape(-1))
            yield Formula(f"tile({x.name})", np.resize(x.flat, problem.size))
            yield Formula(f"repeat({x.name})", np.repeat(x.flat, problem.size // x.size))


@function("embedding", "index select", "gather", "take")
def _rows(problem: Problem) -> Iterator[Formula]:
    """Elements or rows of one array, by the indices in another."""
    for index, table in product(problem.indices, problem.inputs):
        if table is index:
            continue
        at = index.values.astype(np.int64)
        for less in dict.fromkeys((0, *problem.named("offset"))):
            yield from _selected(problem, table, index, at - less)
        for whole, chosen in product(problem.shapes_of(table), problem.shapes_of(index)):
            if len(whole) == len(chosen) and at.size == problem.size:
                for axis, made in _along_each(table.real.reshape(whole), at.reshape(chosen)):
                    yield Formula(f"gather({table.name}, {index.name}), axis {axis}", made.reshape(-1))


def _along_each(table: np.ndarray, at: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """What indices of as many axes choose along each axis that they fit."""
    for axis, length in enumerate(table.shape):
        sizes = [(a, b) for n, (a, b) in enumerate(zip(at.shape, table.shape, strict=True)) if n != axis]
        if all(a <= b for a, b in sizes) and int(at.max()) < length and int(at.min()) >= 0:
            inside = tuple(slice(None) if n == axis else slice(a) for n, a in enumerate(at.shape))
            yield axis, np.take_along_axis(table[inside], at, axis)


def _selected(problem: Problem, table: Input, index: Input, at: np.ndarray) -> Iterator[Formula]:
    flat = at.reshape(-1)
    for text, rows in problem.along_axes(table):
        if rows.shape[0] * rows.shape[2] * flat.size == problem.size:
            n = rows.shape[1]
            inside = (flat >= 0) & (flat < n)
            if inside.any():
                made = rows[:, np.where(inside, flat, 0)] * inside[:, None]
                none = "" if inside.all() else ", 0 where there is none"
                yield Formula(f"{table.name}[{index.name}] {text}{none}", made.reshape(-1))
            behind = (flat >= -n) & (flat < n)
            if behind.any() and int(flat.min()) < 0:
                for missing in (0.0,) if behind.all() else (0.0, np.nan):
                    made = np.where(behind[:, None], rows[:, np.where(behind, flat, 0)], missing)
                    how = f"{text}, from the end where below 0, {missing:g} where there is none"
                    yield Formula(f"{table.name}[{index.name}] {how}", made.reshape(-1))


@function("histogram", "bincount")
def _histogram(problem: Problem) -> Iterator[Formula]:
    for x in (x for x in problem.inputs if np.isfinite(x.flat).all()):
        low, high = float(x.flat.min()), float(x.flat.max())
        for width in dict.fromkeys((1, *problem.whole)) if x.values.dtype.kind in "iu" and low >= 0 else ():
            if 0 < width <= min(max(high, 1), _MOST_WIDE) and high // width < problem.size:
                counts = np.bincount(x.flat.astype(np.int64) // width, minlength=problem.size)
                yield Formula(f"histogram({x.name})", counts)
        letters = x.flat[(x.flat >= ord("a")) & (x.flat <= ord("z"))].astype(np.int64) - ord("a")
        for width in (n for n in range(1, 27) if x.values.dtype.itemsize == 1 and -(-26 // n) == problem.size):
            counts = np.bincount(letters // width, minlength=problem.size)
            yield Formula(f"histogram({x.name}) of each {width} letters", counts)
        if x.values.dtype.kind in "iu" and low >= 0:
            counts = np.bincount(x.flat.astype(np.int64) % problem.size, minlength=problem.size)
            yield Formula(f"histogram({x.name} % {problem.size})", counts)
        bounds = {*filter(math.isfinite, problem.factors), low, high}
        for begin, end in combinations(sorted(bounds), 2):
            counts, _ = np.histogram(x.flat, problem.size, (begin, end))
            yield Formula(f"histogram({x.name}, {begin:g}, {end:g})", counts)


@function("count equal")
def _count_equal(problem: Problem) -> Iterator[Formula]:
    """How many elements are a number that is passed."""
    for x in problem.inputs if problem.size == 1 else ():
        for number in dict.fromkeys(problem.numbers.values()):
            yield Formula(f"count of {number:g} in {x.name}", np.array([float((x.flat == number).sum())]))


@function("subarray sum")
def _subarray(problem: Problem) -> Iterator[Formula]:
    """The sum from one place to another along each axis; the last place counts, or it does not."""
    for x in problem.inputs if problem.size == 1 else ():
        for shape in problem.shapes_of(x):
            ends = [n for n in problem.whole if 0 <= n <= max(shape, default=0)]
            each = [[(a, b) for a, b in combinations(sorted(ends), 2) if b <= n] for n in shape]
            if math.prod(map(len, each)) * x.size <= _MOST_DISTANCES:
                whole = x.flat.reshape(shape)
                for spans, more in product(product(*each), (0, 1)):
                    made = whole[tuple(slice(a, b + more) for a, b in spans)].sum(keepdims=True).reshape(-1)
                    yield Formula(f"sum of {x.name}[{', '.join(f'{a}:{b + more}' for a, b in spans)}]", made)


@function("interpolate nearest", "interpolate linear")
def _interpolate(problem: Problem) -> Iterator[Formula]:
    for x in problem.inputs:
        shape, out = x.values.shape, problem.shape
        if len(shape) != len(out) or len(shape) < 3 or shape[:2] != out[:2]:
            continue
        for corners, half in ((False, True), (True, False), (False, False)):
            near, linear = x.real, x.real
            for axis in range(2, len(shape)):
                at = positions(out[axis], shape[axis], corners, half)
                near = near.take(np.clip(np.floor(at).astype(int), 0, shape[axis] - 1), axis)
                linear = _lerp(linear, np.maximum(at, 0), axis)
            yield Formula(f"nearest({x.name})", near.reshape(-1))
            yield Formula(f"linear({x.name}){', corners aligned' * corners}", linear.reshape(-1))


def positions(count: int, length: int, corners: bool, half: bool) -> np.ndarray:
    """Where so many results lie among the elements of an axis: with both ends at its ends, or by half pixels."""
    if corners:
        return np.arange(count) * ((length - 1) / max(count - 1, 1))
    return (np.arange(count) + half / 2) * (length / count) - half / 2


def _lerp(x: np.ndarray, at: np.ndarray, axis: int) -> np.ndarray:
    last = x.shape[axis] - 1
    low = np.clip(np.floor(at).astype(int), 0, last)
    part = (at - low).reshape([-1 if n == axis else 1 for n in range(x.ndim)])
    found: np.ndarray = x.take(low, axis) * (1 - part) + x.take(np.minimum(low + 1, last), axis) * part
    return found


@function("arange", "linspace", "logspace")
def _range(problem: Problem) -> Iterator[Formula]:
    n = problem.size
    for start, end in permutations(problem.numbers.values(), 2):
        yield Formula(f"arange({start:g}, {end:g})", start + end * np.arange(n))
        steps = np.linspace(start, end, n)
        yield Formula(f"linspace({start:g}, {end:g})", steps)
        for base in dict.fromkeys((*problem.factors, 10.0)):
            if base > 0 and np.abs(steps).max() < 300:
                yield Formula(f"logspace({start:g}, {end:g}, base {base:g})", np.power(base, steps))


@function("diff")
def _diff(problem: Problem) -> Iterator[Formula]:
    for x in problem.inputs:
        for text, rows in problem.along_axes(x):
            if rows.size - rows.shape[0] * rows.shape[2] == problem.size:
                yield Formula(f"diff({x.name}) {text}", np.diff(rows, axis=1).reshape(-1))


@function("kron")
def _kron(problem: Problem) -> Iterator[Formula]:
    for a, b in combinations(problem.inputs, 2):
        if a.size * b.size == problem.size:
            yield Formula(f"kron({a.name}, {b.name})", np.kron(a.real, b.real).reshape(-1))


@function("tril", "triu")
def _triangle(problem: Problem) -> Iterator[Formula]:
    for x in problem.like:
        if x.values.ndim > 1:
            for k in dict.fromkeys((0, *(number for number in problem.whole if abs(number) < max(x.axes, default=0)))):
                yield Formula(f"tril({x.name}, {k})", np.tril(x.real, k).reshape(-1))
                yield Formula(f"triu({x.name}, {k})", np.triu(x.real, k).reshape(-1))


@function("pixel shuffle")
def _pixel_shuffle(problem: Problem) -> Iterator[Formula]:
    """[n, c * r * r, h, w] as [n, c, h * r, w * r]."""
    for x in problem.like:
        for r in (number for number in problem.whole if number > 1):
            if x.values.ndim == 4 and x.values.shape[1] % (r * r) == 0:
                n, channels, h, w = x.values.shape
                parts = x.real.reshape(n, channels // (r * r), r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
                yield Formula(f"pixel_shuffle({x.name}, {r})", parts.reshape(-1))


@function("concat", "stack")
def _concat(problem: Problem) -> Iterator[Formula]:
    for parts in _parts(problem):
        names = ", ".join(part.name for part in parts)
        for axis in range(len(problem.shape)):
            try:
                made = np.concatenate([part.real for part in parts], axis)
            except ValueError:
                continue
            if made.size == problem.size:
                yield Formula(f"concatenate({names}), axis {axis}", made.reshape(-1))


def _parts(problem: Problem) -> Iterator[Sequence[Input]]:
    for count in range(2, min(len(problem.inputs), 5) + 1):
        for parts in combinations(problem.inputs, count):
            if sum(part.size for part in parts) == problem.size:
                yield parts


@function("merge")
def _merge(problem: Problem) -> Iterator[Formula]:
    """Two sorted arrays as one; or sorted sections of an array, which have half the length."""
    for x in problem.like:
        for length in dict.fromkeys(m for n in problem.whole for m in (2 * n, n) if 1 < m < 2 * x.size):
            filled = np.append(x.flat, np.full(-x.size % length, np.inf)).reshape(-1, length)
            yield Formula(f"sections of {length} of {x.name}, sorted", np.sort(filled).reshape(-1)[: x.size])
    for a, b in combinations(problem.inputs, 2):
        if a.size + b.size == problem.size:
            yield Formula(f"merge({a.name}, {b.name})", np.sort(np.append(a.flat, b.flat)))


def _filled(problem: Problem, numbers: Iterable[float]) -> Iterator[Formula]:
    for number in dict.fromkeys(numbers):
        yield Formula(f"{number:g} everywhere", np.full(problem.size, float(number)))
        for x, count in product(problem.like, (n for n in problem.whole if 0 < n < problem.size)):
            made = np.where(np.arange(problem.size) < count, float(number), x.real.reshape(-1))
            yield Formula(f"{number:g} in the first {count} of {x.name}", made)


function("zeros")(lambda problem: _filled(problem, [0]))
function("ones")(lambda problem: _filled(problem, [1]))
function("fill")(lambda problem: _filled(problem, [*problem.numbers.values(), 0, 1]))


@function("one hot")
def _one_hot(problem: Problem) -> Iterator[Formula]:
    for x in problem.inputs:
        if x.values.dtype.kind in "iu" and x.size and problem.size % x.size == 0:
            made = x.flat[:, None] == np.arange(problem.size // x.size)
            yield Formula(f"one_hot({x.name})", made.reshape(-1).astype(float))


@function("distance")
def _distance(problem: Problem) -> Iterator[Formula]:
    """Of all rows of one array from all of another, or from its own."""
    for a, b in combinations_with_replacement(problem.inputs, 2):
        depth = math.isqrt(a.size * b.size // problem.size)
        fits = depth and depth * depth * problem.size == a.size * b.size and a.size % depth == b.size % depth == 0
        if fits and a.size * b.size // depth <= _MOST_DISTANCES:
            off = a.flat.reshape(-1, 1, depth) - b.flat.reshape(1, -1, depth)
            squares = (off * off).sum(axis=2).reshape(-1)
            yield Formula(f"distances({a.name}, {b.name})", np.sqrt(squares))
            yield Formula(f"squared distances({a.name}, {b.name})", squares)


spelled("embedding", "get rows, gather rows, lookup rows, select rows, selected rows")
spelled("scatter", "set rows")
spelled("copy", "cpy")
