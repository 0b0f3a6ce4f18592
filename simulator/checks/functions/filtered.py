"""Recursive filters that go on from samples before, and sections of rows that are sorted by a key."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations, product

import numpy as np

from . import sequences  # noqa: F401  (whose function has more forms here)
from .problem import Formula, Problem, also, function, spelled

#: Coefficients of a filter, and elements, at most; numbers in a row that is sorted.
_MOST_TAPS, _MOST, _WIDEST = 64, 1 << 20, 4
#: How coefficients are called that are passed from the last one on.
_BACKWARDS = "flip", "revers"


@also("iir filter")
def _going_on(problem: Problem) -> Iterator[Formula]:
    """y[n] = x[n] - sum of a[k] * y[n - k], of the channels of each batch; behind what stands in front, or zeros."""
    for x, a in permutations(problem.floats, 2):
        if len(x.axes) < 2 or a.size > _MOST or problem.size > _MOST or x.values.shape[-1] < 2:
            continue
        length, rows = x.values.shape[-1], x.size // x.values.shape[-1]
        for channels in dict.fromkeys((1, *a.axes[:-1], *x.axes[:-1])):
            taps = a.size // channels
            if a.size % channels or rows % channels or not 1 < taps <= _MOST_TAPS:
                continue
            before = problem.size // rows - length
            if before not in (0, taps - 1) or problem.size != rows * (length + before):
                continue
            orders = {", from the last one on": a.flat, "": a.flat.reshape(channels, -1)[:, ::-1]}
            if any(word in a.name.lower() for word in _BACKWARDS):
                del orders[""]
            for how, table in orders.items():
                made = _filtered(problem, x.flat.reshape(rows, -1), table.reshape(channels, taps), before)
                yield Formula(f"{x.name} filtered by {a.name}{how}", made.reshape(-1))


def _filtered(problem: Problem, x: np.ndarray, a: np.ndarray, before: int) -> np.ndarray:
    """``a`` [channel, tap] begins with the coefficient of the earliest sample, and ends with that of the newest."""
    rows, length = x.shape
    order = a.shape[1] - 1
    made = np.zeros((rows, length + order))
    held = next((one.flat.reshape(rows, -1) for one in problem.held), made)
    made[:, :before] = held[:, :before]
    each = np.tile(a, (rows // len(a), 1))
    for at in range(length):
        made[:, at + order] = x[:, at] - (each[:, :order] * made[:, at : at + order]).sum(axis=1)
    return made[:, order - before :]


@function("segmented sort")
def _sorted(problem: Problem) -> Iterator[Formula]:
    """Each section of rows by one of their numbers; sections end, or begin, where an array says."""
    for x, ends in product(problem.like, problem.integers):
        wide = x.values.shape[-1] if len(x.axes) > 1 else 1
        rows = x.flat.reshape(-1, wide)
        at = ends.index
        if wide > _WIDEST or ends.size < 2 or (np.diff(at) < 0).any() or at[0] < 0 or at[-1] > len(rows):
            continue
        for key in range(wide):
            made = _by_key(rows, [0, *at.tolist(), len(rows)], key)
            if made is not None:
                yield Formula(f"{x.name} sorted by number {key} in sections {ends.name}", made.reshape(-1))


def _by_key(rows: np.ndarray, bounds: list[int], key: int) -> np.ndarray | None:
    """None where the order is open, as rows with the same key are not the same."""
    made = rows.copy()
    for start, end in pairwise(bounds):
        part = rows[start:end]
        made[start:end] = part = part[np.argsort(part[:, key], kind="stable")]
        same = part[1:, key] == part[:-1, key]
        if (part[1:][same] != part[:-1][same]).any():
            return None
    return made


spelled("segmented sort", "sort buckets, bucket sort, sort segments, segment sort, sort sections")
