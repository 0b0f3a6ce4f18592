"""Convolutions and pooling."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice, product
from typing import NamedTuple

import numpy as np

from .problem import Formula, Function, Input, Problem, function

#: Ways to place windows that are tried, at most; elements in all windows of one, and of all that are tried.
_MOST_TRIED, _MOST_ONE, _MOST = 512, 1 << 28, 1 << 26
_STRIDES = 1, 2, 3, 4
NAMES = frozenset({"conv", "max pool", "avg pool"})


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
        if dilation > 0 and stride > 0 and 0 <= before < reach and behind < reach:
            yield Window(size, stride, before, behind, dilation)


def _tried(elements: int) -> int:
    """How many ways are tried, of so many elements each."""
    return min(_MOST_TRIED, max(8, _MOST // max(elements, 1)))


def _placed(x: np.ndarray, windows: Sequence[Window], counts: Sequence[int], fill: float) -> np.ndarray:
    """[n, c, out..., window...] of [n, c, in...]."""
    padded = np.pad(x, [(0, 0), (0, 0), *((w.before, w.behind) for w in windows)], constant_values=fill)
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


def _images(problem: Problem, one: Input | Sequence[int], dims: int) -> Iterator[tuple[int, ...]]:
    """Shapes [n, c, ...] that an array may have."""
    shape = one.values.shape if isinstance(one, Input) else tuple(one)
    if len(shape) == dims + 2:
        yield shape
    elif len(shape) == dims + 1:
        yield (1, *shape)
        yield (shape[0], 1, *shape[1:])
    elif len(shape) == dims and (dims > 1 or shape[0] in problem.whole):  # a flat array may be anything else
        yield (1, 1, *shape)


@function("conv")
def _conv(problem: Problem) -> Iterator[Formula]:
    for x, w in combinations(problem.inputs, 2):
        for dims in (1, 2, 3):
            for image, kernel, out in product(
                _images(problem, x, dims), _images(problem, w, dims), _images(problem, problem.shape, dims)
            ):
                if image[0] != out[0] or kernel[0] != out[1] or image[1] % kernel[1]:
                    continue
                yield from _convolved(problem, (x, w), (image, kernel, out))


def _convolved(problem: Problem, of: tuple[Input, Input], shapes: tuple[tuple[int, ...], ...]) -> Iterator[Formula]:
    (x, w), (image, kernel, out) = of, shapes
    groups = image[1] // kernel[1]
    if kernel[0] % groups or math.prod(out) * math.prod(kernel[1:]) > _MOST_ONE:
        return
    each = [_windows(problem, *sizes) for sizes in zip(image[2:], kernel[2:], out[2:], strict=True)]
    for windows in islice(product(*map(list, each)), _tried(math.prod(out) * math.prod(kernel[1:]))):
        placed = _placed(x.real.reshape(image), windows, out[2:], 0.0)
        letters = "pqrstu"[: 2 * len(windows)]
        outer, inner = letters[: len(windows)], letters[len(windows) :]
        placed = placed.reshape(image[0], groups, kernel[1], *placed.shape[2:])
        weights = w.real.reshape(groups, kernel[0] // groups, *kernel[1:])
        made = np.einsum(f"ngc{outer}{inner},goc{inner}->ngo{outer}", placed, weights, optimize=True).reshape(out)
        how = ", ".join(f"stride {one.stride}, padding {one.before}" for one in windows[:1])
        yield Formula(f"conv({x.name}, {w.name}), {how}", made.reshape(-1))
        for bias in problem.inputs:
            if bias not in of and bias.size == out[1]:
                shifted = made + bias.flat.reshape(1, -1, *[1] * len(windows))
                yield Formula(f"conv({x.name}, {w.name}) + {bias.name}, {how}", shifted.reshape(-1))


def _pool(name: str, fill: float, form: Callable[[np.ndarray, tuple[int, ...]], np.ndarray]) -> Function:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.inputs:
            for dims in (1, 2, 3):
                for image, out in product(_images(problem, x, dims), _images(problem, problem.shape, dims)):
                    if image[:2] == out[:2]:
                        yield from _pooled(problem, x, image, out)

    def _pooled(problem: Problem, x: Input, image: tuple[int, ...], out: tuple[int, ...]) -> Iterator[Formula]:
        sizes = dict.fromkeys(
            problem.named("kernel", "pool", "window") or (*(n for n in problem.whole if 0 < n < 16), 2, 3)
        )
        each = [
            [window for size in sizes for window in _windows(problem, length, size, count)]
            for length, count in zip(image[2:], out[2:], strict=True)
        ]
        alike = sorted(product(*each), key=lambda windows: len(set(windows)))
        most = _tried(math.prod(out) * max((window.size for window in each[0]), default=1) ** len(each))
        for windows in alike[:most]:
            placed = _placed(x.real.reshape(image), windows, out[2:], fill)
            axes = tuple(range(2 + len(windows), 2 + 2 * len(windows)))
            yield Formula(
                f"{name}({x.name}), window {windows[0].size}, stride {windows[0].stride}",
                form(placed, axes).reshape(-1),
            )

    return formulas


_PADDED = _pool("avg_pool", 0.0, lambda x, axes: x.mean(axis=axes))
_COUNTED = _pool("avg_pool", np.nan, lambda x, axes: np.nanmean(x, axis=axes))
function("max pool")(_pool("max_pool", -np.inf, lambda x, axes: x.max(axis=axes)))


@function("avg pool")
def _avg_pool(problem: Problem) -> Iterator[Formula]:
    """With padding among what is averaged, or without."""
    yield from _PADDED(problem)
    yield from _COUNTED(problem)
