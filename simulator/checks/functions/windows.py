"""Convolutions and pooling."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice, product
from typing import NamedTuple

import numpy as np

from .axes_by_name import said_of_axis
from .problem import Formula, Function, Input, Problem, function
from .shapes import with_axes

#: Ways to place windows that are tried, at most; elements in all windows of one, and of all that are tried.
_MOST_TRIED, _MOST_ONE, _MOST = 512, 1 << 28, 1 << 26
_STRIDES = 1, 2, 3, 4
#: Sizes of a pool that are tried besides those that the launch passes: a kernel may have its own.
_SIZES = 2, 3, 4, 5, 6, 7
NAMES = frozenset({"conv", "max pool", "min pool", "sum pool", "avg pool"})


class Window(NamedTuple):
    """How windows lie along an axis."""

    size: int
    stride: int
    before: int  # elements of padding
    behind: int
    dilation: int


def _windows(problem: Problem, length: int, size: int, count: int) -> Iterator[Window]:
    """So many windows of a size on an axis: with what the launch passes as stride, padding and dilation, if it does."""
    small = [n for n in problem.whole if 0 <= n < 9]
    strides = dict.fromkeys(problem.named("stride") or (*small, *_STRIDES))
    dilations = dict.fromkeys(problem.named("dil") or (1, 2))
    pads = dict.fromkeys(problem.named("pad") or (*(n for n in small if n <= size // 2), 0, size // 2))
    for dilation, stride, before in product(dilations, strides, pads):
        reach = dilation * (size - 1) + 1
        behind = max(0, (count - 1) * stride + reach - length - before)  # as much as the last window needs
        fits = dilation > 0 and stride > 0 and 0 < reach <= 2 * length
        if fits and 0 <= before < reach and behind <= before + max(1, stride - 1):
            yield Window(size, stride, before, behind, dilation)


def _by_names(
    problem: Problem, lengths: Sequence[int], sizes: Sequence[int | None], counts: Sequence[int]
) -> tuple[Window, ...]:
    """How windows lie along two axes, if numbers that are named after these say it; none if they do not."""
    found = []
    for axis, (length, size, count) in enumerate(zip(lengths, sizes, counts, strict=True)) if len(lengths) == 2 else ():
        size = size or said_of_axis(problem, "size", axis)
        stride, before, dilation = (said_of_axis(problem, what, axis) for what in ("stride", "pad", "dilation"))
        for one in _windows(problem, length, size, count) if size else ():
            if (one.stride, one.before, one.dilation) == (stride, before or 0, dilation or 1):
                found.append(one)
                break
    return tuple(found) if len(found) == len(lengths) else ()


def _tried(elements: int) -> int:
    """How many ways are tried, of so many elements each."""
    return min(_MOST_TRIED, max(8, _MOST // max(elements, 1)))


def placed(
    x: np.ndarray, windows: Sequence[Window], counts: Sequence[int], fill: float, repeats: bool = False
) -> np.ndarray:
    """[n, c, out..., window...] of [n, c, in...]; it ``repeats`` its border instead of the number to fill."""
    widths = [(0, 0), (0, 0), *((w.before, w.behind) for w in windows)]
    padded = np.pad(x, widths, mode="edge") if repeats else np.pad(x, widths, constant_values=fill)
    axes = tuple(range(2, 2 + len(windows)))
    reach = tuple(w.dilation * (w.size - 1) + 1 for w in windows)
    seen = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=axes)
    step = (
        [slice(None)] * 2
        + [slice(None, None, w.stride) for w in windows]
        + [slice(None, None, w.dilation) for w in windows]
    )
    found: np.ndarray = seen[tuple(step)]
    return found[(slice(None), slice(None), *(slice(count) for count in counts))]


def _images(values: np.ndarray, dims: int, last: bool) -> Iterator[np.ndarray]:
    """An array as images [n, c, ...]; ``last``: the channels are its last axis."""
    shape = values.shape
    if len(shape) == dims + 2:
        yield np.moveaxis(values, -1, 1) if last else values
    elif len(shape) == dims + 1 and last:
        yield np.moveaxis(values, -1, 0)[None]  # one image
        yield np.moveaxis(values, -1, 0)[:, None]  # a window for each channel
    elif len(shape) == dims + 1:
        yield values[None]
        yield values[:, None]
    elif len(shape) == dims and not last:
        yield values[None, None]


def _layouts(problem: Problem, x: Input) -> Iterator[tuple[int, bool, np.ndarray, np.ndarray]]:
    """Axes of a window, whether channels are the last axis, images and results [n, c, ...] in these layouts."""
    results = np.empty(problem.shape)
    for dims, last in product((1, 2, 3), (False, True)):
        for image, out in product(_images(x.real, dims, last), _images(results, dims, last)):
            if image.shape[0] == out.shape[0]:
                yield dims, last, image, out


def _flat(made: np.ndarray, last: bool) -> np.ndarray:
    """Results [n, c, ...] in the order in which they lie."""
    return (np.moveaxis(made, 1, -1) if last else made).reshape(-1)


@function("conv")
def _conv(problem: Problem) -> Iterator[Formula]:
    for pair in combinations(problem.inputs, 2):
        for shaped, (x, w) in with_axes(problem, *pair):
            for dims, last, image, out in _layouts(shaped, x):
                for kernel in (*_images(w.real, dims, last), *_in_pairs(w.real, image.shape[1])):
                    if kernel.ndim != image.ndim or kernel.shape[0] != out.shape[1]:
                        continue
                    if image.shape[1] % kernel.shape[1] == 0:
                        yield from _convolved(shaped, (x, w), (image, kernel), out.shape, last)
                        if kernel.shape[:2] == (1, 1):
                            flipped = (image, np.flip(kernel))
                            yield from _convolved(shaped, (x, w), flipped, out.shape, last, "flipped, ")


def _in_pairs(weights: np.ndarray, channels: int) -> Iterator[np.ndarray]:
    """Weights as BM1684 takes them: [pairs of channels, results, rows, columns, channel of a pair]."""
    if weights.ndim == 4 and weights.shape[0] == -(-channels // 2) and weights.shape[3] % 2 == 0:
        each = weights.reshape(*weights.shape[:3], -1, 2).transpose(1, 0, 4, 2, 3)
        yield each.reshape(each.shape[0], -1, *each.shape[3:])[:, :channels]


def _convolved(
    problem: Problem,
    of: tuple[Input, Input],
    arrays: tuple[np.ndarray, np.ndarray],
    out: tuple[int, ...],
    last: bool,
    side: str = "",
) -> Iterator[Formula]:
    (x, w), (image, kernel) = of, arrays
    groups, cost = image.shape[1] // kernel.shape[1], math.prod(out) * math.prod(kernel.shape[1:])
    if kernel.shape[0] % groups or cost > _MOST_ONE:
        return
    each = [[*_windows(problem, *sizes)] for sizes in zip(image.shape[2:], kernel.shape[2:], out[2:], strict=True)]
    named = _by_names(problem, image.shape[2:], kernel.shape[2:], out[2:])
    weights = kernel.reshape(groups, kernel.shape[0] // groups, *kernel.shape[1:])
    for windows in islice(_together(each, named), _tried(cost)):
        outer, inner = "pqr"[: len(windows)], "stu"[: len(windows)]
        is_filter = kernel.shape[:2] == (1, 1) and any(window.before for window in windows)  # of an image
        for repeats in (False, True)[: 1 + is_filter]:
            seen = placed(image, windows, out[2:], 0.0, repeats)
            seen = seen.reshape(seen.shape[0], groups, kernel.shape[1], *seen.shape[2:])
            made = np.einsum(f"ngc{outer}{inner},goc{inner}->ngo{outer}", seen, weights, optimize=True).reshape(out)
            how = f"{side}stride {windows[0].stride}, padding {windows[0].before}" + " of the border" * repeats
            yield Formula(f"conv({x.name}, {w.name}), {how}", _flat(made, last))
            for bias in problem.inputs:
                if bias not in of and bias.size == out[1]:
                    shifted = made + bias.flat.reshape(1, -1, *[1] * len(windows))
                    yield Formula(f"conv({x.name}, {w.name}) + {bias.name}, {how}", _flat(shifted, last))


def _together(each: Sequence[Sequence[Window]], named: tuple[Window, ...]) -> Iterator[tuple[Window, ...]]:
    """Windows for all axes: those that names say, those that are alike but for what stands behind, and all others."""
    if named:
        yield named
    tables = [{window._replace(behind=0): window for window in windows} for windows in each]
    for kind in tables[0]:
        if all(kind in table for table in tables):
            yield tuple(table[kind] for table in tables)
    for windows in product(*each):
        if len({window._replace(behind=0) for window in windows}) > 1:
            yield windows


def _pool(name: str, fill: float, form: Callable[[np.ndarray, tuple[int, ...]], np.ndarray]) -> Function:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for source in problem.inputs:
            for shaped, (x,) in with_axes(problem, source):
                for _, last, image, out in _layouts(shaped, x):
                    if image.shape[1] == out.shape[1]:
                        for text, made in _pooled(shaped, image, out.shape):
                            yield Formula(f"{name}({x.name}), {text}", _flat(made, last))

    def _pooled(problem: Problem, image: np.ndarray, out: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray]]:
        small = (*(n for n in problem.whole if 0 < n < 16), *_SIZES)
        sizes = problem.windows or dict.fromkeys(small)
        each = [
            [window for size in sizes for window in _windows(problem, length, size, count)]
            for length, count in zip(image.shape[2:], out[2:], strict=True)
        ]
        most = _tried(math.prod(out) * max((window.size for window in each[0]), default=1) ** len(each))
        named = _by_names(problem, image.shape[2:], [None] * len(each), out[2:])
        of_all = set(problem.windows) if len(problem.windows) <= len(each) else set()  # one for each axis
        for windows in (
            one for one in islice(_together(each, named), most) if of_all.issubset(window.size for window in one)
        ):
            seen = placed(image, windows, out[2:], fill)
            axes = tuple(range(2 + len(windows), 2 + 2 * len(windows)))
            yield f"window {windows[0].size}, stride {windows[0].stride}", form(seen, axes)

    return formulas


_PADDED = _pool("avg_pool", 0.0, lambda x, axes: x.mean(axis=axes))
_COUNTED = _pool("avg_pool", np.nan, lambda x, axes: np.nansum(x, axis=axes) / (~np.isnan(x)).sum(axis=axes))
function("max pool")(_pool("max_pool", -np.inf, lambda x, axes: x.max(axis=axes)))
function("min pool")(_pool("min_pool", np.inf, lambda x, axes: x.min(axis=axes)))
function("sum pool")(_pool("sum_pool", 0.0, lambda x, axes: x.sum(axis=axes)))


@function("avg pool")
def _avg_pool(problem: Problem) -> Iterator[Formula]:
    """With padding among what is averaged, or without."""
    yield from _PADDED(problem)
    yield from _COUNTED(problem)
