"""Rotary embeddings: pairs of elements that are turned by angles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, vague

#: The base of the angles where none is passed.
_BASE = 10000.0


@vague("rope")
def _rope(problem: Problem) -> Iterator[Formula]:
    """Of elements that follow each other, or of the halves of a row; by cosines and sines, or by a base."""
    for x in problem.like:
        for depth in dict.fromkeys((*x.axes[-1:], *problem.whole)):
            if depth < 2 or depth % 2 or x.size % depth:
                continue
            for text, cos, sin in _tables(problem, x, depth):
                yield from _turned(f"rope({x.name}){text}", x.flat.reshape(-1, depth), cos, sin)


def _tables(problem: Problem, x: Input, depth: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Cosines and sines, [places, depth / 2]."""
    half = depth // 2
    for cos, sin in permutations([one for one in problem.inputs if one is not x], 2):
        if cos.size == sin.size and not (cos.flat**2 + sin.flat**2 - 1).max() > 1e-2:
            for width in dict.fromkeys(cos.axes[-1:] if len(cos.axes) > 1 else (half, depth)):
                if cos.size % width == 0 and width in (half, depth):
                    c, s = (one.flat.reshape(-1, width) for one in (cos, sin))
                    for text, which in (("", slice(half)), (", angles in pairs", slice(None, None, width // half))):
                        yield text, c[:, which], s[:, which]
                        for name, at in _picked(problem, len(c)):
                            yield f", place {name}{text}", c[at, which], s[at, which]
    rows = x.size // depth
    for base, places in product(dict.fromkeys((*problem.factors, _BASE)), _places(problem, x, rows)):
        if base > 1:
            angles = places[:, None] * base ** (-np.arange(half) / half)
            yield f", base {base:g}", np.cos(angles), np.sin(angles)


def _picked(problem: Problem, count: int) -> Iterator[tuple[str, np.ndarray]]:
    """Places in a table: one for all, or as passed in an array."""
    yield from ((str(at), np.array([at])) for at in problem.whole if 0 <= at < count)
    for one in problem.inputs:
        if one.values.dtype.kind in "iu" and int(one.values.min()) >= 0 and int(one.values.max()) < count:
            yield one.name, one.values.reshape(-1).astype(np.int64)


def _places(problem: Problem, x: Input, rows: int) -> Iterator[np.ndarray]:
    """The places of rows: in their order, as passed in an array, or one for all."""
    counts = dict.fromkeys((rows, *x.axes, *problem.whole))
    yield from (np.arange(count) for count in counts if 0 < count <= rows and rows % count == 0)
    yield from (one.flat for one in problem.inputs if one.values.dtype.kind in "iu" and rows % one.size == 0)
    yield from (np.array([float(at)]) for at in problem.named("pos", "offset") if 0 <= at < 1 << 31)


def _turned(text: str, rows: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> Iterator[Formula]:
    """A table for each row in turn, or for so many rows one after the other."""
    if len(rows) % len(cos):
        return
    half, times = cos.shape[1], len(rows) // len(cos)
    pairs: Sequence[tuple[str, slice, slice]] = (
        ("pairs", slice(0, None, 2), slice(1, None, 2)), ("halves", slice(half), slice(half, None)),
    )  # fmt: skip
    for each in (n for n in range(1, times + 1) if times % n == 0):
        c, s = (np.tile(np.repeat(table, each, axis=0), (times // each, 1)) for table in (cos, sin))
        for title, first, second in pairs:
            a, b, made = rows[:, first], rows[:, second], np.empty_like(rows)
            made[:, first], made[:, second] = a * c - b * s, a * s + b * c
            yield Formula(f"{text}, {title}", made.reshape(-1))
