"""Prototypes, rules and work of element-wise instructions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declare import Align, Archs, Require
from ...members import Members, formed

FLOATS = "half bfloat16 float"
INTEGERS = "int32 int16 int8 int64 uint32 uint16 uint8"
#: What public kernels compare and choose among beside floats.
COMPARED = "int32 int16 int8 uint32"

OLD = Archs("<300")
NEWER = ">=300"
POSITIVE = Require("elem_count > 0", rule="length")
#: The rules of the 1xx and 2xx architectures; newer ones have none.
VECTOR_RULES = (
    POSITIVE,
    Align(64, archs=OLD),
    Require("elem_count * sizeof_dst % 128 == 0", OLD, rule="length"),
)
#: The vector unit moves 128 bytes a cycle and spends a 2-byte slot at least on every element.
VECTOR_WORK = "elem_count * max(sizeof_dst, 2)"
FACTS: dict[str, Any] = {"rules": VECTOR_RULES, "work": VECTOR_WORK}
#: The engine that pays for functions that no single step of the vector unit computes: quotients, roots, exponentials.
FUNCTION_ENGINE = "compute_function"
FUNCTION_FACTS: dict[str, Any] = {**FACTS, "engine": FUNCTION_ENGINE}

BINARY = "void __bang_{op}(T dst[elem_count], const T src0[elem_count], const T src1[elem_count], int32 elem_count)"
SCALAR = "void __bang_{op}(T dst[elem_count], const T src[elem_count], T value, int32 elem_count)"
UNARY = "void __bang_{op}(T dst[elem_count], const T src[elem_count], int32 elem_count)"

#: The short vector ``seg`` meets one part of ``src`` after the other.
CYCLE = (
    "void __bang_{op}(T dst[parts][seg_elem_count], const T src[parts][seg_elem_count], const T seg[seg_elem_count],"
    " int32 src_elem_count, int32 seg_elem_count)"
)
CYCLE_FACTS: dict[str, Any] = {
    "let": {"parts": "src_elem_count // seg_elem_count"},
    "rules": (
        Require("src_elem_count > 0", rule="length"),
        Require("seg_elem_count > 0", rule="length"),
        Require("src_elem_count % seg_elem_count == 0", rule="length", needed=True),
        Align(64, archs=OLD),
        Require("seg_elem_count * sizeof_dst % 128 == 0", OLD, rule="length"),
    ),
    "work": "src_elem_count * max(sizeof_dst, 2)",
}


def of_vectors(members: Members, form: str = "{op}") -> Members:
    """The members as they work on two vectors."""
    words = "dst[i]", "src0[i]", "src1[i]"
    return formed(members, form, words, lambda function: lambda src0, src1: function(src0, src1))


def of_scalar(members: Members, form: str = "{op}_scalar") -> Members:
    """The members as they work on a vector and a value, which a function gets as an element."""
    words = "dst[i]", "src[i]", "value"
    return formed(members, form, words, lambda function: lambda src, value: function(src, np.asarray(value, src.dtype)))


def of_cycle(members: Members, form: str = "cycle_{op}") -> Members:
    """The members as they work on a vector and a short one."""
    words = "dst[i]", "src[i]", "seg[i % seg_elem_count]"
    return formed(members, form, words, lambda function: lambda src, seg: function(src, seg))


def as_bits(x: np.ndarray) -> np.ndarray:
    """The same bytes as whole numbers."""
    return x.view(f"u{x.dtype.itemsize}")
