"""The axes that flat arrays of images, weights and results may have, by the numbers that a launch passes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, product

from .problem import MOST_ELEMENTS, Input, Problem

#: Shapes that are tried of images of one shape and of all, passed numbers in these, lengths of windows; at most.
_MOST_OF_ONE, _MOST_SHAPES, _MOST_NUMBERS, _LONGEST = 24, 144, 16, 16

_Shape = tuple[int, ...]


def with_axes(problem: Problem, x: Input, *w: Input) -> Iterator[tuple[Problem, Sequence[Input]]]:
    """A problem of windows over images as it is, and with axes for flat images, weights if any, and results."""
    yield problem, (x, *w)
    if len(x.axes) < 2 and len(problem.shape) < 2 and x.size <= MOST_ELEMENTS:
        yield from islice(_shaped(problem, x, w), _MOST_SHAPES)


def _shaped(problem: Problem, x: Input, w: Sequence[Input]) -> Iterator[tuple[Problem, Sequence[Input]]]:
    for shape in shapes_of_images(problem, x.size):
        yield from islice(_of_shape(problem, x, w, shape), _MOST_OF_ONE)


def _of_shape(
    problem: Problem, x: Input, w: Sequence[Input], shape: _Shape
) -> Iterator[tuple[Problem, Sequence[Input]]]:
    for dims in range(max(1, len(shape) - 2), min(len(shape), 3) + 1):
        outer, inner = shape[:-dims], shape[-dims:]
        for kernel in _kernels(problem, w, dims):
            for out in _results(problem, inner, kernel, _channels(outer, problem if w else None)):
                shaped = [_as(x, shape), *(_weights(one, out, kernel) for one in w)]
                made = [one for one in shaped if one]
                if len(made) == len(shaped):
                    others = [one for one in problem.inputs if one is not x and one not in w]
                    yield replace(problem, inputs=(*made, *others), shape=out), made


def _as(one: Input, shape: _Shape) -> Input | None:
    return Input(one.name, one.values.reshape(shape)) if one.size == math.prod(shape) else None


def shapes_of_images(problem: Problem, size: int) -> Sequence[_Shape]:
    """The shapes of so many elements that passed numbers may be, in their order, or with columns before rows.

    Channels may be passed behind rows and columns, but lie before them; and the last axis may be passed first.
    Where they are those of one image, the others lie behind it: how many there are need not be passed.
    """
    passed = [number for number in problem.numbers.values() if isinstance(number, int) and number > 0][:_MOST_NUMBERS]
    whole = [axes for count in (4, 3, 2, 5) for axes in combinations(passed, count) if math.prod(axes) == size]
    images = (axes for count in (3, 2) for axes in combinations(passed, count) if size % math.prod(axes) == 0)
    found = whole + [(size // math.prod(axes), *axes) for axes in images if math.prod(axes) < size]
    each = [(axes, (*axes[:-2], *axes[:-3:-1]), (*axes[:-3], axes[-1], *axes[-3:-1])) for axes in found]
    tried = [one for three in each for one in three[: len(three[0])]]  # two axes have no channels
    return [*dict.fromkeys((*tried, *(axes[::-1] for axes in whole if len(axes) > 2)))]


def _kernels(problem: Problem, w: Sequence[Input], dims: int) -> Iterator[_Shape]:
    """The lengths that windows may have along each axis: those of weights if there are any."""
    passed = problem.windows or problem.whole
    lengths = [n for n in dict.fromkeys((*passed, *(2 * n + 1 for n in passed), 2, 3)) if 0 < n < _LONGEST]
    if w and len(w[0].axes) >= dims > 1:
        yield w[0].axes[-dims:]
        return
    inside = [n for n in passed if 0 < n < _LONGEST]
    for kernel in dict.fromkeys((*((n,) * dims for n in lengths), *combinations(inside, dims))):
        if all(one.size % math.prod(kernel) == 0 for one in w):
            yield kernel


def _channels(outer: _Shape, problem: Problem | None) -> Sequence[_Shape]:
    """The axes before those of windows that results may have: weights may make other channels."""
    if not outer or problem is None:
        return [outer]
    return [(*outer[:-1], n) for n in dict.fromkeys((outer[-1], *problem.whole)) if n > 0]


def _weights(w: Input, out: _Shape, kernel: _Shape) -> Input | None:
    """Weights for each channel of the results and of the images, or for the only one."""
    if len(out) == len(kernel):
        return _as(w, kernel)
    made = out[-len(kernel) - 1]
    return _as(w, (made, w.size // (made * math.prod(kernel)), *kernel))


def _results(problem: Problem, inner: _Shape, kernel: _Shape, outer: Sequence[_Shape]) -> Iterator[_Shape]:
    """The shapes that the results of windows may have."""
    strides = dict.fromkeys(problem.named("stride") or (1, 2, 3, 4))
    dilations, pads = problem.named("dil") or (1,), problem.named("pad")
    counts = [
        {length}
        | {
            (length + before + behind - dilation * (n - 1) - 1) // stride + extra
            for stride, dilation, before, behind in product(strides, dilations, *[pads or (0, n // 2)] * 2)
            for extra in (1, 2)
            if stride > 0
        }
        for length, n in zip(inner, kernel, strict=True)
    ]
    for front, lengths in product(outer, product(*map(sorted, counts))):
        if min(lengths) > 0 and math.prod(front) * math.prod(lengths) == problem.size:
            yield (*front, *lengths)
