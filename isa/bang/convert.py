"""Conversions between element types, with the vendor's rounding suffixes and fix position.

Suffixes: ``_tz`` toward zero, ``_oz`` away from zero, ``_up`` to +inf, ``_dn`` to -inf, ``_rd`` nearest with ties away
from zero, ``_rn`` nearest with ties to even; none means toward zero (inferred).
float -> int is round(src * 2**-fix_position), saturated to the type, NaN -> 0 (both inferred);
int -> float is src * 2**fix_position.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..declare import INFERRED, Align, Archs, Instruction, Require, declare, instruction
from ..types import TYPES

Rounding = Callable[[np.ndarray], np.ndarray]


def _away(x: np.ndarray) -> np.ndarray:
    return np.copysign(np.ceil(np.abs(x)), x)


def _nearest_away(x: np.ndarray) -> np.ndarray:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(np.ones_like(x), x), whole)


ROUNDINGS: dict[str, Rounding] = {
    "": np.trunc,
    "_tz": np.trunc,
    "_oz": _away,
    "_up": np.ceil,
    "_dn": np.floor,
    "_rd": _nearest_away,
    "_rn": np.rint,
}

_OLD = Archs("<300")
_RULES = (
    Require("src_count > 0", "src_count is greater than 0", rule="length"),
    Align(64, archs=_OLD),
    Require("src_count % 64 == 0", "src_count is a multiple of 64", _OLD, rule="length"),
)
_POSITION = Require(
    "-127 <= fix_position <= 127", "fix_position lies in -127..127", provenance="documented", rule="argument"
)
_WORK = "src_count * max(sizeof_src, sizeof_dst, 2)"


def _to_int(kind: str, rounding: Rounding) -> Callable[..., np.ndarray]:
    dtype = TYPES[kind].dtype
    limits = np.iinfo(dtype)

    def convert(src: np.ndarray, fix_position: int) -> np.ndarray:
        scaled = src.astype(np.float64) if dtype.itemsize > 2 else src.astype(np.float32)
        if fix_position:
            scaled = np.ldexp(scaled, -fix_position)
        return np.nan_to_num(np.clip(rounding(scaled), limits.min, limits.max), nan=0).astype(dtype)

    return convert


def _from_int(kind: str) -> Callable[..., np.ndarray]:
    dtype = TYPES[kind].dtype

    def convert(src: np.ndarray, fix_position: int) -> np.ndarray:
        wide = src.astype(np.float64)
        return (np.ldexp(wide, fix_position) if fix_position else wide).astype(dtype)

    return convert


def narrow(x: np.ndarray, dtype: np.dtype, rounding: str) -> np.ndarray:
    """float32 -> a narrower float with one of the suffixes; inf and NaN stay what they are."""
    near = x.astype(dtype)
    if rounding in ("_rn", ""):
        return near
    back = near.astype(np.float32)
    lower, upper = np.nextafter(near, dtype.type(-np.inf)), np.nextafter(near, dtype.type(np.inf))
    down = np.where(back > x, lower, near)
    up = np.where(back < x, upper, near)
    if rounding == "_dn":
        return down
    if rounding == "_up":
        return up
    toward = np.where(x < 0, up, down)
    if rounding == "_tz":
        return toward
    away = np.where(x < 0, down, up)
    if rounding == "_oz":
        return away
    middle = (down.astype(np.float64) + up.astype(np.float64)) / 2
    return np.where(np.isfinite(middle) & (x == middle), away, near)


def _narrowing(kind: str, rounding: str) -> Callable[..., np.ndarray]:
    dtype = TYPES[kind].dtype

    def convert(src: np.ndarray) -> np.ndarray:
        return narrow(src, dtype, rounding)

    return convert


def _float_to_int(source: str, target: str, suffix: str) -> Instruction:
    documented = target != "int32" and suffix != ""
    return instruction(
        f"void __bang_{source}2{target}{suffix}({target} dst[src_count], const {source} src[src_count],"
        " int32 src_count, int32 fix_position)",
        doc=f"dst[i] = round(src[i] * 2**-fix_position), rounding {suffix[1:] or 'tz (inferred)'}",
        provenance="documented" if documented else INFERRED,
        rules=(*_RULES, _POSITION),
        work=_WORK,
    )(_to_int(target, ROUNDINGS[suffix]))


def _int_to_float(source: str, target: str, suffix: str) -> Instruction:
    return instruction(
        f"void __bang_{source}2{target}{suffix}({target} dst[src_count], const {source} src[src_count],"
        " int32 src_count, int32 fix_position)",
        doc="dst[i] = src[i] * 2**fix_position, to nearest",
        provenance=INFERRED if source == "int32" or suffix else "documented",
        rules=(*_RULES, _POSITION),
        work=_WORK,
    )(_from_int(target))


float_to_int = tuple(
    _float_to_int(source, target, suffix)
    for source in ("float", "half")
    for target in ("int32", "int16", "int8")
    for suffix in ROUNDINGS
)
int_to_float = tuple(
    _int_to_float(source, target, suffix)
    for source in ("int32", "int16", "int8")
    for target in ("float", "half")
    for suffix in (("", "_rn") if source == "int32" else ("",))
)
float_to_half = tuple(
    instruction(
        f"void __bang_float2{short}{suffix}({kind} dst[src_count], const float src[src_count], int32 src_count)",
        doc=f"dst[i] = {kind}(src[i]), rounding {suffix[1:]}",
        rules=_RULES,
        work=_WORK,
        archs=archs,
    )(_narrowing(kind, suffix))
    for kind, short, archs in (("half", "half", ""), ("bfloat16", "bfloat16", ">=322"))
    for suffix in ROUNDINGS
    if suffix
)
widening = tuple(
    declare(
        f"void __bang_{name}2float(float dst[src_count], const {kind} src[src_count], int32 src_count)",
        doc="dst[i] = float(src[i]), exact",
        rules=_RULES,
        work=_WORK,
        archs=archs,
        overlap=overlap,
        body=lambda src: src.astype(np.float32),
    )
    for name, kind, archs, overlap in (("half", "half", "", "none"), ("bfloat16", "bfloat16", ">=322", "any"))
)


@instruction(
    "void __cn_vector_cast_f32_to_s32(int32 n, int32 dst[n], const float src[n])",
    provenance=INFERRED,
    rules=(Require("n > 0", "n is greater than 0", rule="length"),),
    work="n * 4",
)
def cast_f32_to_s32(src: np.ndarray) -> np.ndarray:
    """dst[i] = int32(src[i]) toward zero, saturated, NaN -> 0; the count comes first."""
    return _to_int("int32", np.trunc)(src, 0)


