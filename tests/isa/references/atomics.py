"""References of the atomic updates of device memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import is_floating, rounded
from .values import lengths, mixed, pairs, scalars


def reduce_add(memory: Memory, dst: Pointer, src: Any, size: int) -> None:
    """`__bang_atomic_reduce_add`: dst[i] += src[i] in device memory, or one number to each of ``size`` elements."""
    added = memory.read(src, size) if isinstance(src, Pointer) else [rounded(dst.kind, src)] * size
    sums = [x + y for x, y in zip(memory.read(dst, size), added, strict=True)]
    memory.write(dst, [rounded(dst.kind, value) for value in sums])


def _columns(kind: str) -> Iterator[tuple[list[Any], list[Any]]]:
    yield pairs(kind)
    for count in lengths(kind):
        yield mixed(kind, count, "dst"), mixed(kind, count, "src")


def _vector_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for there, added in _columns(kinds[0]):
        contents = (*packed([(kinds[0], there)], "gdram"), *packed([(kinds[1], added)], "nram"))
        (dst, _), (src, _) = contents
        yield Call((dst, src, len(there)), contents, f"{len(there)} elements", length_of(contents))


def _value_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for there, _ in _columns(kinds[0]):
        # A float that the element type cannot hold is rounded to it first.
        for value in (*scalars(kinds[0]), *([1 / 3] if is_floating(kinds[0]) else [])):
            contents = packed([(kinds[0], there)], "gdram")
            yield Call((contents[0][0], value, len(there)), tuple(contents), f"{value}", length_of(contents))


FORMS = [
    Form("__bang_atomic_reduce_add", ("dst", "src", "size"), reduce_add, _vector_calls),
    Form("__bang_atomic_reduce_add", ("dst", "value", "size"), reduce_add, _value_calls),
]
