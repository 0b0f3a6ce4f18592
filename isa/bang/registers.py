"""Vector registers: the `__vv_` family and the inline assembly that works on them. All of it is inferred from use."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import INFERRED, Require, declare, family, instruction
from .spaces import VECTOR_REGISTER_BYTES

_TYPES = "float half int16 uint16 int32 uint32"
_FACTS: dict[str, Any] = {"provenance": INFERRED, "work": str(VECTOR_REGISTER_BYTES)}


@instruction("void __vv_move(T &dst, T value)", types=_TYPES, **_FACTS)
def move_scalar(value: float) -> float:
    """Every lane = value."""
    return value


@instruction("void __vv_move(T &dst, const T &src)", types=_TYPES, **_FACTS)
def move(src: np.ndarray) -> np.ndarray:
    """Copy a vector register."""
    return src


@instruction("void __vv_index(T &dst, T start, T step)", types=_TYPES, **_FACTS)
def index(count_dst: int, start: float, step: float) -> np.ndarray:
    """Lane i = start + i * step."""
    return start + np.arange(count_dst) * step


@instruction("void __asm_index_vvr(float &dst, float base, float step)", asm="index.vvr.f32", **_FACTS)
def asm_index(count_dst: int, base: float, step: float) -> np.ndarray:
    """Lane i = base + i * step."""
    return np.float32(base) + np.arange(count_dst, dtype=np.float32) * np.float32(step)


arithmetic = family(
    "void __vv_{op}(T &dst, const T &src0, const T &src1)",
    {
        "add": (np.add, "Lane by lane src0 + src1, integers wrap"),
        "mul": (np.multiply, "Lane by lane src0 * src1, low half of integers"),
    },
    types=_TYPES,
    **_FACTS,
)
arithmetic_scalar = family(
    "void __vv_{op}(T &dst, const T &src, T value)",
    {
        "add": (np.add, "Lane by lane src + value, integers wrap"),
        "mul": (np.multiply, "Lane by lane src * value, low half of integers"),
    },
    types=_TYPES,
    **_FACTS,
)
xor = declare(
    "void __vv_xor(T &dst, const T &src0, const T &src1)",
    doc="Lane by lane src0 ^ src1",
    types="uint32 int32",
    archs="<=520",
    semantics=np.bitwise_xor,
    **_FACTS,
)
trixor = declare(
    "void __vv_trixor(T &dst, const T &src0, const T &src1, const T &src2)",
    doc="Lane by lane src0 ^ src1 ^ src2",
    types="uint32 int32",
    archs=">520",
    semantics=lambda src0, src1, src2: src0 ^ src1 ^ src2,
    **_FACTS,
)


@instruction("void __vv_mulh(T &dst, const T &src, T value)", types="uint32", **_FACTS)
def mulh(src: np.ndarray, value: int) -> np.ndarray:
    """High 32 bits of the unsigned product src * value."""
    return (src.astype(np.uint64) * np.uint64(value)) >> np.uint64(32)


@instruction(
    f"void __vv_store(T dst[{VECTOR_REGISTER_BYTES} // sizeof_dst], const T &src)", types=_TYPES, moves="src", **_FACTS
)
def store(src: np.ndarray) -> np.ndarray:
    """Write all lanes to NRAM."""
    return src


@instruction(
    "void __vv_store(T dst[count], const T &src, int32 count)",
    types=_TYPES,
    moves="src",
    rules=(Require(f"0 < count <= {VECTOR_REGISTER_BYTES} // sizeof_dst", rule="length"),),
    **_FACTS,
)
def store_some(src: np.ndarray, count: int) -> np.ndarray:
    """Write the first count lanes to NRAM."""
    return src[:count]
