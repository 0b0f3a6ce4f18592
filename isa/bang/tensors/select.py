"""Selecting instructions: what a mask, or a mask of bits, keeps of a vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declare import INFERRED, Align, Archs, Compute, Instruction, Require, alias, declare
from ...instruction import Wider
from ...results import Partial

_OLD = Archs("<300")
_POSITIVE = Require("elem_count > 0", rule="length")
_WORK = "elem_count * max(sizeof_src, 2)"
#: Bytes in front of what `__bang_select` selects, and bytes that what it writes is a multiple of.
_HEADER = 128


def _kept(mask: np.ndarray, elem_count: int) -> Any:
    """Which elements a mask keeps: those that are not zero, or whose bit is set, the lowest bit first."""
    return mask != 0


def _kept_bits(mask: np.ndarray, elem_count: int) -> np.ndarray:
    return np.unpackbits(mask, count=elem_count, bitorder="little").astype(bool)


def _facts(bits: bool) -> dict[str, Any]:
    """What all instructions share: how they read the mask, and their rules."""
    kept = _kept_bits if bits else _kept

    def selected(mask: np.ndarray, elem_count: int) -> int:
        return int(np.count_nonzero(kept(mask, elem_count)))

    many = (
        (
            Require("elem_count % 1024 == 0", _OLD, rule="length"),
            Require("elem_count % 8 == 0", Archs(">=300 <392"), rule="length"),
        )
        if bits
        else (Require("elem_count * sizeof_src % 128 == 0", _OLD, rule="length"),)
    )
    return {"measured": {"selected": selected}, "rules": (_POSITIVE, Align(64, archs=_OLD), *many), "work": _WORK}


def _collect(name: str, bits: bool, counted: bool, **facts: Any) -> Instruction:
    """The kept elements side by side; ``counted``: returns how many they are."""
    kept = _kept_bits if bits else _kept
    mask = "const void mask[(elem_count + 7) // 8]" if bits else "const T mask[elem_count]"

    def collect(src: np.ndarray, mask: np.ndarray, elem_count: int) -> Any:
        return src[kept(mask, elem_count)]

    def count(src: np.ndarray, mask: np.ndarray, elem_count: int) -> tuple[Any, int]:
        found = collect(src, mask, elem_count)
        return found, len(found)

    chosen = "whose bit of mask is set, the lowest bit first" if bits else "whose element of mask is not zero"
    return declare(
        f"{'uint32' if counted else 'void'} {name}(T dst[selected], const T src[elem_count], {mask}, int32 elem_count)",
        doc=f"dst = the elements of src {chosen}, side by side" + ("; returns how many they are" if counted else ""),
        semantics=count if counted else collect,
        **_facts(bits),
        **facts,
    )


#: What one kernel or another filters; a mask is of the same type.
_FILTERED: dict[str, Any] = {"types": "half bfloat16 float", "provenance": INFERRED}
filters = (
    _collect("__bang_filter", False, True, **_FILTERED),
    _collect("__bang_filter_bitindex", True, True, **_FILTERED),
)
_COLLECTED: dict[str, Any] = {"types": "half float", "inferred_types": "bfloat16"}
collects = (
    _collect("__bang_collect", False, False, **_COLLECTED),
    _collect("__bang_collect_bitindex", True, False, **_COLLECTED),
)
maskmove_bitindex = alias(collects[1], "__bang_maskmove_bitindex", archs=Archs(">=200"))


def _select(name: str, bits: bool) -> Instruction:
    """The number of kept elements, and 128 bytes behind it the elements, with zeros up to a multiple of 128 bytes."""
    kept = _kept_bits if bits else _kept
    mask = "const void mask[(elem_count + 7) // 8]" if bits else "const T mask[elem_count]"

    def select(src: np.ndarray, mask: np.ndarray, elem_count: int, count_dst: int) -> Partial:
        found = src[kept(mask, elem_count)]
        header = _HEADER // src.itemsize
        made = np.zeros(count_dst, src.dtype)
        made.view(np.uint8)[:4] = np.frombuffer(len(found).to_bytes(4, "little"), np.uint8)
        made[header : header + len(found)] = found
        place = np.arange(count_dst)
        return Partial(made.reshape(-1, 1), (place < 4 // src.itemsize) | (place >= header))

    elements = f"({_HEADER} + (selected * sizeof_src + {_HEADER - 1}) // {_HEADER} * {_HEADER}) // sizeof_src"
    return declare(
        f"void {name}(T dst[{elements}][1], const T src[elem_count], {mask}, int32 elem_count)",
        doc=f"dst = the number of elements that mask keeps, and {_HEADER} bytes behind it the elements, side by side;"
        f" zeros follow up to a multiple of {_HEADER} bytes",
        types="half float",
        inferred_types="bfloat16",
        semantics=select,
        wider=Wider.BITS,
        effect=Compute(partial=True),
        **_facts(bits),
    )


selects = (_select("__bang_select", False), _select("__bang_select_bitindex", True))
