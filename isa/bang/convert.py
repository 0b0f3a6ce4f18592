"""Conversions between element types, with the vendor's rounding suffixes and fix position.

Suffixes: ``_tz`` toward zero, ``_oz`` away from zero, ``_up`` to +inf, ``_dn`` to -inf, ``_rd`` nearest with ties away
from zero, ``_rn`` nearest with ties to even; none means toward zero (inferred).
float -> int is round(src * 2**-fix_position), saturated to the type, NaN -> 0 (both inferred);
int -> float is src * 2**fix_position.
Forms with ``segnum`` convert segnum + 1 blocks; strides in bytes, a source stride of 0 repeats one block.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..declare import DOCUMENTED, INFERRED, Align, Archs, Instruction, Require, instruction
from ..rounding import Rounding, narrow, to_int
from ..types import TYPES

#: The vendor's suffixes.
ROUNDINGS = {
    "": Rounding.ZERO,
    "_tz": Rounding.ZERO,
    "_oz": Rounding.AWAY,
    "_up": Rounding.UP,
    "_dn": Rounding.DOWN,
    "_rd": Rounding.NEAREST_AWAY,
    "_rn": Rounding.NEAREST_EVEN,
}

_OLD = Archs("<300")


def _rules(multiple: int) -> tuple[Align | Require, ...]:
    return (
        Require("src_count > 0", rule="length"),
        Align(64, archs=_OLD),
        Require(f"src_count % {multiple} == 0", _OLD, rule="length"),
    )


_RULES, _INT8_RULES = _rules(64), _rules(128)
_SEGMENTS = Require("segnum >= 0", rule="length")
_POSITION = Require("-127 <= fix_position <= 127")
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

    def convert(src: np.ndarray, fix_position: int) -> np.ndarray:
        # float32 cannot hold every int32, and loses small values when a fix position scales them.
        scaled = src.astype(np.float64 if fix_position or dtype.itemsize > 2 else np.float32)
        return to_int(np.ldexp(scaled, -fix_position) if fix_position else scaled, dtype, rounding)

    return convert


def _from_int(kind: str, rounding: Rounding) -> Callable[..., np.ndarray]:
    dtype = TYPES[kind].dtype

    def convert(src: np.ndarray, fix_position: int) -> np.ndarray:
        wide = src.astype(np.float64)
        return narrow(np.ldexp(wide, fix_position) if fix_position else wide, dtype, rounding)

    return convert


def _narrowing(kind: str, rounding: Rounding) -> Callable[..., np.ndarray]:
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
        provenance=DOCUMENTED if documented else INFERRED,
        rules=(*rules, _POSITION, _SEGMENTS) if blocks else (*rules, _POSITION),
        work=_BLOCKS_WORK if blocks else _WORK,
    )(_to_int(target, ROUNDINGS[suffix]))


def _int_to_float(source: str, target: str, suffix: str) -> Instruction:
    return instruction(
        _prototype(f"{source}2{target}{suffix}", target, source, position=True),
        doc=f"dst[i] = src[i] * 2**fix_position, rounding {suffix[1:] or 'rn (inferred)'}",
        provenance=INFERRED if source == "int32" or suffix else DOCUMENTED,
        rules=(*(_INT8_RULES if source == "int8" else _RULES), _POSITION),
        work=_WORK,
        overlap="none" if (source, target) == ("int8", "float") else "same",
    )(_from_int(target, ROUNDINGS[suffix or "_rn"]))


def _float_to_half(target: str, short: str, suffix: str, archs: str, blocks: bool = False) -> Instruction:
    return instruction(
        _prototype(f"float2{short}{suffix}", target, "float", blocks=blocks),
        doc=f"dst[i] = {target}(src[i]), rounding {suffix[1:]}",
        rules=(*_RULES, _SEGMENTS) if blocks else _RULES,
        work=_BLOCKS_WORK if blocks else _WORK,
        archs=archs,
    )(_narrowing(target, ROUNDINGS[suffix]))


def _widening(source: str, archs: str, overlap: str, blocks: bool = False, provenance: str = DOCUMENTED) -> Instruction:
    return instruction(
        _prototype(f"{source}2float", "float", source, blocks=blocks),
        doc="dst[i] = float(src[i]), exact",
        rules=(*_RULES, _SEGMENTS) if blocks else _RULES,
        work=_BLOCKS_WORK if blocks else _WORK,
        archs=archs,
        overlap=overlap,
        provenance=provenance,
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
    _widening("half", "", "ascending"),
    _widening("half", "", "none", blocks=True),
    _widening("bfloat16", ">=322", "any", provenance=INFERRED),
)


@instruction(
    "void __cn_vector_cast_f32_to_s32(int32 n, int32 dst[n], const float src[n])",
    provenance=INFERRED,
    rules=(Require("n > 0", rule="length"),),
    work="n * 4",
)
def cast_f32_to_s32(src: np.ndarray) -> np.ndarray:
    """dst[i] = int32(src[i]) toward zero, saturated, NaN -> 0; the count comes first."""
    return _to_int("int32", Rounding.ZERO)(src, 0)
