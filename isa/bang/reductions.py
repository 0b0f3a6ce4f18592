"""Reductions of NRAM vectors to one value."""

from __future__ import annotations

import numpy as np

from ..declare import INFERRED, Align, Require, instruction
from .elementwise.vectors import OLD

_TYPES = "half bfloat16 float"
_RULES = (
    Require("elem_count > 0", rule="length"),
    Align(64, archs=OLD),
    Require("elem_count * sizeof_src % 128 == 0", OLD, rule="length"),
)


@instruction(
    "uint32 __bang_count(const T src[elem_count], int32 elem_count)",
    types=_TYPES,
    provenance=INFERRED,
    rules=_RULES,
    work="elem_count * max(sizeof_src, 2)",
)
def count(src: np.ndarray) -> int:
    """Returns the number of elements that are not zero."""
    return int(np.count_nonzero(src))


@instruction(
    "void __bang_count(void<uint32> dst[1], const T src[elem_count], int32 elem_count)",
    types=_TYPES,
    rules=_RULES,
    work="elem_count * max(sizeof_src, 2)",
)
def count_to_memory(src: np.ndarray) -> int:
    """dst[0] = number of elements of src that are not zero, an unsigned integer"""
    return int(np.count_nonzero(src))


#: What a search that finds nothing gives.
_NOWHERE = 0xFFFFFFFF


@instruction(
    "uint32 __bang_findfirst1(const T src[elem_count], int32 elem_count)",
    types=_TYPES,
    provenance=INFERRED,
    rules=_RULES,
    work="elem_count * max(sizeof_src, 2)",
)
def find_first(src: np.ndarray) -> int:
    """Returns the position of the first element that is not zero, all ones if there is none."""
    found = np.flatnonzero(src)
    return int(found[0]) if len(found) else _NOWHERE
