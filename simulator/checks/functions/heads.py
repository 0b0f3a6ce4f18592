"""Heads of attention: how their axes are exchanged and split; sums with biases, and what norms make of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np

from .. import SHAPE_ENTRIES
from . import moves  # noqa: F401  (which have more forms here)
from .problem import FUNCTIONS, Formula, Input, Problem, also, function, of_all_results, spelled


def _heads(problem: Problem, x: Input, parts: int) -> Iterator[tuple[int, int, int, int]]:
    """Batch, tokens, heads and depth of an array that has so many parts."""
    if len(x.values.shape) == 4 and parts == 1:
        a, b, c, d = x.values.shape
        yield from ((a, b, c, d), (a, c, b, d))
    passed = [n for n in dict.fromkeys((*problem.whole, 1)) if n > 0]
    derived = {a // b for a, b in permutations(passed, 2) if a % b == 0}
    for heads, depth in product(passed, sorted({*passed, *derived})):
        for tokens in passed:
            each = parts * heads * depth * tokens
            if x.size % each == 0:
                yield x.size // each, tokens, heads, depth


@also("transpose", "permute")
def _axes(problem: Problem) -> Iterator[Formula]:
    """Four or five axes of a flat array, as passed, in any other order."""
    for x in problem.like:
        for shape in problem.shapes_of_size(x.size):
            for axes in permutations(range(len(shape))) if 3 < len(shape) < 6 else ():
                made = x.flat.reshape(shape).transpose(axes)
                yield Formula(f"{x.name} of {shape}, axes {axes}", made.reshape(-1))


@also("transpose", "permute")
@function("merge heads", "split heads")
def _exchanged(problem: Problem) -> Iterator[Formula]:
    """[batch, tokens, heads, depth] as [batch, heads, tokens, depth], or back; not by an array of rows."""
    by_arrays = any(one.values.dtype.kind in "iu" and one.size > SHAPE_ENTRIES for one in problem.inputs)
    for x in () if by_arrays else problem.like:
        for batch, tokens, heads, depth in dict.fromkeys(_heads(problem, x, 1)):
            for rows, columns in ((tokens, heads), (heads, tokens)) if min(tokens, heads) > 1 else ():
                made = x.flat.reshape(batch, rows, columns, depth).swapaxes(1, 2)
                yield Formula(f"{x.name}, {rows} and {columns} exchanged", made.reshape(-1))


@also("permute")
@function("split qkv")
def _split(problem: Problem) -> Iterator[Formula]:
    """One of three parts of [batch, tokens, 3, heads, depth], with a bias or not; as it lies, or by heads."""
    for x in (one for one in problem.floats if one.size == 3 * problem.size):
        for batch, tokens, heads, depth in dict.fromkeys(_heads(problem, x, 3)):
            for layout, shape, axis in (("parts", (3, heads), 2), ("heads", (heads, 3), 3)):
                whole = x.flat.reshape(batch, tokens, *shape, depth)
                biases = [("", 0.0), *((f" + {b.name}", b.flat.reshape(*shape, depth)) for b in problem.floats
                                       if b.size == 3 * heads * depth and b is not x)]  # fmt: skip
                for (name, bias), part in product(biases, range(3)):
                    one = (whole + bias).take(part, axis)
                    text = f"part {part} of {x.name}{name}, {layout} first, {heads} heads"
                    yield Formula(f"{text}, by heads", one.swapaxes(1, 2).reshape(-1))
                    yield Formula(text, one.reshape(-1))
    for x in problem.like:
        yield from _with_bias(problem, x)


def _with_bias(problem: Problem, x: Input) -> Iterator[Formula]:
    """A part alone with its bias, [batch, tokens, heads, depth] by heads; or all parts."""
    for batch, tokens, heads, depth in dict.fromkeys(_heads(problem, x, 1)):
        for bias in (b for b in problem.floats if b.size == heads * depth and b is not x):
            made = (x.flat.reshape(batch, tokens, -1) + bias.flat).reshape(batch, tokens, heads, depth)
            yield Formula(f"{x.name} + {bias.name}, {heads} heads first", made.swapaxes(1, 2).reshape(-1))
            yield Formula(f"{x.name} + {bias.name}", made.reshape(-1))


@function("permute backward")
def _joined(problem: Problem) -> Iterator[Formula]:
    """Three arrays [batch, heads, tokens, depth] as parts of [batch, tokens, 3, heads, depth]; or axes exchanged."""
    yield from _exchanged(problem)
    parts = [one for one in problem.floats if 3 * one.size == problem.size]
    for three in combinations(parts, 3):
        for batch, tokens, heads, depth in dict.fromkeys(_heads(problem, three[0], 1)):
            turned = [one.flat.reshape(batch, heads, tokens, depth).swapaxes(1, 2) for one in three]
            names = ", ".join(one.name for one in three)
            yield Formula(f"{names} as parts, {heads} heads", np.stack(turned, axis=2).reshape(-1))


spelled("merge heads", "unpermute, combine heads, concat heads, transpose heads back, transpose merge heads")
spelled("split heads", "transpose heads, reshape heads, transpose for scores, transform 0213")
spelled(
    "split qkv",
    """permute qkv, add bias qkv, add qkv bias, qkv bias, add fused qkv bias transpose, qkv split, transpose qkv, add
    qkv bias transpose, add bias transpose qkv, qkv add bias, bias qkv, qkv transpose, split qkv heads, add
    fusedqkv bias transpose, add bias qkv transpose""",
)
spelled("permute backward", "unpermute backward")


def _sums(problem: Problem) -> Iterator[Input]:
    """Two arrays and a bias of each column, summed up; the columns are the last axis."""
    for x, y in combinations(problem.like, 2):
        for bias in (one for one in problem.floats if one.size < x.size and x.size % max(one.size, 1) == 0):
            total = x.flat + y.flat + np.resize(bias.flat, x.size)
            yield Input(f"({x.name} + {y.name} + {bias.name})", total.reshape(x.values.shape))
    for x, y, z in combinations(problem.like, 3):
        for bias in (one for one in problem.floats if one.size < x.size and x.size % max(one.size, 1) == 0):
            total = x.flat + y.flat + z.flat + np.resize(bias.flat, x.size)
            yield Input(f"({x.name} + {y.name} + {z.name} + {bias.name})", total.reshape(x.values.shape))
    for x, y in combinations(problem.like, 2):
        yield Input(f"({x.name} + {y.name})", x.real + y.flat.reshape(x.values.shape))


@function("add bias residual")
def _residual(problem: Problem) -> Iterator[Formula]:
    for total in _sums(problem):
        yield Formula(total.name, total.flat)


@function("add bias residual layer norm")
def _residual_norm(problem: Problem) -> Iterator[Formula]:
    """The norm of the sum, or the sum, which some kernels leave besides."""
    for total in _sums(problem):
        yield Formula(total.name, total.flat)
        rest = tuple(one for one in problem.inputs if one.name not in total.name.strip("()").split(" + "))
        for name in ("layer norm", "rms norm"):
            yield from FUNCTIONS[name](replace(problem, inputs=(total, *rest)))


spelled(
    "add bias residual",
    """bias residual, add bias residual add, fused bias residual, bias residual add, add residual bias, bias add
    residual, fused add bias residual, add bias and residual""",
)
spelled(
    "add bias residual layer norm",
    """add bias residual post layer norm, add bias residual layernorm, bias residual layer norm, add bias residual
    post layernorm, bias residual layernorm, fused bias residual layer norm, add bias residual pre layer norm, add
    bias input layer norm, generate add bias residual layer norm, add bias layer norm""",
)


@function("lrn")
def _normalized(problem: Problem) -> Iterator[Formula]:
    """x / (k + a / size * sum of the squares of channels around)^b, or times a without the size; or what it is by."""
    numbers = [*problem.factors, *map(float, problem.whole)]
    for x in problem.like:
        for images, channels, inner in _channels(problem, x):
            rows = x.flat.reshape(images, channels, inner)
            for size in (n for n in dict.fromkeys(problem.whole) if 1 < n <= 2 * channels):
                summed = _around(rows**2, (size - 1) // 2, size - 1 - (size - 1) // 2)
                for a, k in permutations((*problem.factors, 1.0, 2.0), 2):
                    for share in (a, a / size):
                        by = k + share * summed
                        text = f"{k:g} + {share:g} * squares of {size} channels of {x.name}"
                        yield Formula(text, by.reshape(-1))
                        for b in dict.fromkeys(f for f in numbers if 0 < abs(f) <= 1):
                            yield Formula(f"{x.name} / ({text})**{abs(b):g}", (rows * by ** -abs(b)).reshape(-1))
    for x, scale in permutations(problem.like, 2):
        for b in (f for f in problem.factors if abs(f) <= 1 and (scale.flat > 0).all()):
            yield Formula(f"{x.name} * {scale.name}**{b:g}", x.flat * scale.flat**b)


def _channels(problem: Problem, x: Input) -> Iterator[tuple[int, int, int]]:
    shapes = [x.values.shape] if len(x.axes) > 1 else []
    for shape in shapes:
        yield from ((math.prod(shape[:at]), shape[at], math.prod(shape[at + 1 :])) for at in range(len(shape)))
    passed = [n for n in problem.counts if 1 < n < x.size]
    threes = dict.fromkeys(permutations(passed, 3)) if not shapes else {}
    for channels, height, width in threes:
        if x.size % (channels * height * width) == 0:
            yield x.size // (channels * height * width), channels, height * width


def _around(rows: np.ndarray, before: int, behind: int) -> np.ndarray:
    """The sums of what lies around each place of the middle axis."""
    padded = np.pad(rows, ((0, 0), (before + 1, behind), (0, 0)))
    running = padded.cumsum(axis=1)
    length = before + behind + 1
    found: np.ndarray = running[:, length:] - running[:, :-length]
    return found


of_all_results("lrn")
spelled(
    "lrn",
    """lrn fill scale, lrn compute output, local response norm, local response normalization, cross map norm, cross map
    normalization, lrn across channels""",
)
