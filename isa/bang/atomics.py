"""Atomic updates of GDRAM: nothing comes between the read and the write of an element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..declare import INFERRED, Atomic, Instruction, Require, declare
from ..instruction import Wider

_SIGNED, _INTEGERS = "int16 int32", "uint16 int16 uint32 int32"
_FLOATS = "half bfloat16 float"
_FACTS: dict[str, Any] = {"pipe": "io", "effect": Atomic()}
_SIZE = Require("size > 0", rule="length")

Update = Callable[[np.ndarray, Any], Any]


def _maximum(old: np.ndarray, given: Any) -> Any:
    return np.fmax(old, given)


def _minimum(old: np.ndarray, given: Any) -> Any:
    return np.fmin(old, given)


def _exchange(old: np.ndarray, given: Any) -> Any:
    return np.broadcast_to(given, old.shape).copy()  # the operand may be where the old elements go


def _increase(old: np.ndarray, given: Any) -> Any:
    return np.where(old >= given, 0, old + old.dtype.type(1))


def _decrease(old: np.ndarray, given: Any) -> Any:
    return np.where((old == 0) | (old > given), given, old - old.dtype.type(1))


#: Name -> what becomes of an element, in words too, and the types of the form that returns nothing and of the other.
_UPDATES: dict[str, tuple[Update, str, str, str]] = {
    "add": (np.add, "old + {}", f"{_FLOATS} {_SIGNED}", f"{_FLOATS} {_INTEGERS}"),
    "max": (_maximum, "max(old, {})", f"{_FLOATS} {_INTEGERS}", f"{_FLOATS} {_INTEGERS}"),
    "min": (_minimum, "min(old, {})", f"{_FLOATS} {_INTEGERS}", f"{_FLOATS} {_INTEGERS}"),
    "inc": (_increase, "old >= {} ? 0 : old + 1", _INTEGERS, _INTEGERS),
    "dec": (_decrease, "old == 0 or old > {} ? {} : old - 1", _INTEGERS, _INTEGERS),
    "and": (np.bitwise_and, "old & {}", _SIGNED, _INTEGERS),
    "or": (np.bitwise_or, "old | {}", _SIGNED, _INTEGERS),
    "xor": (np.bitwise_xor, "old ^ {}", _SIGNED, _INTEGERS),
    "exch": (_exchange, "{}", f"{_FLOATS} {_SIGNED}", f"{_FLOATS} {_INTEGERS}"),
}
#: The operand: a vector, a value for all, a value for the one element of a call without size.
_SOURCES = (("const T src[size], int32 size", "src"), ("T value, int32 size", "value"), ("T value", "value"))


def _forms(op: str, update: Update, becomes: str, reduced: str, fetched: str) -> tuple[Instruction, ...]:
    def reduce_vector(dst: np.ndarray, src: np.ndarray) -> Any:
        return update(dst, src)

    def reduce_value(dst: np.ndarray, value: Any) -> Any:
        return update(dst, dst.dtype.type(value))

    def fetch_vector(held: np.ndarray, src: np.ndarray) -> Any:
        return held.copy(), update(held, src)

    def fetch_value(held: np.ndarray, value: Any) -> Any:
        return held.copy(), update(held, held.dtype.type(value))

    made = []
    for source, given in _SOURCES:
        count = "size" if "size" in source else "1"
        words = becomes.replace("{}", given)
        sized = (_SIZE,) if count == "size" else ()
        made.append(
            declare(
                f"void __bang_atomic_reduce_{op}(inout gdram T dst[{count}], {source})",
                doc=f"Every element of dst in GDRAM becomes {words}, in one step each",
                types=reduced,
                archs=">=300",
                rules=(*sized, Require("dst % sizeof_dst == 0", rule="alignment")),
                work=f"{count} * sizeof_dst",
                semantics=reduce_vector if given == "src" else reduce_value,
                **_FACTS,
            )
        )
        made.append(
            declare(
                f"void __bang_atomic_{op}(T dst[{count}], inout gdram T held[{count}], {source})",
                doc=f"dst = the elements in GDRAM, each of which becomes {words}, in one step each",
                types=fetched,
                archs=">=200",
                rules=(*sized, Require("held % sizeof_held == 0", rule="alignment")),
                work=f"{count} * sizeof_dst",
                semantics=fetch_vector if given == "src" else fetch_value,
                **_FACTS,
            )
        )
    return tuple(made)


updates = tuple(form for op, facts in _UPDATES.items() for form in _forms(op, *facts))
#: One public kernel adds the four corners of a sample in one call; it passes 1 for both counts of two segments each.
reduce_segments = declare(
    "void __bang_atomic_reduce_add(inout gdram T dst[segnum2 + 1 @ dst_stride2][segnum1 + 1 @ dst_stride1][size],"
    " const T src[segnum2 + 1 @ src_stride2][segnum1 + 1 @ src_stride1][size],"
    " int32 size, int32 segnum1, int32 segnum2, int32 dst_stride1, int32 dst_stride2, int32 src_stride1,"
    " int32 src_stride2)",
    doc="Every element of segments of dst in GDRAM becomes old + src, in one step each; strides in bytes",
    types=f"{_FLOATS} {_SIGNED}",
    archs=">=592",
    provenance=INFERRED,
    rules=(
        _SIZE,
        *(Require(f"segnum{n} >= 0", rule="length") for n in (1, 2)),
        *(Require(f"abs(dst_stride{n}) >= size * sizeof_dst", when=f"segnum{n} > 0") for n in (1, 2)),
        Require("dst % sizeof_dst == 0", rule="alignment"),
    ),
    work="size * sizeof_dst * (segnum1 + 1) * (segnum2 + 1)",
    semantics=lambda dst, src: dst + src,
    **_FACTS,
)


def _swapped(old: np.ndarray, compare: Any, value: Any) -> Any:
    kind = old.dtype.type
    return np.where(old == kind(compare), kind(value), old)


def _reduce_cas(dst: np.ndarray, compare: Any, value: Any) -> Any:
    return _swapped(dst, compare, value)


def _cas(held: np.ndarray, compare: Any, value: Any) -> Any:
    return held.copy(), _swapped(held, compare, value)


swaps = (
    declare(
        "void __bang_atomic_reduce_cas(inout gdram T dst[1], T compare, T value)",
        doc="An element in GDRAM becomes value if it equals compare, in one step",
        types=f"{_FLOATS} {_SIGNED}",
        archs=">=300",
        rules=(Require("dst % sizeof_dst == 0", rule="alignment"),),
        work="sizeof_dst",
        semantics=_reduce_cas,
        wider=Wider.BITS,
        **_FACTS,
    ),
    declare(
        "void __bang_atomic_cas(T dst[1], inout gdram T held[1], T compare, T value)",
        doc="dst = an element in GDRAM, which becomes value if it equals compare, in one step",
        types=f"{_FLOATS} {_INTEGERS}",
        archs=">=200",
        rules=(Require("held % sizeof_held == 0", rule="alignment"),),
        work="sizeof_dst",
        semantics=_cas,
        wider=Wider.BITS,
        **_FACTS,
    ),
)
