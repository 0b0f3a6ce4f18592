"""Rotary embeddings by tables of angles, and their gradients: pairs of elements that are turned back."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from . import rope  # noqa: F401  (whose function has more forms here)
from .problem import Formula, Input, Problem, also, spelled, vague

#: How the number of shares of each sequence is called, and which one it is.
_SHARES = "cp_size", "cp_rank"


def _places(problem: Problem, length: int, batch: int) -> Iterator[tuple[str, np.ndarray]]:
    """The place of each row [batch, length]: in order, behind a start of each sequence, in a rank's two chunks."""
    order = np.arange(length)
    ways = [("", order)]
    size, rank = (next(iter(problem.named(word)), 0) for word in _SHARES)
    if size > 1 and length % 2 == 0:
        half = length // 2
        late = order - half + length * size - (rank + 1) * half
        ways.insert(
            0, (f", chunks {rank} and {2 * size - 1 - rank}", np.where(order < half, order + rank * half, late))
        )
    starts = [(f" from {one.name} on", one.index) for one in problem.integers if one.size == batch]
    for (how, places), (name, start) in product(ways, (*starts, ("", np.zeros(batch, dtype=np.int64)))):
        yield f"{name}{how}", places + start[:, None]


def _angled(problem: Problem, back: bool) -> Iterator[Formula]:
    """Rows [batch, length, heads, depth] or [length, batch, heads, depth] by angles of each place and element."""
    for x in problem.like:
        shapes = [problem.shape] if len(problem.shape) == 4 else problem.shapes_of_size(x.size)
        for shape in (axes for axes in shapes if len(axes) == 4 and math.prod(axes) == x.size):
            for table in (one for one in problem.floats if one is not x and one.size < x.size):
                widths = (*table.axes[-1:], *problem.counts)
                for depth in (n for n in dict.fromkeys(widths) if 1 < n <= shape[3] and n % 2 == 0):
                    if table.size % depth == 0:
                        yield from _by_angles(problem, x, shape, table, (depth, back))


def _by_angles(
    problem: Problem, x: Input, shape: tuple[int, ...], table: Input, by: tuple[int, bool]
) -> Iterator[Formula]:
    depth, back = by
    angles = table.flat.reshape(-1, depth)
    for first in (False, True):
        rows = x.flat.reshape(shape)
        rows = rows.swapaxes(0, 1) if first else rows  # [batch, length, heads, depth]
        for text, places in _places(problem, rows.shape[1], rows.shape[0]):
            if places.max() >= len(angles) or places.min() < 0:
                continue
            each = angles[places][:, :, None]
            for how, one, other in (
                ("halves", slice(depth // 2), slice(depth // 2, depth)),
                ("pairs", slice(0, depth, 2), slice(1, depth, 2)),
            ):
                made, a, b = rows.copy(), rows[..., one], rows[..., other]
                cos, sin = np.cos(each), np.sin(each)
                from_b, from_a = (sin[..., other], -sin[..., one]) if back else (-sin[..., one], sin[..., other])
                made[..., one], made[..., other] = a * cos[..., one] + b * from_b, b * cos[..., other] + a * from_a
                left = (made.swapaxes(0, 1) if first else made).reshape(-1)
                yield Formula(f"rope({x.name}){' back' * back} by angles {table.name}{text}, {how}", left)


def _has_angles(problem: Problem) -> bool:
    """Whether there is one table besides, which is one of angles."""
    tables = [one for one in problem.floats if one.size < problem.size and one.name != problem.output]
    return len(tables) == 1 and "freq" in tables[0].name.lower() and float(np.abs(tables[0].flat).max()) > 1


@vague("rope backward", unless=_has_angles)
def _turned_back(problem: Problem) -> Iterator[Formula]:
    yield from _angled(problem, back=True)


@also("rope")
def _turned(problem: Problem) -> Iterator[Formula]:
    yield from _angled(problem, back=False)


spelled("rope", "fused rope")
spelled("rope backward", "fused rope backward")
