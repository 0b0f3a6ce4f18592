"""What kernels make of lists of arrays, which are passed as members of a structure or as numbered arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from .problem import Input, Problem

_NUMBERED = re.compile(r"\[?\d+\]?$")
#: What the parts of a function are.
_PARTS = {"norm": "sum of squares", "nrm2": "sum of squares"}
_SUMS: Mapping[str, Callable[[np.ndarray], np.floating]] = {
    "sum of squares": lambda x: x @ x, "sum": np.sum, "asum": lambda x: np.abs(x).sum(),
}  # fmt: skip


def parts_of_lists(function: str, problem: Problem, got: np.ndarray) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """What parts are together and what they should be, of all arrays of a list or of each: text, and both.

    Parts that follow each other belong to the same array. They may be added to what was there.
    """
    said = _PARTS.get(function, function)
    if said not in _SUMS or got.dtype.kind != "f":
        return
    for name, arrays in _lists(problem).items():
        each = np.array([_SUMS[said](one.flat) for one in arrays])
        for rows, sums, whose in ((len(arrays), each, "each of"), (1, each.sum(keepdims=True), "all of")):
            for before in (np.zeros(got.size), *(one.flat for one in problem.held)):
                if got.size > rows and got.size % rows == 0:
                    added = f"{problem.output} + " if before.any() else ""
                    left = (got.astype(np.float64) - before).reshape(rows, -1).sum(axis=1)
                    yield f"{added}parts of {said}, {whose} {name}", left, sums


def _lists(problem: Problem) -> dict[str, list[Input]]:
    """The arrays whose names differ in a number at their end, by what is before it."""
    found: dict[str, list[Input]] = {}
    for one in problem.floats:
        if _NUMBERED.search(one.name):
            found.setdefault(_NUMBERED.sub("", one.name), []).append(one)
    return {name: arrays for name, arrays in found.items() if len(arrays) > 1}
