"""Steps over graphs in compressed rows, and products of matrices that are stored with rows of one length."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function

#: What stands for a vertex that no level has reached, besides -1: the largest numbers.
_FAR = (2**31 - 1, 2**32 - 1, 10**9, 1000000, 9999999, 999999999)


def _graphs(problem: Problem) -> Iterator[tuple[Input, Input, np.ndarray, np.ndarray]]:
    """Offsets of the edges of each vertex and where these go, with their first ends."""
    for offsets, ends in permutations(problem.integers, 2):
        starts, to = (one.index for one in (offsets, ends))
        if len(starts) < 3 or starts[0] != 0 or starts[-1] != len(to) or (np.diff(starts) < 0).any():
            continue
        if len(to) and to.min() >= 0 and to.max() < len(starts) - 1:
            yield offsets, ends, np.repeat(np.arange(len(starts) - 1), np.diff(starts)), to


def _unreached(levels: np.ndarray) -> np.ndarray:
    """Vertices that no level has."""
    found: np.ndarray = (levels < 0) | np.isin(levels, _FAR)
    return found


@function("bfs", "breadth first search", "bfs level", "bfs step", "csr bfs", "bfs csr", "bfs push", "bfs pull")
def _level(problem: Problem) -> Iterator[Formula]:
    """The next level of a search: neighbours of a level that no one has reached have the next one."""
    for offsets, ends, first, to in _graphs(problem):
        passed = problem.named("level", "depth", "iter", "cur")
        for levels, level, ahead in product(problem.like, passed, (0, 1)):
            before = levels.flat
            if levels.size != offsets.size - 1 or level - ahead not in before:
                continue
            reached = before.copy()
            near = to[before[first] == level - ahead]
            next_to = np.zeros(levels.size, bool)
            next_to[near] = True
            reached[next_to & _unreached(before)] = level - ahead + 1
            yield Formula(f"{levels.name} with level {level - ahead + 1} of {offsets.name}, {ends.name}", reached)


@function("spmv ell", "ell spmv", "ell", "ellpack", "spmv ellpack")
def _rows_of_one_length(problem: Problem) -> Iterator[Formula]:
    """A matrix with as many places in each row times a vector, of rows or of columns; a column below 0 is none."""
    for columns, values in permutations(problem.inputs, 2):
        if columns.values.dtype.kind not in "iu" or columns.size != values.size or values.size % problem.size:
            continue
        for x in (one for one in problem.floats if one is not values):
            for how in ("C", "F"):
                shape = (problem.size, -1) if how == "C" else (-1, problem.size)
                at, part = columns.values.reshape(shape).astype(np.int64), values.flat.reshape(shape)
                if at.max() >= x.size:
                    continue
                made = np.where(at >= 0, part * x.flat[np.maximum(at, 0)], 0).sum(axis=1 if how == "C" else 0)
                text = f"sparse({columns.name}, {values.name}) @ {x.name}, by {'rows' if how == 'C' else 'columns'}"
                yield Formula(text, made)
                for y in (one for one in problem.like if one is not x):
                    yield Formula(f"{y.name} + {text}", y.flat + made)
