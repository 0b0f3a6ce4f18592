"""What images with their channels last have at places in pixels, and the gradients of both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from .problem import Formula, Input, Problem, function, of_all_results, spelled
from .sampled import given, taken

_Case = tuple[str, tuple[int, int, int, int], np.ndarray, np.ndarray]


def _cases(problem: Problem, warp: Input, shape: tuple[int, ...], size: int) -> Iterator[_Case]:
    """Axes [n, h, w, c] of images, and places (y, x) or (x, y) of each image."""
    shapes = [shape] if len(shape) == 4 else [axes for axes in problem.shapes_of_size(size) if len(axes) == 4]
    for n, h, w, c in dict.fromkeys(shapes):
        if warp.size % (2 * n) == 0:
            at = warp.flat.reshape(n, -1, 2)
            yield "(x, y)", (n, h, w, c), at[..., 1], at[..., 0]
            yield "(y, x)", (n, h, w, c), at[..., 0], at[..., 1]


@function("resampler")
def _resampled(problem: Problem) -> Iterator[Formula]:
    """Linear between four pixels, of which those outside are 0."""
    for image, warp in permutations(problem.floats, 2):
        for order, (n, h, w, c), y, x in _cases(problem, warp, image.values.shape, image.size):
            if y.size * c == problem.size:
                made = taken(image.flat.reshape(n, h, w, c).transpose(0, 3, 1, 2), y, x)
                yield Formula(f"{image.name} at {order} of {warp.name}", made.swapaxes(1, 2).reshape(-1))


@function("resampler backward")
def _back(problem: Problem) -> Iterator[Formula]:
    for warp, coming in permutations(problem.floats, 2):
        for order, (n, h, w, c), y, x in _cases(problem, warp, problem.shape, problem.size):
            if y.size * c == coming.size:
                back = coming.flat.reshape(n, -1, c).swapaxes(1, 2)
                made = given(back, y, x, h, w).transpose(0, 2, 3, 1)
                yield Formula(f"{coming.name} back to {order} of {warp.name}", made.reshape(-1))
    for image, warp, coming in permutations(problem.floats, 3):
        for order, (n, h, w, c), y, x in _cases(problem, warp, image.values.shape, image.size):
            if warp.size == problem.size and y.size * c == coming.size:
                back = coming.flat.reshape(n, -1, c).swapaxes(1, 2)
                slopes = _slopes(image.flat.reshape(n, h, w, c).transpose(0, 3, 1, 2), y, x)
                down, across = ((back * one).sum(axis=1) for one in slopes)
                both = (across, down) if order == "(x, y)" else (down, across)
                text = f"{coming.name} back to the places {order} of {warp.name} in {image.name}"
                yield Formula(text, np.stack(both, axis=-1).reshape(-1))


def _slopes(image: np.ndarray, y: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How fast what lies at points changes down and across, 0 outside, [n, c, points]."""
    h, w = image.shape[2:]
    inside = ((y > -1) & (y < h) & (x > -1) & (x < w))[:, None]
    top, left = np.floor(y), np.floor(x)
    down = taken(image, top + 1, x) - taken(image, top, x)
    across = taken(image, y, left + 1) - taken(image, y, left)
    return down * inside, across * inside


of_all_results("resampler backward")
spelled("resampler", "resample 2d, resampling")
