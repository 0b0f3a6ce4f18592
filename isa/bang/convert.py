"""Conversions between element types, with the vendor's rounding suffixes and fix position.

Suffixes: ``_tz`` toward zero, ``_oz`` away from zero, ``_up`` to +inf, ``_dn`` to -inf, ``_rd`` nearest with ties away
from zero, ``_rn`` nearest with ties to even; none means toward zero (inferred).
float -> int is round(src * 2**-fix_position), saturated to the type, NaN -> 0 (both inferred);
int -> float is src * 2**fix_position.
Forms with ``segnum`` convert segnum + 1 blocks; strides in bytes, a source stride of 0 repeats one block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..declare import INFERRED, Align, Archs, Instruction, Require, instruction
from ..types import TYPES

Rounding = Callable[..., Any]


def _away(x: np.ndarray) -> Any:
    return np.copysign(np.ceil(np.abs(x)), x)


def _nearest_away(x: np.ndarray) -> Any:
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


def _rules(multiple: int) -> tuple[Align | Require, ...]:
    return (
        Require("src_count > 0", "src_count is greater than 0", rule="length"),
        Align(64, archs=_OLD),
        Require(f"src_count % {multiple} == 0", f"src_count is a multiple of {multiple}", _OLD, rule="length"),
    )


_RULES, _INT8_RULES = _rules(64), _rules(128)
_SEGMENTS = Require("segnum >= 0", "segnum (blocks minus one) is not negative", rule="length")
_POSITION = Require(
    "-127 <= fix_position <= 127", "fix_position lies in -127..127", provenance="documented", rule="argument"
)
_WORK = "src_count * max(sizeof_src, sizeof_dst, 2)"
_BLOCKS_WORK = f"{_WORK} * (segnum + 1)"


def _prototype(name: str, target: str, source: str, position: bool = False, blocks: bool = False) -> str:
    """The prototype of a conversion, with ``fix_position`` and with strides where asked for."""
    dst, src = ("[segnum + 1 @ dst_stride]", "[segnum + 1 @ src_stride]") if blocks else ("", "")
    return (
        f"void __bang_{name}({target} dst{dst}[src_count], const {source} src{src}[src_count], int32 src_count"
        + (", int32 fix_position" if position else "")
        + (", int32 dst_stride, int32 src_stride, int32 segnum" if blocks else "")
        + ")"
    )


def _to_int(kind: str, rounding: Rounding) -> Callable[..., np.ndarray]:
    dtype = TYPES[kind].dtype
    limits = np.iinfo(dtype)

    def convert(src: np.ndarray, fix_position: int) -> Any:
        # float32 cannot hold every int32, and loses small values when a fix position scales them.
        scaled = src.astype(np.float64 if fix_position or dtype.itemsize > 2 else np.float32)
        if fix_position:
            scaled = np.ldexp(scaled, -fix_position)
        return np.nan_to_num(np.clip(rounding(scaled), limits.min, limits.max), nan=0).astype(dtype)

    return convert


def _from_int(kind: str, suffix: str) -> Callable[..., np.ndarray]:
    dtype = TYPES[kind].dtype

    def convert(src: np.ndarray, fix_position: int) -> np.ndarray:
        wide = src.astype(np.float64)
        return narrow(np.ldexp(wide, fix_position) if fix_position else wide, dtype, suffix)

    return convert


def narrow(x: np.ndarray, dtype: np.dtype, rounding: str) -> np.ndarray:
    """A float -> a narrower float with one of the suffixes; inf and NaN stay what they are."""
    near = x.astype(dtype)
    if rounding in ("_rn", ""):
        return near
    back = near.astype(x.dtype)
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


def _float_to_int(source: str, target: str, suffix: str, blocks: bool = False) -> Instruction:
    documented = target != "int32" and suffix != ""
    rules = _INT8_RULES if target == "int8" else _RULES
    return instruction(
        _prototype(f"{source}2{target}{suffix}", target, source, position=True, blocks=blocks),
        doc=f"dst[i] = round(src[i] * 2**-fix_position), rounding {suffix[1:] or 'tz (inferred)'}",
        provenance="documented" if documented else INFERRED,
        rules=(*rules, _POSITION, _SEGMENTS) if blocks else (*rules, _POSITION),
        work=_BLOCKS_WORK if blocks else _WORK,
    )(_to_int(target, ROUNDINGS[suffix]))


def _int_to_float(source: str, target: str, suffix: str) -> Instruction:
    return instruction(
        _prototype(f"{source}2{target}{suffix}", target, source, position=True),
        doc=f"dst[i] = src[i] * 2**fix_position, rounding {suffix[1:] or 'rn (inferred)'}",
        provenance=INFERRED if source == "int32" or suffix else "documented",
        rules=(*(_INT8_RULES if source == "int8" else _RULES), _POSITION),
        work=_WORK,
        overlap="none" if (source, target) == ("int8", "float") else "same",
    )(_from_int(target, suffix or "_rn"))


def _float_to_half(target: str, short: str, suffix: str, archs: str, blocks: bool = False) -> Instruction:
    return instruction(
        _prototype(f"float2{short}{suffix}", target, "float", blocks=blocks),
        doc=f"dst[i] = {target}(src[i]), rounding {suffix[1:]}",
        rules=(*_RULES, _SEGMENTS) if blocks else _RULES,
        work=_BLOCKS_WORK if blocks else _WORK,
        archs=archs,
    )(_narrowing(target, suffix))


def _widening(source: str, archs: str, overlap: str, blocks: bool = False) -> Instruction:
    return instruction(
        _prototype(f"{source}2float", "float", source, blocks=blocks),
        doc="dst[i] = float(src[i]), exact",
        rules=(*_RULES, _SEGMENTS) if blocks else _RULES,
        work=_BLOCKS_WORK if blocks else _WORK,
        archs=archs,
        overlap=overlap,
    )(lambda src: src.astype(np.float32))


float_to_int = tuple(
    _float_to_int(source, target, suffix)
    for source in ("float", "half")
    for target in ("int32", "int16", "int8")
    for suffix in ROUNDINGS
)
half_to_int8_blocks = tuple(_float_to_int("half", "int8", suffix, blocks=True) for suffix in ("_dn", "_rd"))
int_to_float = tuple(
    _int_to_float(source, target, suffix)
    for source in ("int32", "int16", "int8")
    for target in ("float", "half")
    for suffix in (("", "_rn", "_rd") if source == "int32" else ("",))
)
float_to_half = (
    *(_float_to_half("half", "half", suffix, ">=300" if suffix == "_rn" else "") for suffix in ROUNDINGS if suffix),
    *(_float_to_half("half", "half", suffix, "", blocks=True) for suffix in ("_tz", "_dn", "_rd")),
    *(_float_to_half("bfloat16", "bfloat16", suffix, ">=322") for suffix in ROUNDINGS if suffix),
)
widening = (
    _widening("half", "", "none"),
    _widening("half", "", "none", blocks=True),
    _widening("bfloat16", ">=322", "any"),
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
