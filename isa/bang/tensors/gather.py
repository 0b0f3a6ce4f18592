"""Rows that lie anywhere: gathered to NRAM by a list of byte offsets, or scattered from it. All of it is inferred."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declare import INFERRED, Case, Completion, Compute, Instruction, Require, Select, declare
from ..copy import DIRECTIONS

_RULES = (Require("transfer_size > 0", rule="length"), Require("transfer_num > 0", rule="length"))


def _offsets(offset: np.ndarray) -> np.ndarray:
    return offset.astype(np.int64)


def _kept(mask: np.ndarray, transfer_num: int) -> Any:
    return np.flatnonzero(np.unpackbits(mask, count=transfer_num, bitorder="little"))


def _kept_offsets(offset: np.ndarray, mask: np.ndarray, transfer_num: int) -> Any:
    return offset[_kept(mask, transfer_num)].astype(np.int64)


def _kept_rows(mask: np.ndarray, transfer_num: int, stride: int) -> Any:
    return _kept(mask, transfer_num) * np.int64(stride)


def _move(src: np.ndarray) -> np.ndarray:
    return src


def _directions(gathers: bool, masked: bool) -> Select:
    """Copies into NRAM (or out of it) from (or to) what a core addresses."""
    cases = {}
    for number, label in enumerate(DIRECTIONS):
        source, target = label.lower().split("2")
        other = source if gathers else target
        if (target if gathers else source) == "nram" and other in ("gdram", "sram", "nram"):
            spaces = {"dst": target, "src": source, "offset": "nram", **({"mask": "nram"} if masked else {})}
            # Public kernels gather into bytes that a copy within NRAM writes, with no wait between: one pipe for both.
            cases[number] = Case(label, spaces, {"gdram": "io", "sram": "move", "nram": "compute"}[other])
    return Select("dir", "mluMemcpyDirection_t", cases)


def _scattered(gathers: bool, masked: bool) -> dict[str, Any]:
    """The operands: rows at offsets on one side, at a stride on the other, and which of them move."""
    listed, rows = "[@ places][transfer_size]", "[transfer_num @ stride][transfer_size]"
    if masked:
        rows = "[@ rows][transfer_size]"
    dst, src = (rows, listed) if gathers else (listed, rows)
    mask = ", const void mask[(transfer_num + 7) // 8]" if masked else ""
    measured = {"places": _kept_offsets, "rows": _kept_rows} if masked else {"places": _offsets}
    return {
        "operands": f"void dst{dst}, const void src{src}, const void<uint32> offset[transfer_num]{mask}",
        "facts": {"measured": measured, "semantics": _move, "provenance": INFERRED, "overlap": "any", "moves": "src"},
    }


def _instruction(name: str, gathers: bool, masked: bool, wait: bool) -> Instruction:
    made = _scattered(gathers, masked)
    what = "dst + i * stride = transfer_size bytes of src + offset[i]"
    if not gathers:
        what = "dst + offset[i] = transfer_size bytes of src + i * stride"
    return declare(
        f"void {name}({made['operands']}, int32 transfer_size, int32 dir, int32 stride, int32 transfer_num)",
        doc=f"{what}"
        + (", where bit i of mask is set" if masked else "")
        + ("; the core waits for its end" if wait else "; a sync of its pipe waits for its end"),
        archs=">=592",
        pipe="io",
        rules=_RULES,
        work="bytes_dst",
        effect=Compute(Completion.BLOCKING if wait else Completion.DEFERRED),
        select=_directions(gathers, masked),
        **made["facts"],
    )


moves = tuple(
    _instruction(name + ("" if wait else "_async"), name == "__gather", masked, wait)
    for name in ("__gather", "__scatter")
    for wait in (True, False)
    for masked in (False, True)
)
_masked = _scattered(gathers=True, masked=True)
bang_gather = declare(
    f"void __bang_gather_async({_masked['operands'].replace('const void src', 'const gdram void src')},"
    " int32 transfer_size, int32 stride, int32 transfer_num)",
    doc="dst + i * stride = transfer_size bytes of GDRAM from src + offset[i], where bit i of mask is set;"
    " a sync of its pipe waits for its end",
    archs=">=592",
    pipe="io",
    rules=_RULES,
    work="bytes_dst",
    effect=Compute(Completion.DEFERRED),
    **_masked["facts"],
)
_plain = _scattered(gathers=True, masked=False)
asm_gather = declare(
    f"void __asm_gather_vector({_plain['operands']}, int32 transfer_size, int32 transfer_num, int32 stride)",
    doc="dst + i * stride = transfer_size bytes of src + offset[i], all in NRAM",
    asm="gather.vector.nram.nram.nram.u32",
    archs=">=372 !=520",
    rules=_RULES,
    work="bytes_dst",
    **_plain["facts"],
)


def _total(times: np.ndarray) -> int:
    return int(times.sum(dtype=np.int64))


def _repeated(src: np.ndarray, times: np.ndarray) -> np.ndarray:
    return np.repeat(src, times, axis=0)


extension = declare(
    "void __extension(void dst[total][transfer_size], const void src[transfer_num][transfer_size],"
    " const uint8 times[transfer_num], int32 transfer_size, int32 dir, int32 transfer_num)",
    doc="dst = transfer_size bytes of src after the other, element i of them times[i] times",
    provenance=INFERRED,
    archs=">=592",
    pipe="move",
    measured={"total": _total},
    rules=_RULES,
    work="bytes_dst",
    overlap="none",
    moves="src",
    effect=Compute(Completion.BLOCKING),
    semantics=_repeated,
    select=Select(
        "dir",
        "mluMemcpyDirection_t",
        {
            number: Case(label, {"dst": "nram", "src": "nram", "times": "nram"}, "move")
            for number, label in enumerate(DIRECTIONS)
            if label == "NRAM2NRAM"
        },
    ),
)
