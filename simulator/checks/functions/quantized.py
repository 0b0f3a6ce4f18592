"""Whole numbers for floating-point ones, and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from .problem import Formula, Input, Problem, vague

#: The least and the greatest number of each type.
_RANGES = (-128, 127), (-127, 127), (0, 255), (-8, 7), (0, 15)


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
    for s in (one for one in problem.inputs if one is not x and one.values.dtype.kind not in "iub"):
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
    """x / scale or x * scale to the nearest whole number, plus zero, in the range of a type; or by its largest magnitude."""
    for x in problem.like:
        scales = [(f"{x.name} / {name}", x.flat / scale) for name, scale in _scales(problem, x)]
        scales += [(f"{x.name} * {name}", x.flat * scale) for name, scale in _scales(problem, x)]
        for text, rows in problem.along_axes(x):
            most = np.abs(rows).max(axis=1, keepdims=True)
            scales.append((f"{x.name} by its most {text}", (rows * (127 / np.where(most > 0, most, 1))).reshape(-1)))
        for (name, parts), (zero, z), (low, high) in product(scales, _zeros(problem, x), _RANGES):
            for how in (np.rint, lambda a: np.sign(a) * np.floor(np.abs(a) + 0.5), np.trunc):
                made = np.clip(how(parts) + z, low, high)
                yield Formula(f"round({name}){zero.replace(' - ', ' + ')}, in {low}..{high}", made)
