"""Strides that are those of what is read and of what is written, and strides in bytes."""

from __future__ import annotations

import math
import re

from .problem import Problem

#: How strides of what is read, and of what is written, begin: ``stride_h`` and ``o_stride_h``.
_READ, _WRITTEN = {"", "in", "input", "src", "i", "x"}, {"o", "out", "output", "dst", "y"}
_NAMED = re.compile(r"(?:([a-z]+)_)?strides?((?:_[a-z]+)+|\[\d+\])$")
#: Axes of an array, at least; bytes of an element whose type is not known.
_LEAST, _BYTES = 2, (2, 4, 8)


def by_direction(problem: Problem) -> dict[str, list[int]]:
    """The strides of the output, and of the first array that is as large, if both have the same axes."""
    found: dict[str, dict[str, int]] = {}
    for name, n in problem.numbers.items():
        if isinstance(n, int) and (said := _NAMED.match(name.lower())):
            found.setdefault(said[1] or "", {})[said[2]] = n
    alike = [one for one in problem.like if one.name != problem.output and one.values.dtype.kind not in "iu"]
    if len(found) != 2 or not alike or not problem.output:
        return {}
    (first, read), (second, written) = sorted(found.items(), key=lambda one: one[0] in _WRITTEN)
    fits = first in _READ and second in _WRITTEN and [*read] == [*written] and len(read) >= _LEAST
    return {alike[0].name: [*read.values()], problem.output: [*written.values()]} if fits else {}


def in_bytes(problem: Problem, name: str, strides: list[int]) -> bool:
    """Whether strides are those of the axes that an array has, in bytes."""
    known = next(((one.values.shape, (one.values.itemsize,)) for one in problem.inputs if one.name == name), None)
    shape, sizes = known or (problem.shape, _BYTES)
    usual = [math.prod(shape[at:]) for at in range(1, len(shape))]
    return not {*strides} <= {*usual, 1} and any({*strides} <= {size * n for n in usual} for size in sizes)
