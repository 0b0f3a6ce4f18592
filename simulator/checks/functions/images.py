"""Functions of images: gray levels, filters over neighbours, edges, steps over a grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, vague

#: What stands beyond the border of an image, as `numpy.pad` says it.
_BORDERS = "constant", "edge", "reflect", "symmetric", "wrap"
#: Weights of red, green and blue.
_GRAY = (
    (0.299, 0.587, 0.114), (0.2126, 0.7152, 0.0722), (0.21, 0.72, 0.07), (0.21, 0.71, 0.07), (0.2989, 0.587, 0.114),
    (77 / 256, 150 / 256, 29 / 256), (1 / 3, 1 / 3, 1 / 3),
)  # fmt: skip
#: Lengths of windows where none is passed, and of those that are tried at most.
_USUAL, _LONGEST = (3, 5, 7), 33
#: Elements in all windows of an image of which each is the least, the greatest or the middle, at most.
_MOST = 1 << 24
#: How rows of weights smooth across the direction of a derivative.
_DERIVATIVES: Mapping[str, Sequence[float]] = {"sobel": (1, 2, 1), "prewitt": (1, 1, 1), "scharr": (3, 10, 3)}

_Weights = np.ndarray  # [rows, columns]
_Images = np.ndarray  # [images, rows, columns, channels]


def rounded(text: str, values: np.ndarray) -> Iterator[Formula]:
    """Numbers as they are, and as whole numbers, if more than one is left: cut, to the nearest, in 0..255."""
    values = values.reshape(-1)
    yield Formula(text, values)
    whole = [("", np.trunc(values)), ("", np.rint(values)), ("", np.floor(values + 0.5))]
    whole.append((", in 0..255", np.trunc(np.clip(values, 0, 255))))
    for how, made in whole:
        if (made != made[0]).any() and (made != values).any():
            yield Formula(f"{text}{how}", made)


def _lengths(problem: Problem) -> Sequence[int]:
    """The lengths that windows may have: as passed, or by a radius that is passed."""
    passed = [n for n in problem.named("radius", "half") if n > 0]
    passed = [2 * n + 1 for n in passed] or [m for n in problem.whole if 0 < n <= _LONGEST for m in (n, 2 * n + 1)]
    return [n for n in dict.fromkeys((*passed, *_USUAL)) if 1 < n <= _LONGEST]


def _windows(problem: Problem) -> Iterator[tuple[int, int]]:
    for n in _lengths(problem):
        yield from ((n, n), (1, n), (n, 1))


def _weighted(x: _Images, weights: _Weights, border: str = "constant", back: int = 0) -> _Images:
    """The sum of the neighbours of each pixel times weights; an even window reaches ``back`` by one more."""
    views = _neighbours(x, weights.shape, border, back=back)
    parts = (w * view for w, view in zip(weights.reshape(-1), views, strict=True) if w)
    found: np.ndarray = reduce(np.add, parts, np.zeros_like(x))
    return found


def _neighbours(
    x: _Images, size: tuple[int, ...], border: str = "constant", fill: float = 0.0, back: int = 0
) -> Iterator[_Images]:
    """Images that are shifted by each place in a window around a pixel."""
    before = [(n - 1 + back) // 2 for n in size]
    widths = [(0, 0), *((b, n - 1 - b) for b, n in zip(before, size, strict=True)), (0, 0)]
    padded = np.pad(x, widths, constant_values=fill) if border == "constant" else np.pad(x, widths, mode=border)  # type: ignore[call-overload]
    for i, j in np.ndindex(*size):
        yield padded[:, i : i + x.shape[1], j : j + x.shape[2]]


def _edged(made: _Images, x: _Images, size: tuple[int, ...]) -> Iterator[tuple[str, _Images]]:
    """Results where the whole window is in the image, if it is anywhere; with a border that is zero, or kept."""
    rows, columns = (n // 2 for n in size)
    middle = (slice(None), slice(rows, made.shape[1] - rows), slice(columns, made.shape[2] - columns))
    for how, border in (("0", np.zeros_like(x)), ("kept", x.copy())) if made[middle].size else ():
        border[middle] = made[middle]
        yield how, border


def _bordered(made: Callable[[str], _Images], x: _Images, size: tuple[int, ...]) -> Iterator[tuple[str, _Images]]:
    """Results with each kind of border."""
    first = made("constant")
    yield "", first
    yield from ((f", border {how}", edged) for how, edged in _edged(first, x, size))
    for border in _BORDERS[1:]:
        yield f", border {border}", made(border)


@vague("grayscale")
def _grayscale(problem: Problem) -> Iterator[Formula]:
    for x, channels, planar in product(problem.inputs, (3, 4), (False, True)):
        if x.size == channels * problem.size:
            parts = x.flat.reshape(channels, -1) if planar else x.flat.reshape(-1, channels).T
            for weights, order in product(_GRAY, ("rgb", "bgr")):
                named = zip(weights, parts[:3] if order == "rgb" else parts[2::-1], strict=True)
                yield from rounded(f"grayscale({x.name}), {order}", sum(w * part for w, part in named))


@vague("invert")
def _invert(problem: Problem) -> Iterator[Formula]:
    """255 - x, 1 - x or each bit; of four channels all, or but the last one."""
    for x in problem.like:
        for most in (255, 1, -1):
            made = most - x.flat
            yield Formula(f"{most} - {x.name}", made)
            if x.size % 4 == 0:
                kept = np.where(np.arange(x.size) % 4 == 3, x.flat, made)
                yield Formula(f"{most} - {x.name}, the last of four channels kept", kept)


@vague("box filter")
def _box(problem: Problem) -> Iterator[Formula]:
    """The sum or the mean of a window; at the border of what is in the image, or of all."""
    for x in problem.like:
        for text, image in problem.images_of(x):
            for size in _windows(problem):
                if size[0] > 2 * image.shape[1] or size[1] > 2 * image.shape[2]:
                    continue
                total = partial(_weighted, image, np.ones(size))
                inside = _weighted(np.ones_like(image), np.ones(size))
                title = f"box filter of {size[0]}x{size[1]}({x.name}) {text}"
                for made in _opaque(total() / inside):
                    yield from rounded(f"{title}, mean of what is in the image", made)
                for how, values in _bordered(total, image, size):
                    yield from rounded(f"{title}{how}, mean", values / (size[0] * size[1]))
                    yield Formula(f"{title}{how}, sum", values.reshape(-1))


@function("mean filter")
def _mean(problem: Problem) -> Iterator[Formula]:
    yield from (formula for formula in _box(problem) if not formula.text.endswith(", sum"))


def _opaque(made: _Images) -> Iterator[_Images]:
    """As it is, and of four channels with the last one at its most."""
    yield made
    if made.shape[3] == 4:
        yield np.concatenate([made[..., :3], np.full_like(made[..., 3:], 255)], axis=3)


@vague("gaussian filter")
def _gaussian(problem: Problem) -> Iterator[Formula]:
    """With weights that are passed, or those of binomials."""
    for x in problem.like:
        tables = [(w.name, table) for w in problem.inputs if w is not x for table in _tables(problem, w)]
        for row in (np.array([1.0, 2, 1]), np.array([1.0, 4, 6, 4, 1])):
            tables.append((f"{len(row)}x{len(row)}", np.outer(row, row) / row.sum() ** 2))
        for text, image in problem.images_of(x):
            for name, weights in tables:
                if weights.shape[0] > 2 * image.shape[1] or weights.shape[1] > 2 * image.shape[2]:
                    continue
                inside = _weighted(np.ones_like(image), weights)
                made = partial(_weighted, image, weights)
                for how, values in _bordered(made, image, weights.shape):
                    yield from rounded(f"filter({x.name}, {name}) {text}{how}", values)
                    yield from rounded(f"filter({x.name}, {name}) {text}{how}, normed", values / weights.sum())
                yield from rounded(f"filter({x.name}, {name}) {text}, normed inside", made() / inside)


def _tables(problem: Problem, w: Input) -> Iterator[_Weights]:
    """An array as the weights of a window, if it is small: a row, a column, a square."""
    if len(w.axes) == 2 and max(w.axes) <= _LONGEST:
        yield w.real.reshape(w.axes)
    elif len(w.axes) == 1 and w.size <= _LONGEST**2:
        sides = [(n, w.size // n) for n in dict.fromkeys((round(w.size**0.5), *problem.whole)) if n > 0]
        for rows, columns in dict.fromkeys((*sides, (1, w.size), (w.size, 1))):
            if rows * columns == w.size and max(rows, columns) <= _LONGEST:
                yield w.flat.reshape(rows, columns)


@vague("erode", "dilate")
def _morphology(problem: Problem) -> Iterator[Formula]:
    """The least or the greatest of a window, or of the places that a structure marks; none beyond the border."""
    for x in problem.like:
        tables = [(w.name, table) for w in problem.inputs if w is not x for table in _tables(problem, w)]
        tables += [(f"{n[0]}x{n[1]}", np.ones(n)) for n in _windows(problem)]
        for text, image in problem.images_of(x):
            for (name, table), back in product(tables, (0, 1)):
                odd = all(n % 2 for n in table.shape)
                if not (table != 0).any() or (back and odd) or table.size * image.size > _MOST:
                    continue
                for title, ufunc, fill in (("erode", np.minimum, np.inf), ("dilate", np.maximum, -np.inf)):
                    places = zip(
                        table.reshape(-1), _neighbours(image, table.shape, "constant", fill, back), strict=True
                    )
                    made = reduce(ufunc, (view for marked, view in places if marked))
                    yield Formula(f"{title}({x.name}, {name}) {text}", made.reshape(-1))
                    for how, edged in _edged(made, image, table.shape):
                        yield Formula(f"{title}({x.name}, {name}) {text}, border {how}", edged.reshape(-1))


@vague("median filter")
def _median(problem: Problem) -> Iterator[Formula]:
    for x in problem.like:
        for text, image in problem.images_of(x):
            most = min(*image.shape[1:3], _USUAL[-1], math.isqrt(_MOST // image.size))
            for n in (n for n in _lengths(problem) if n % 2 and n <= most):

                def made(border: str, image: _Images = image, n: int = n) -> _Images:
                    found: np.ndarray = np.median(np.stack([*_neighbours(image, (n, n), border)]), axis=0)
                    return found

                for how, values in _bordered(made, image, (n, n)):
                    yield Formula(f"median of {n}x{n}({x.name}) {text}{how}", values.reshape(-1))


def _edges(name: str) -> Callable[[Problem], Iterator[Formula]]:
    """The derivatives of an image along rows and columns, and how large they are together."""
    across = np.outer(_DERIVATIVES[name], (-1.0, 0.0, 1.0))

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.like:
            for text, image in problem.images_of(x):
                if min(image.shape[1:3]) < 3:
                    continue
                both = [[*_bordered(partial(_weighted, image, w), image, (3, 3))] for w in (across, across.T)]
                for (how, gx), (_, gy) in zip(*both, strict=True):
                    for form, values in _sizes_of(gx, gy):
                        yield from rounded(f"{name}({x.name}) {text}{how}, {form}", values)

    return formulas


def _sizes_of(gx: _Images, gy: _Images) -> Iterator[tuple[str, _Images]]:
    yield "sqrt(gx^2 + gy^2)", np.hypot(gx, gy)
    yield "|gx| + |gy|", np.abs(gx) + np.abs(gy)
    yield "(|gx| + |gy|) / 2", (np.abs(gx) + np.abs(gy)) / 2
    for title, one in (("gx", gx), ("gy", gy)):
        yield from ((title, one), (f"-{title}", -one), (f"|{title}|", np.abs(one)))


for _name in _DERIVATIVES:
    vague(_name)(_edges(_name))


@vague("harris")
def _harris(problem: Problem) -> Iterator[Formula]:
    """det - k * trace^2 of the sums of products of two derivatives over a window."""
    for x, y in permutations(problem.like, 2):
        for text, gx in problem.images_of(x):
            gy = y.flat.reshape(gx.shape)
            for n, k in product(_lengths(problem), (*problem.factors, 0.04)):
                ones = np.ones((n, n))
                for mean, border in product((1.0, n * n), _BORDERS[:2]):
                    xx, xy, yy = (_weighted(a * b, ones, border) / mean for a, b in ((gx, gx), (gx, gy), (gy, gy)))
                    made = xx * yy - xy * xy - k * (xx + yy) ** 2
                    yield Formula(f"harris({x.name}, {y.name}) of {n}x{n}, k {k:g} {text}", made.reshape(-1))
