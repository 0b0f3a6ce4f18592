"""BDC between integers of two scales: requantization and dequantization, by one factor or one for each channel.

Which number a factor, a shift and an offset are of a table, and in which order they act, is that of the vendor's own
tests and checkers. That sums and products are exact where they are integers, and rounded one by one where they are
floats, is inferred.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..instruction import Wider
from ..rounding import Rounding, shifted_right, to_int
from ..rules import Require
from .bdc import KNOWN_MODE, ROUNDINGS
from .commands import bdc
from .cycles import work as cycles

_NARROW = "int8 uint8 int16 uint16"
_WIDE = f"{_NARROW} int32"
_MOST_RIGHT, _MOST_LEFT = 62, 31  # bits of a shift
_SHIFT = Require(f"-{_MOST_RIGHT} <= shift <= {_MOST_LEFT}", needed=True)
_IN_PLACE = Require("dst_addr != src_addr or sizeof_dst_addr <= sizeof_src_addr", rule="overlap")
_TABLE = Require("quant_addr % 8 == 0", rule="alignment")
#: Floats are rounded in all ways but these two, whose ties go up or down.
_OF_FLOATS = {mode: r for mode, r in ROUNDINGS.items() if r not in (Rounding.NEAREST_UP, Rounding.NEAREST_DOWN)}


def _float_mode(argument: str) -> Require:
    return Require(f"0 <= {argument} <= {max(_OF_FLOATS)}", needed=True)


def _moved(wide: np.ndarray, shift: Any, mode: int) -> Any:
    """Times 2**shift, rounded where that is to the right; what goes to the left stays so large that it is clamped."""
    by = np.clip(np.asarray(shift).astype(np.int64), -_MOST_RIGHT, _MOST_LEFT)
    most = 1 << 31
    left = np.clip(wide, -most, most) << np.clip(by, 0, None)
    return np.where(by > 0, left, shifted_right(wide, np.clip(-by, 0, None), ROUNDINGS[mode]))


def _clamped(wide: Any, dtype: np.dtype) -> np.ndarray:
    limits = np.iinfo(dtype)
    made: np.ndarray = np.clip(wide, limits.min, limits.max).astype(dtype)
    return made


def _requantized(
    src_addr: np.ndarray, multiplier: Any, shift: Any, offset: Any, mode: int, type_dst_addr: np.dtype
) -> np.ndarray:
    """src times multiplier times 2**shift, rounded by mode, plus offset, clamped"""
    return _clamped(_moved(src_addr.astype(np.int64) * multiplier, shift, mode) + np.int64(offset), type_dst_addr)


def _dequantized(
    src_addr: np.ndarray, offset: Any, multiplier: Any, shift: Any, mode: int, type_dst_addr: np.dtype
) -> np.ndarray:
    """src minus offset, times multiplier times 2**shift, rounded by mode, clamped"""
    return _clamped(_moved((src_addr.astype(np.int64) - np.int64(offset)) * multiplier, shift, mode), type_dst_addr)


def _scaled(
    src_addr: np.ndarray, scale: Any, offset: Any, dst_mode: int, src_mode: int, type_dst_addr: np.dtype
) -> np.ndarray:
    """src as a float by src_mode, times scale, plus offset, each rounded; as an integer by dst_mode, clamped"""
    with np.errstate(over="ignore", invalid="ignore"):
        made = _single(src_addr, src_mode) * np.float32(scale) + np.float32(offset)
    return to_int(made.astype(np.float64), type_dst_addr, _OF_FLOATS[dst_mode], np.iinfo(type_dst_addr).max)


def _unscaled(src_addr: np.ndarray, offset: Any, scale: Any) -> np.ndarray:
    """src minus offset, times scale, one rounding to nearest even: the difference has 17 bits"""
    return (src_addr.astype(np.int64) - np.int64(offset)).astype(np.float32) * np.float32(scale)


def _single(whole: np.ndarray, mode: int) -> np.ndarray:
    """Integers as floats of 24 bits: those of 32 bits are rounded."""
    wide = whole.astype(np.int64)
    lost = np.maximum(np.frexp(np.abs(wide).astype(np.float64))[1] - 24, 0)
    kept = shifted_right(wide, lost, _OF_FLOATS[mode])
    found: np.ndarray = np.ldexp(kept.astype(np.float64), lost)
    return found.astype(np.float32)


def _column(table: np.ndarray, at: int, kind: np.dtype | type) -> Any:
    """The low bytes of a word of each channel, from a table [1, c, 1, n]: integers in 64 bits, or floats."""
    words = np.ascontiguousarray(table[..., at : at + 1])
    found = words.view(kind)[..., :1]
    return found if found.dtype.kind == "f" else found.astype(np.int64)


def _int_pc_requant(src_addr: np.ndarray, quant_addr: np.ndarray, mode: int, type_dst_addr: np.dtype) -> np.ndarray:
    factors = _column(quant_addr, 0, np.int32), _column(quant_addr, 1, np.int8), _column(quant_addr, 2, type_dst_addr)
    return _requantized(src_addr, *factors, mode, type_dst_addr)


def _int_pc_dequant(src_addr: np.ndarray, quant_addr: np.ndarray, mode: int, type_dst_addr: np.dtype) -> np.ndarray:
    offset = _column(quant_addr, 0, src_addr.dtype)
    factors = _column(quant_addr, 1, np.int32), _column(quant_addr, 2, np.int8)
    return _dequantized(src_addr, offset, *factors, mode, type_dst_addr)


def _fp32_pc_requant(
    src_addr: np.ndarray, quant_addr: np.ndarray, dst_mode: int, src_mode: int, type_dst_addr: np.dtype
) -> np.ndarray:
    factors = _column(quant_addr, 0, np.float32), _column(quant_addr, 1, np.float32)
    return _scaled(src_addr, *factors, dst_mode, src_mode, type_dst_addr)


def _fp32_pc_dequant(src_addr: np.ndarray, quant_addr: np.ndarray) -> np.ndarray:
    return _unscaled(src_addr, _column(quant_addr, 0, src_addr.dtype), _column(quant_addr, 1, np.float32))


_TYPES, _FLOAT = "data_type dst_dtype, data_type src_dtype", "data_type src_dtype"
_TO_WIDE, _TO_NARROW = {"D": _WIDE, "S": _NARROW}, {"D": _NARROW, "S": _WIDE}
_WORK = cycles("bdc_requant", shape="shape", size="max(sizeof_dst_addr, sizeof_src_addr)")


def _quantizing(
    name: str, function: Any, arguments: str, types: Mapping[str, str], table: tuple[str, int] = ("", 0),
    modes: tuple[Require, ...] = (KNOWN_MODE,), doc: str = "", rules: tuple[Require, ...] = (),
) -> Any:  # fmt: skip
    """A function between two scales; ``table`` is the type and the number of words that it has of each channel.

    Tables are aligned tensors [1, c, 1, words], the first word at a multiple of 8 bytes.
    """
    kind, words = table
    beat, target = "eu_bytes // 4", "D" if "D" in types else "float"
    quant = f" const tensor<{kind}> quant_addr[(1, shape.c, 1, {words}) @ ({beat}, {beat}, {beat}, 1)],"
    return bdc(
        f"void tpu_bdc_{{op}}(tensor<{target}> dst_addr[shape], const tensor<S> src_addr[shape],{quant if kind else ''}"
        f" dim4 *shape, {arguments})",
        {name: (function, f"dst = {doc or function.__doc__}")},
        types=types,
        rules=(*modes, *rules, _IN_PLACE, *((_TABLE,) if kind else ())),
        engine="bdc_requant",
        work=_WORK,
        wider=Wider.BITS,
    )


_BOTH = (_float_mode("dst_mode"), _float_mode("src_mode"))
_MODES = "rounding dst_mode, rounding src_mode"
_OF_CHANNEL = "{}; quant has {} of each channel"
requantized = (
    _quantizing("int_requant", _requantized, f"int32 multiplier, int8 shift, scalar<D> offset, {_TYPES}, rounding mode",
                _TO_NARROW, rules=(_SHIFT,)),
    _quantizing("int_pc_requant", _int_pc_requant, f"{_TYPES}, rounding mode", _TO_NARROW, ("int32", 3),
                doc=_OF_CHANNEL.format(_requantized.__doc__, "multiplier, shift and offset")),
    _quantizing("fp32_requant", _scaled, f"float scale, float offset, {_TYPES}, {_MODES}", _TO_NARROW, modes=_BOTH),
    _quantizing("fp32_pc_requant", _fp32_pc_requant, f"{_TYPES}, {_MODES}", _TO_NARROW, ("float", 2), _BOTH,
                doc=_OF_CHANNEL.format(_scaled.__doc__, "scale and offset")),
)  # fmt: skip
_ONE = (_float_mode("mode"),)
dequantized = (
    _quantizing("int_dequant", _dequantized, f"scalar<S> offset, int32 multiplier, int8 shift, {_TYPES}, rounding mode",
                _TO_WIDE, rules=(_SHIFT,)),
    _quantizing("int_pc_dequant", _int_pc_dequant, f"{_TYPES}, rounding mode", _TO_WIDE, ("int32", 3),
                doc=_OF_CHANNEL.format(_dequantized.__doc__, "offset, multiplier and shift")),
    _quantizing("fp32_dequant", _unscaled, f"scalar<S> offset, float scale, {_FLOAT}, rounding mode", {"S": _NARROW},
                modes=_ONE),
    _quantizing("fp32_pc_dequant", _fp32_pc_dequant, f"{_FLOAT}, rounding mode", {"S": _NARROW}, ("int32", 2), _ONE,
                doc=_OF_CHANNEL.format(_unscaled.__doc__, "offset and scale")),
)  # fmt: skip
