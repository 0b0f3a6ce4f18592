"""Arrays that are passed as bytes, of elements as long as a number says: ``char *dst, int elem_size``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from . import moves  # noqa: F401  (which enter a transposition)
from .problem import FUNCTIONS, Formula, Input, Problem, of_few, vague

#: How the bytes of an element are called, and how many they may be.
_BYTES = re.compile(r"(byte|elem(ent)?|unit|type|data)s?_?(size|bytes|width|len)$|^(dsize|itemsize|item_size)$")
_WIDE: dict[int, type[np.unsignedinteger]] = {2: np.uint16, 4: np.uint32, 8: np.uint64}


def of_elements(problem: Problem, got: np.ndarray) -> tuple[Problem, np.ndarray] | None:
    """The problem and its result by whole elements, if all arrays as long as it or longer are of bytes."""
    said = {n for name, n in problem.numbers.items() if isinstance(n, int) and _BYTES.search(name.lower())}
    wide = _WIDE.get(said.pop()) if len(said) == 1 else None
    if wide is None or got.dtype.itemsize != 1 or got.dtype.kind not in "iu":
        return None
    length = np.dtype(wide).itemsize
    inputs = [_wide(one, wide) for one in problem.inputs]
    if None in inputs or got.size % length:
        return None
    values = np.ascontiguousarray(got).reshape(-1).view(wide)
    kept = tuple(one for one in inputs if one)
    numbers = {name: n for name, n in problem.numbers.items() if not _BYTES.search(name.lower())}
    return replace(problem, inputs=kept, shape=values.shape, numbers=numbers), values


def _wide(one: Input, wide: type[np.unsignedinteger]) -> Input | None:
    """An array by elements so wide; as it is, if it is none of bytes; None if it has no whole number of them."""
    if one.values.dtype.itemsize != 1 or one.values.dtype.kind not in "iu":
        return one
    flat = np.ascontiguousarray(one.values).reshape(-1)
    return None if flat.size % np.dtype(wide).itemsize else Input(one.name, flat.view(wide))


def of_bytes(right: np.ndarray, got: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What elements should be, by their bytes; and the numbers of those that a result does not have."""
    values = right.astype(np.dtype(f"u{got.size // right.size}")).view(got.dtype)
    return values, np.flatnonzero(values != got)


@vague("rearrange", unless=of_few(2))
def _rearranged(problem: Problem) -> Iterator[Formula]:
    """The same elements, where strides say how they lie; or in another order of axes."""
    for x in problem.like:
        if x not in problem.held:
            yield Formula(x.name, x.values.reshape(-1))
    yield from FUNCTIONS["transpose"](problem)
