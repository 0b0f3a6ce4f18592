"""Whole numbers for floating-point ones, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

import numpy as np

from .problem import Formula, Input, Problem, vague

#: The least and the greatest number of each type.
_RANGES = (-128, 127), (-127, 127), (0, 255), (-8, 7), (0, 15)
#: To the nearest, a half to the even number or away from 0; or cut.
_ROUNDED: Sequence[Callable[[np.ndarray], np.ndarray]] = (
    np.rint, lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5), np.trunc,
)  # fmt: skip


def _spread(problem: Problem, x: Input, s: Input) -> Iterator[tuple[str, np.ndarray]]:
    """A number for each element: for all, for rows, columns or channels, for groups of a row, for tiles of a matrix."""
    if s.size == 1:
        yield "", np.full(x.size, s.flat[0])
        return
    if x.size % s.size == 0:
        yield "one for each group", np.repeat(s.flat, x.size // s.size)
        yield "one for each column", np.tile(s.flat, x.size // s.size)
    for _, rows in problem.along_axes(x):
        if rows.shape[1] == s.size and rows.shape[0] > 1 and rows.shape[2] > 1:
            yield "one for each channel", np.broadcast_to(s.flat[None, :, None], rows.shape).reshape(-1)
    for text, image in problem.images_of(x):
        rows, columns = image.shape[1:3]
        for tile in (n for n in problem.whole if 1 < n <= 1024 and image.shape[0] == image.shape[3] == 1):
            for down, across in ((tile, tile), (tile, 1), (1, tile)):
                counts = -(-rows // down), -(-columns // across)
                if counts[0] * counts[1] == s.size:
                    wide = s.flat.reshape(counts).repeat(down, 0).repeat(across, 1)[:rows, :columns]
                    yield f"one for {down}x{across} {text}", wide.reshape(-1)


def _scales(problem: Problem, x: Input) -> Iterator[tuple[str, np.ndarray]]:
    for factor in problem.factors:
        yield f"{factor:g}", np.full(1, factor)
    for s in (one for one in problem.floats if one is not x):
        for text, wide in _spread(problem, x, s):
            yield f"{s.name} {text}".rstrip(), wide


def _zeros(problem: Problem, x: Input) -> Iterator[tuple[str, np.ndarray]]:
    yield "", np.zeros(1)
    for n in dict.fromkeys((*problem.named("zero", "zp", "offset", "bias"), *problem.factors)):
        yield f" - {n:g}", np.full(1, float(n))
    for z in (one for one in problem.inputs if one is not x):
        for text, wide in _spread(problem, x, z):
            yield f" - {z.name} {text}".rstrip(), wide


@vague("dequantize")
def _dequantize(problem: Problem) -> Iterator[Formula]:
    """(x - zero) * scale, or x * scale + zero."""
    for x in problem.like:
        for (zero, z), (name, scale) in product(_zeros(problem, x), _scales(problem, x)):
            yield Formula(f"({x.name}{zero}) * {name}", (x.flat - z) * scale)
            if zero:
                yield Formula(f"{x.name} * {name} + {zero[3:]}", x.flat * scale + z)


@vague("quantize")
def _quantize(problem: Problem) -> Iterator[Formula]:
    """x / scale, x * scale or x by its largest magnitude to the nearest whole number, plus zero, in a range."""
    for x in problem.like:
        scales = [(f"{x.name} / {name}", x.flat / scale) for name, scale in _scales(problem, x)]
        scales += [(f"{x.name} * {name}", x.flat * scale) for name, scale in _scales(problem, x)]
        for text, rows in problem.along_axes(x):
            most = np.abs(rows).max(axis=1, keepdims=True)
            scales.append((f"{x.name} by its most {text}", (rows * (127 / np.where(most > 0, most, 1))).reshape(-1)))
        for (name, parts), (zero, z), (low, high) in product(scales, _zeros(problem, x), _RANGES):
            for how in _ROUNDED:
                made = np.clip(how(parts) + z, low, high)
                yield Formula(f"round({name}){zero.replace(' - ', ' + ')}, in {low}..{high}", made)


@vague("quantized matmul")
def _matmul(problem: Problem) -> Iterator[Formula]:
    """round((A - a) @ (B - b) * s * t / u) + c, by the scales and the zeros of A, B and the result in their order."""
    zeros = problem.named("zero", "zp", "offset")[:3] or [0, 0, 0]
    scales = problem.factors[:3]
    if len(zeros) < 3 or len(scales) < 3 or not scales[2]:
        return
    for a, b in combinations(problem.inputs, 2):
        inner = math.isqrt(a.size * b.size // problem.size)
        if not inner or a.size % inner or b.size % inner or inner * inner * problem.size != a.size * b.size:
            continue
        left, right = (a.flat - zeros[0]).reshape(-1, inner), b.flat - zeros[1]
        for text, other in (("", right.reshape(inner, -1)), (".T", right.reshape(-1, inner).T)):
            exact = left @ other * (scales[0] * scales[1] / scales[2])
            for (low, high), how in product(_RANGES, _ROUNDED):
                made = np.clip(how(exact) + zeros[2], low, high)
                yield Formula(f"quantized {a.name} @ {b.name}{text}, in {low}..{high}", made.reshape(-1))
