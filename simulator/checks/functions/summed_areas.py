"""Sums over areas of images whose rows are longer than they are wide, and cosine transforms by tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from . import transforms, warps  # noqa: F401  (whose functions have more forms here)
from .problem import VAGUE, Formula, Problem, also, spelled


@also("integral image")
def _behind_rows(problem: Problem) -> Iterator[Formula]:
    """Over rows, columns or both, also behind a row and a column of 0; the ends of rows stay as they were."""
    if len(problem.shape) != 2:
        return
    high, long = problem.shape
    held = next((one.flat.reshape(problem.shape) for one in problem.held), np.zeros(problem.shape))
    for x in (one for one in problem.inputs if len(one.values.shape) == 2 and one.name != problem.output):
        for wide in (n for n in dict.fromkeys((x.values.shape[1], *problem.counts)) if n <= x.values.shape[1]):
            image = x.real[:, :wide]
            down, across = image.cumsum(axis=0), image.cumsum(axis=1)
            for how, made in (("down", down), ("across", across), ("both", down.cumsum(axis=1))):
                zeros = np.pad(made, ((1, 0), (1, 0)))
                for where, sums in (("", made), (", behind zeros", zeros)):
                    if len(sums) == high and sums.shape[1] <= long:
                        left = held.copy()
                        left[:, : sums.shape[1]] = sums
                        yield Formula(f"sums of {x.name} {how}, {wide} columns{where}", left.reshape(-1))


def _has_tables(problem: Problem) -> bool:
    return any("cos" in one.name.lower() for one in problem.floats)


VAGUE.update(dict.fromkeys(("dct", "dct2d", "discrete cosine transform"), _has_tables))
spelled("integral image", "integral, image integral")


@also("dct", "dct2d", "discrete cosine transform")
def _by_tables(problem: Problem) -> Iterator[Formula]:
    """Rows by a table of cosines, each result times a factor of its own or not."""
    for x, table in permutations(problem.floats, 2):
        for length in dict.fromkeys((*x.axes[-1:], *problem.counts)):
            if length < 2 or x.size % length or table.size % length:
                continue
            rows, cosines = x.flat.reshape(-1, length), table.flat.reshape(-1, length)
            if len(rows) * len(cosines) != problem.size:
                continue
            made, text = rows @ cosines.T, f"{x.name} by {table.name}"
            yield Formula(text, made.reshape(-1))
            for by in (one for one in problem.floats if one not in (x, table) and one.size >= len(cosines)):
                yield Formula(f"{text} * {by.name}", (made * by.flat[: len(cosines)]).reshape(-1))
