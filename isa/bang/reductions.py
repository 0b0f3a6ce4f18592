"""Reductions of NRAM vectors to one value, and searches in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..declare import INFERRED, Align, Instruction, Require, declare, instruction
from ..instruction import Wider
from ..rounding import single
from .elementwise.vectors import OLD

_TYPES = "half bfloat16 float"
_RULES = (
    Require("elem_count > 0", rule="length"),
    Align(64, archs=OLD),
    Require("elem_count * sizeof_src % 128 == 0", OLD, rule="length"),
)
_WORK = "elem_count * max(sizeof_src, 2)"
#: What a search that finds nothing gives.
_NOWHERE = 0xFFFFFFFF


def _count(src: np.ndarray) -> int:
    return int(np.count_nonzero(src))


def _first(src: np.ndarray) -> int:
    found = np.flatnonzero(src)
    return int(found[0]) if len(found) else _NOWHERE


def _last(src: np.ndarray) -> int:
    found = np.flatnonzero(src)
    return int(found[-1]) if len(found) else _NOWHERE


def _search(name: str, what: str, semantics: Callable[..., int]) -> tuple[Instruction, ...]:
    """The form that returns the number, and the older one that writes it to memory."""
    facts: dict[str, Any] = {"types": _TYPES, "rules": _RULES, "work": _WORK, "semantics": semantics}
    return (
        declare(
            f"uint32 {name}(const T src[elem_count], int32 elem_count)",
            doc=f"Returns the {what}",
            provenance=INFERRED,
            **facts,
        ),
        declare(
            f"void {name}(void<uint32> dst[1], const T src[elem_count], int32 elem_count)",
            doc=f"dst[0] = {what}, an unsigned integer",
            **facts,
        ),
    )


searches = (
    *_search("__bang_count", "number of elements that are not zero", _count),
    *_search("__bang_findfirst1", "position of the first element that is not zero, all ones if there is none", _first),
    *_search("__bang_findlast1", "position of the last element that is not zero, all ones if there is none", _last),
)


def _sum(src: np.ndarray) -> Any:
    """16-bit floats are added as float32."""
    return np.add.reduce(single(src)).astype(src.dtype)


total = declare(
    "T __bang_sum(const T src[elem_count], int32 elem_count)",
    doc="Returns the sum of all elements; the order of the additions is not published",
    types=_TYPES,
    inferred_types="int32",
    archs=">=300",
    rules=_RULES[:1],
    work=_WORK,
    semantics=_sum,
)

#: Bytes that `__bang_reduce_sum` adds up to one element.
_BEAT = 128


@instruction(
    f"void __bang_reduce_sum(T dst[(elem_count * sizeof_src + {_BEAT - 1}) // {_BEAT} @ {_BEAT}][1],"
    " const T src[elem_count], int32 elem_count)",
    types="half float",
    inferred_types="bfloat16",
    archs=">=200",
    let={"beat": f"{_BEAT} // sizeof_src"},
    rules=_RULES,
    work=_WORK,
)
def reduce_sum(src: np.ndarray, beat: int) -> np.ndarray:
    """The first element of every 128 bytes of dst = sum of the elements in those 128 bytes of src; the others stay."""
    return np.add.reduceat(single(src), np.arange(0, len(src), beat)).reshape(-1, 1)


def _pair(value: Any, at: int, dtype: np.dtype) -> np.ndarray:
    """A value and behind it a position, 8 bytes."""
    made = np.zeros((8 + dtype.itemsize) // dtype.itemsize, dtype)
    made[0] = value
    made.view(np.uint8)[dtype.itemsize : dtype.itemsize + 4] = np.frombuffer(at.to_bytes(4, "little"), np.uint8)
    return made


def _where(find: Callable[[np.ndarray], Any], src: np.ndarray) -> int:
    """Where the best element is, the first of equals; 0 where all are NaN."""
    at = int(find(src))
    if src[at] != src[at]:  # NumPy lets a NaN win
        numbers = np.flatnonzero(src == src)
        at = int(numbers[find(src[numbers])]) if len(numbers) else 0
    return at


def _best(find: Callable[[np.ndarray], Any]) -> Callable[..., np.ndarray]:
    def best(src: np.ndarray) -> np.ndarray:
        at = _where(find, src)
        return _pair(src[at], at, src.dtype)

    return best


def _extreme(op: str, what: str, find: Callable[[np.ndarray], Any], **facts: Any) -> Instruction:
    return declare(
        f"void __bang_{op}(T dst[(8 + sizeof_src) // sizeof_src], const T src[elem_count], int32 elem_count)",
        doc=f"dst = {what} element, behind it the position of the first such, 8 bytes; a NaN loses (inferred)",
        types=_TYPES,
        work=_WORK,
        semantics=_best(find),
        wider=Wider.BITS,
        **facts,
    )


extremes = (
    _extreme("argmax", "largest", np.argmax, archs=">=300", rules=_RULES[:1]),
    _extreme("argmin", "smallest", np.argmin, archs=">=300", rules=_RULES[:1]),
    _extreme("max", "largest", np.argmax, rules=_RULES, overlap="none"),
    _extreme("min", "smallest", np.argmin, rules=_RULES, overlap="none"),
)
