"""Gradients of norms, attention, pools and convolutions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, vague
from .shapes import shapes_of_images
from .windows import Window, placed

#: What is added to variances where nothing says so; lengths of windows, and elements of all of them, at most.
_EPSILON, _LONGEST, _MOST = 1e-5, 16, 1 << 24
_STRIDES, _PADS = (1, 2, 3), (0, 1, 2)


def _pairs(problem: Problem) -> Iterator[tuple[Input, Input]]:
    """Two arrays of equally many numbers."""
    for one, other in permutations(problem.floats, 2):
        if one.size == other.size:
            yield one, other


@vague("layer norm backward", "rms norm backward")
def _norm(problem: Problem) -> Iterator[Formula]:
    """To operands, weights and biases of rows; with their means and deviations, or these computed."""
    for coming, x in _pairs(problem):
        for text, rows in problem.along_axes(x):
            if rows.shape[2] > 1 or rows.shape[1] < 2:
                continue
            rows, back = rows[:, :, 0], coming.flat.reshape(rows.shape[:2])
            for means, reciprocals, how in _moments(problem, rows):
                normed = (rows - means) * reciprocals
                of_weights = (back * normed).sum(axis=0)
                for made in (of_weights, back.sum(axis=0), np.append(of_weights, back.sum(axis=0))):
                    if made.size == problem.size:
                        yield Formula(f"{coming.name} * {x.name} back {text}{how}", made)
                weights = [(one.name, one.flat) for one in problem.floats if one.size == rows.shape[1]]
                for name, weight in [*weights, ("1", np.ones(1))] if x.size == problem.size else ():
                    weighted = weight * back
                    off = weighted - normed * (weighted * normed).mean(axis=1, keepdims=True)
                    less = weighted.mean(axis=1, keepdims=True) if means.any() else 0.0
                    made = (reciprocals * (off - less)).reshape(-1)
                    yield Formula(f"norm'({x.name}) * {name} * {coming.name} {text}{how}", made)


def _moments(problem: Problem, rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, str]]:
    """The means, or zeros, and the reciprocal deviations of rows, and what they are of."""
    held = [one for one in problem.floats if one.size == len(rows) > 1]
    for means, reciprocals in permutations(held, 2):
        yield means.flat[:, None], reciprocals.flat[:, None], f" by {means.name} and {reciprocals.name}"
    for one in held:
        yield np.zeros((len(rows), 1)), one.flat[:, None], f" by {one.name}"
    for epsilon in (*problem.factors, _EPSILON):
        means = rows.mean(axis=1, keepdims=True)
        yield means, 1 / np.sqrt(rows.var(axis=1, keepdims=True) + epsilon), f", {epsilon:g}"
        yield 0 * means, 1 / np.sqrt((rows**2).mean(axis=1, keepdims=True) + epsilon), f" of squares, {epsilon:g}"


@vague("autoregressive softmax backward")
def _attention(problem: Problem) -> Iterator[Formula]:
    """Of results that are 0 behind the diagonal, scaled by the depth of heads."""
    depths = {c // n for c, n in permutations([n for n in problem.whole if n > 0], 2) if c % n == 0}
    for of, coming in permutations(problem.like, 2):
        for (text, rows), (_, back) in zip(problem.along_axes(of), problem.along_axes(coming), strict=False):
            if rows.shape != back.shape:
                continue
            values = rows * (back - (rows * back).sum(axis=1, keepdims=True))
            for depth in sorted({1, *depths}):
                made = values.reshape(-1) / math.sqrt(depth)
                yield Formula(f"softmax'({of.name}) * {coming.name} / sqrt({depth}) {text}", made)


def _axes_of(problem: Problem, shape: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """Axes [n, c, h, w] of an array, or [n, h, w] with one channel each."""
    shapes = [shape] if len(shape) > 2 else shapes_of_images(problem, size)
    return [(*[1] * (4 - len(axes)), *axes) for axes in shapes if 2 < len(axes) < 5]


def _windows(problem: Problem, length: int, count: int, sizes: list[int]) -> list[Window]:
    """So many windows along an axis, as far as numbers are passed for their strides and paddings."""
    strides = dict.fromkeys(n for n in problem.named("stride") or (*problem.whole, *_STRIDES) if 0 < n < _LONGEST)
    pads = dict.fromkeys(n for n in problem.named("pad") or (*problem.whole, *_PADS) if 0 <= n < _LONGEST)
    found = []
    for size, stride, pad in product(sizes, strides, pads):
        behind = (count - 1) * stride + size - length - pad
        if pad < size and -stride < behind <= pad:
            found.append(Window(size, stride, pad, max(behind, 0), 1))
    return found


@vague("max pool backward")
def _pool(problem: Problem) -> Iterator[Formula]:
    """To the first of the largest elements of each window, or to those whose numbers in an image are passed."""
    for coming in problem.floats:
        for shape in _axes_of(problem, problem.shape, problem.size):
            for of in (one for one in problem.inputs if one.size == coming.size and one is not coming):
                if (of.flat == np.round(of.flat)).all():
                    yield from _to_numbers(coming, of, shape)
            for x in (one for one in problem.floats if one.size == problem.size and one is not coming):
                for windows, counts in _pools(problem, shape, coming):
                    values, at = (
                        placed(one.reshape(shape), windows, counts, fill).reshape(*shape[:2], *counts, -1)
                        for one, fill in ((x.flat, -np.inf), (np.arange(1, x.size + 1), 0))
                    )
                    first = np.take_along_axis(at, values.argmax(axis=-1)[..., None], -1)
                    made = np.bincount(first.reshape(-1), coming.flat, x.size + 1)[1:]
                    yield Formula(f"{coming.name} back to the largest of {x.name}, windows {windows[0].size}", made)


def _pools(problem: Problem, shape: tuple[int, ...], coming: Input) -> Iterator[tuple[list[Window], tuple[int, int]]]:
    sizes = [n for n in dict.fromkeys((*(problem.windows or problem.whole), 2, 3)) if 1 < n < _LONGEST]
    outer = math.prod(shape[:2])
    lengths = [n for n in dict.fromkeys((*coming.axes[-2:], *problem.whole)) if n > 0]
    for counts in permutations([*lengths, *lengths], 2):
        if math.prod(counts) * outer == coming.size:
            each = [_windows(problem, length, count, sizes) for length, count in zip(shape[2:], counts, strict=True)]
            for windows in product(*each):
                if coming.size * windows[0].size * windows[1].size <= _MOST:
                    yield [*windows], counts


def _to_numbers(coming: Input, of: Input, shape: tuple[int, ...]) -> Iterator[Formula]:
    outer, inner = math.prod(shape[:2]), math.prod(shape[2:])
    if coming.size % outer == 0:
        at, back = (one.flat.reshape(outer, -1) for one in (of, coming))
        inside = (at >= 0) & (at < inner)
        made = np.zeros((outer, inner + 1))
        np.add.at(made, (np.arange(outer)[:, None], np.where(inside, at, inner).astype(np.int64)), back)
        yield Formula(f"{coming.name} back to {of.name}", made[:, :-1].reshape(-1))


@vague("conv backward")
def _conv(problem: Problem) -> Iterator[Formula]:
    """To images by weights, and to weights by images; [n, c, h, w] and [out, c, rows, columns] each.

    What comes back has the axes of results, or those of [out, n, rows, columns].
    """
    for coming, other in permutations(problem.floats, 2):
        for made, of, back, swapped in product(
            _axes_of(problem, problem.shape, problem.size),
            _axes_of(problem, other.values.shape, other.size),
            _axes_of(problem, coming.values.shape, coming.size),
            (False, True),
        ):
            results = coming.flat.reshape(back)
            results = results.swapaxes(0, 1) if swapped else results
            for text, image, weight in (("images", made, of), ("weights", of, made)):
                fits = results.shape[:2] == (image[0], weight[0]) and image[1] == weight[1]
                if fits and coming.size * math.prod(weight[1:]) <= _MOST:
                    each = [_windows(problem, image[axis], results.shape[axis], [weight[axis]]) for axis in (2, 3)]
                    for windows in product(*each):
                        values = _through(results, other.flat.reshape(of), image, windows, text)
                        how = f"strides {[one.stride for one in windows]}, paddings {[one.before for one in windows]}"
                        yield Formula(f"{coming.name} back to {text} by {other.name}, {how}", values.reshape(-1))


def _through(
    coming: np.ndarray, other: np.ndarray, image: tuple[int, ...], windows: tuple[Window, ...], what: str
) -> np.ndarray:
    """What comes back through windows, from [n, out, rows, columns]."""
    counts = coming.shape[2:]
    if what == "weights":
        found: np.ndarray = np.einsum("ncpqst,nopq->ocst", placed(other, windows, counts, 0.0), coming, optimize=True)
        return found
    parts = np.einsum("nopq,ocst->ncpqst", coming, other, optimize=True)
    at = placed(np.arange(1, math.prod(image) + 1).reshape(image), windows, counts, 0)
    return np.bincount(at.reshape(-1), parts.reshape(-1), math.prod(image) + 1)[1:]
