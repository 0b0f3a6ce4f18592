"""Rotary embeddings: pairs of elements that are turned by angles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, vague

#: The base of the angles where none is passed.
_BASE = 10000.0
#: How far squares of cosines and sines may be from 1 together.
_ROUGH = 1e-2


@vague("rope")
def _rope(problem: Problem) -> Iterator[Formula]:
    """Of elements that follow each other, or of the halves of a row; by cosines and sines, or by a base.

    What a row has behind the elements that are turned is left as it is.
    """
    for x in problem.like:
        for depth in (n for n in dict.fromkeys((*x.axes[-1:], *problem.whole)) if n > 1 and x.size % n == 0):
            rows = x.flat.reshape(-1, depth)
            for turned in (n for n in dict.fromkeys((depth, *problem.whole)) if 1 < n <= depth and n % 2 == 0):
                for text, cos, sin in _tables(problem, x, rows, turned):
                    yield from _turned(f"rope({x.name}){text}", rows, cos, sin)


def _tables(problem: Problem, x: Input, rows: np.ndarray, depth: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Cosines and sines, [places, depth / 2]."""
    half = depth // 2
    for both in (one for one in problem.inputs if one is not x and one.size % depth == 0):
        c, s = both.flat.reshape(-1, 2, half).transpose(1, 0, 2)
        if both.size and both.values.dtype.kind not in "iu" and not np.abs(c**2 + s**2 - 1).max() > _ROUGH:
            yield ", one table", c, s
            for name, at in _picked(problem, len(c)):
                yield f", one table, place {name}", c[at], s[at]
    for cos, sin in permutations([one for one in problem.inputs if one is not x], 2):
        if cos.size == sin.size and (_says(cos, sin) or not (cos.flat**2 + sin.flat**2 - 1).max() > _ROUGH):
            for width in dict.fromkeys(cos.axes[-1:] if len(cos.axes) > 1 else (half, depth)):
                if cos.size % width == 0 and width in (half, depth):
                    c, s = (one.flat.reshape(-1, width) for one in (cos, sin))
                    for text, which in (("", slice(half)), (", angles in pairs", slice(None, None, width // half))):
                        yield text, c[:, which], s[:, which]
                        for name, at in _picked(problem, len(c)):
                            yield f", place {name}{text}", c[at, which], s[at, which]
    for base, places in product(dict.fromkeys((*problem.factors, _BASE)), _places(problem, x, len(rows))):
        if base > 1:
            angles = places[:, None] * base ** (-np.arange(half) / half)
            yield f", base {base:g}", np.cos(angles), np.sin(angles)


def _says(cos: Input, sin: Input) -> bool:
    """Whether two tables are called so: whatever they hold."""
    return "cos" in cos.name.lower() and "sin" in sin.name.lower()


def _picked(problem: Problem, count: int) -> Iterator[tuple[str, np.ndarray]]:
    """Places in a table: as passed in an array, or one for all."""
    listed = [one for one in problem.integers if int(one.values.min()) >= 0 and int(one.values.max()) < count]
    yield from ((one.name, one.index) for one in listed)
    yield from ((str(at), np.array([at])) for at in problem.whole if 0 <= at < count)


def _places(problem: Problem, x: Input, rows: int) -> Iterator[np.ndarray]:
    """The places of rows: in their order, as passed in an array, or one for all."""
    counts = dict.fromkeys((rows, *x.axes, *problem.whole))
    yield from (np.arange(count) for count in counts if 0 < count <= rows and rows % count == 0)
    yield from (one.flat for one in problem.inputs if one.values.dtype.kind in "iu" and rows % one.size == 0)
    yield from (np.array([float(at)]) for at in problem.named("pos", "offset") if 0 <= at < 1 << 31)


def _turned(text: str, rows: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> Iterator[Formula]:
    """A table for each row in turn, or for so many rows one after the other; or for all heads of each sequence."""
    if len(rows) % len(cos):
        return
    half = cos.shape[1]
    pairs: Sequence[tuple[str, slice, slice]] = (
        ("pairs", slice(0, 2 * half, 2), slice(1, 2 * half, 2)), ("halves", slice(half), slice(half, 2 * half)),
    )  # fmt: skip
    for which in _of_rows(len(rows), len(cos)):
        c, s = cos[which], sin[which]
        for title, first, second in pairs:
            a, b, made = rows[:, first], rows[:, second], rows.copy()
            made[:, first], made[:, second] = a * c - b * s, a * s + b * c
            yield Formula(f"{text}, {title}", made.reshape(-1))


def _of_rows(rows: int, count: int) -> Iterator[np.ndarray]:
    """Which of so many tables each row has: they are repeated in turn, one by one, or in parts for all sequences."""
    times, tables = rows // count, np.arange(count)
    for each in (n for n in range(1, times + 1) if times % n == 0 and (n == 1 or count > 1)):
        yield np.tile(np.repeat(tables, each), times // each)
    for length in (n for n in range(2, count) if count % n == 0 and times > 1):
        yield np.repeat(tables.reshape(-1, 1, length), times, axis=1).reshape(-1)
