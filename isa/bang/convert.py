"""Conversions between element types, with the vendor's rounding suffixes and fix positions.

Suffixes: ``_tz`` toward zero, ``_oz`` away from zero, ``_up`` to +inf, ``_dn`` to -inf, ``_rd`` nearest with ties away
from zero, ``_rn`` nearest with ties to even, ``_rm`` nearest with ties up (inferred). Without one they round toward
zero; of names that no public header has this is inferred, and `float2half` and `float2bfloat16` go to nearest even.
float -> int is round(src * 2**-fix_position), saturated to the type, NaN -> 0 (both inferred); int -> float is
src * 2**fix_position; int -> int is src * 2**(src_position - dst_position), toward zero, saturated (inferred).
Forms with ``segnum`` convert segnum + 1 blocks; strides in bytes, a source stride of 0 repeats one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..declare import DOCUMENTED, INFERRED, Align, Archs, Instruction, Require, declare, family
from ..rounding import Rounding, narrow, to_int
from ..types import TYPES

#: The vendor's suffixes.
ROUNDINGS = {
    "_tz": Rounding.ZERO,
    "_oz": Rounding.AWAY,
    "_up": Rounding.UP,
    "_dn": Rounding.DOWN,
    "_rd": Rounding.NEAREST_AWAY,
    "_rn": Rounding.NEAREST_EVEN,
    "_rm": Rounding.NEAREST_UP,
}
#: How the vendor calls element types in names, where it is not our way; the older names first.
NAMES = {"int8": ("char", "int8"), "int16": ("short", "int16"), "int32": ("int", "int32")}
_OLD = Archs("<300")
_SEGMENTS = Require("segnum >= 0", rule="length")
_WORK = "src_count * max(sizeof_src, sizeof_dst, 2)"


def _rules(multiple: int) -> tuple[Align | Require, ...]:
    return (
        Require("src_count > 0", rule="length"),
        Align(64, archs=_OLD),
        Require(f"src_count % {multiple} == 0", _OLD, rule="length"),
    )


def _position(name: str) -> Require:
    return Require(f"-127 <= {name} <= 127")


def _scaled(src: np.ndarray, power: int, wide: bool = True) -> np.ndarray:
    # float32 cannot hold every int32, and loses small values when a position scales them.
    x = src.astype(np.float64 if power or wide else np.float32)
    return np.ldexp(x, power) if power else x


Convert = Callable[[np.ndarray, int, np.dtype], np.ndarray]


def _to_int(rounding: Rounding) -> Convert:
    return lambda src, power, dtype: to_int(_scaled(src, power, dtype.itemsize > 2), dtype, rounding)


def _to_float(rounding: Rounding) -> Convert:
    return lambda src, power, dtype: narrow(_scaled(src, power), dtype, rounding)


def _narrowing(rounding: Rounding) -> Convert:
    return lambda src, power, dtype: narrow(src, dtype, rounding)


def _exact(rounding: Rounding) -> Convert:
    return lambda src, power, dtype: src.astype(dtype)


#: Arguments behind the count, and the power of two that a function gets from them.
_POSITIONS: dict[str, Callable[[Convert], Callable[..., Any]]] = {
    "": lambda convert: lambda src, type_dst: convert(src, 0, type_dst),
    "fix_position to int": lambda convert: lambda src, fix_position, type_dst: convert(src, -fix_position, type_dst),
    "fix_position": lambda convert: lambda src, fix_position, type_dst: convert(src, fix_position, type_dst),
    "dst_position, src_position": lambda convert: (
        lambda src, dst_position, src_position, type_dst: convert(src, src_position - dst_position, type_dst)
    ),
}


def _family(
    name: str,
    source: str,
    target: str,
    convert: Callable[[Rounding], Convert],
    doc: str,
    suffixes: Iterable[str] = ("",),
    *,
    plain: Rounding = Rounding.ZERO,
    positions: str = "",
    blocks: bool = False,
    **facts: Any,
) -> tuple[Instruction, ...]:
    """One conversion with each of the suffixes; ``plain`` is how it rounds without one."""
    arguments = [p for p in positions.removesuffix(" to int").split(", ") if p]
    dst, src = ("[segnum + 1 @ dst_stride]", "[segnum + 1 @ src_stride]") if blocks else ("", "")
    further = [*arguments, *(["dst_stride", "src_stride", "segnum"] if blocks else [])]
    rules = _rules(128 if {"int8", "uint8"} & {source, target} else 64)
    return family(
        f"void __bang_{name}{{op}}({target} dst{dst}[src_count], const {source} src{src}[src_count], int32 src_count"
        + "".join(f", int32 {argument}" for argument in further)
        + ")",
        {
            suffix: (
                _POSITIONS[positions](convert(ROUNDINGS.get(suffix, plain))),
                doc + (f", rounding {suffix[1:]}" if suffix else ""),
            )
            for suffix in suffixes
        },
        rules=(*rules, *(_position(p) for p in arguments), *([_SEGMENTS] if blocks else [])),
        work=f"{_WORK} * (segnum + 1)" if blocks else _WORK,
        **facts,
    )


_FIRST = ("_tz", "_oz", "_up", "_dn", "_rd")  # on all architectures; the others are newer
_ALL = tuple(ROUNDINGS)
_ROUNDED = "dst[i] = round(src[i] * 2**-fix_position)"
_SCALED = "dst[i] = src[i] * 2**fix_position"
_CAST = "dst[i] = {}(src[i])"
_NEW: dict[str, Any] = {"archs": ">=322"}
_5XX: dict[str, Any] = {"archs": ">=520"}
_INFERRED: dict[str, Any] = {"provenance": INFERRED}


def _float_to_int() -> Iterator[tuple[Instruction, ...]]:
    to: dict[str, Any] = {"positions": "fix_position to int"}
    for source in ("float", "half", "bfloat16"):
        for target in ("int32", "uint32", "int16", "int8"):
            name, facts = f"{source}2{target}", {**to, **(_NEW if source == "bfloat16" else {})}
            known = source != "bfloat16" and not target.endswith("int32")
            yield _family(name, source, target, _to_int, f"{_ROUNDED}, toward zero", **facts, **_INFERRED)
            for suffixes, archs in ((_FIRST, {}), (("_rn", "_rm"), _NEW if known else {})):
                provenance = DOCUMENTED if known else INFERRED
                yield _family(
                    name, source, target, _to_int, _ROUNDED, suffixes, provenance=provenance, **{**facts, **archs}
                )
    yield _family("float2int", "float", "int32", _to_int, _ROUNDED, _ALL, **to, **_NEW)
    yield _family("half2int8", "half", "int8", _to_int, _ROUNDED, _FIRST, blocks=True, **to)
    yield _family("half2fix16", "half", "int16", _to_int, _ROUNDED, ("_rd",), **to, **_INFERRED)
    short = _CAST.format("int16")
    yield _family("half2short", "half", "int16", _to_int, short, _FIRST)
    yield _family("half2short", "half", "int16", _to_int, short, _FIRST, blocks=True)
    yield _family("half2short", "half", "int16", _to_int, short, ("_rn", "_rm"), **_NEW)
    yield _family("half2char", "half", "int8", _to_int, _CAST.format("int8"), ("_dn",))
    unsigned = _CAST.format("uint8")
    yield _family("float2uchar", "float", "uint8", _to_int, f"{unsigned}, toward zero", **_INFERRED)
    yield _family("float2uchar", "float", "uint8", _to_int, unsigned, _ALL, **_INFERRED)
    yield _family("half2uchar", "half", "uint8", _to_int, unsigned, [s for s in _ALL if s != "_dn"], **_NEW)
    yield _family("bfloat162uchar", "bfloat16", "uint8", _to_int, unsigned, ("", *_ALL), **_5XX)
    yield _family("float2uint8", "float", "uint8", _to_int, _ROUNDED, ("_tz",), **to, archs=">=300")
    yield _family("float2uint8", "float", "uint8", _to_int, _ROUNDED, _ALL[1:], **to, **_NEW)
    yield _family("float2uint16", "float", "uint16", _to_int, _ROUNDED, _ALL, **to, **_NEW)


def _int_to_float() -> Iterator[tuple[Instruction, ...]]:
    facts: dict[str, Any] = {"positions": "fix_position"}
    plain = f"{_SCALED}, toward zero"
    for target in ("float", "half", "bfloat16"):
        newer = _NEW if target == "bfloat16" else {}
        for source in ("int32", "uint32"):
            name, wide = f"{source}2{target}", {**facts, **newer, **_INFERRED}
            yield _family(name, source, target, _to_float, plain, **wide)
            yield _family(name, source, target, _to_float, _SCALED, _ALL, **wide)
        for source in ("int16", "int8"):
            apart: dict[str, Any] = {"overlap": "none"} if source == "int8" else {}
            known: dict[str, Any] = {"provenance": INFERRED if target == "bfloat16" else DOCUMENTED}
            yield _family(f"{source}2{target}", source, target, _to_float, plain, **facts, **newer, **apart, **known)
    apart = {"overlap": "none"}
    yield _family("int162half", "int16", "half", _to_float, _SCALED, _FIRST, **facts)
    yield _family("int162half", "int16", "half", _to_float, _SCALED, ("_rn", "_rm"), **facts, **_NEW)
    yield _family("int162bfloat16", "int16", "bfloat16", _to_float, _SCALED, _ALL, **facts, **_5XX)
    yield _family("int82bfloat16", "int8", "bfloat16", _to_float, _SCALED, _ALL, **facts, **_5XX, **apart)
    for source in ("uint8", "uint16"):
        yield _family(f"{source}2float", source, "float", _to_float, plain, **facts, **_NEW, **apart)
    yield _family("int2float", "int32", "float", _to_float, plain, **facts, **_NEW, **apart)
    yield _family("int82half", "int8", "half", _to_float, plain, blocks=True, **facts, **apart)
    del facts["positions"]
    for source, target, name, more in (("int16", "half", "short2half", {}), ("uint8", "half", "uchar2half", apart)):
        for blocks in (False, True):
            yield _family(name, source, target, _to_float, _CAST.format("half"), blocks=blocks, **facts, **more)
    yield _family("uchar2float", "uint8", "float", _to_float, _CAST.format("float"), **facts, **apart, **_INFERRED)
    yield _family("uchar2bfloat16", "uint8", "bfloat16", _to_float, _CAST.format("bfloat16"), **facts, **apart, **_5XX)


def _int_to_int() -> Iterator[tuple[Instruction, ...]]:
    doc = "dst[i] = src[i] * 2**(src_position - dst_position), toward zero, saturated"
    for source, (old, new) in NAMES.items():
        for target, (old_target, new_target) in NAMES.items():
            if source == target:
                continue
            wider = TYPES[source].size < TYPES[target].size
            facts: dict[str, Any] = {
                "positions": "dst_position, src_position",
                "overlap": "none" if wider else "same",
                **_NEW,
            }
            yield _family(f"{old}2{old_target}", source, target, _to_int, doc, **facts)
            yield _family(f"{new}2{new_target}", source, target, _to_int, doc, **facts, **_INFERRED)
    # Which way the position works is inferred: it is that of the signed side.
    one: dict[str, Any] = {**_NEW, **_INFERRED}
    for source in NAMES:
        yield _family(
            f"{source}2uchar", source, "uint8", _to_int, _SCALED + ", saturated", ("", *_ALL), positions="fix_position",
            **one,
        )  # fmt: skip
        yield _family(
            f"uchar2{source}", "uint8", source, _to_int, _ROUNDED, ("", *_ALL), positions="fix_position to int",
            overlap="none" if TYPES[source].size > 1 else "same", **one,
        )  # fmt: skip


def _float_to_float() -> Iterator[tuple[Instruction, ...]]:
    half, brain = _CAST.format("half"), _CAST.format("bfloat16")
    nearest = ", to nearest even (inferred)"
    yield _family("float2half", "float", "half", _narrowing, half, _FIRST)
    yield _family("float2half", "float", "half", _narrowing, half, ("_rn",), archs=">=300")
    yield _family("float2half", "float", "half", _narrowing, half, ("_rm",), **_NEW)
    yield _family("float2half", "float", "half", _narrowing, half, _FIRST, blocks=True)
    yield _family("float2bfloat16", "float", "bfloat16", _narrowing, brain, _ALL, **_NEW)
    even: dict[str, Any] = {"plain": Rounding.NEAREST_EVEN, **_INFERRED}
    yield _family("float2half", "float", "half", _narrowing, half + nearest, **even)
    yield _family("float2bfloat16", "float", "bfloat16", _narrowing, brain + nearest, **even, **_NEW)
    exact = _CAST.format("float") + ", exact"
    yield _family("half2bfloat16", "half", "bfloat16", _narrowing, brain, ("", *_ALL), **_5XX)
    yield _family("bfloat162half", "bfloat16", "half", _narrowing, half, ("", *_ALL), **_5XX)
    # The vendor's header forbids operands that coincide at the form with strides, and says nothing at this one. Public
    # kernels that widen in place (mlu-ops' log, sqrt and focal loss, torch_mlu's fused SGD, the sums of InfiniCore) put
    # the source into the upper half of the target, where in ascending order nothing is lost; one alone lets both begin
    # at one address, where every element but the first would be overwritten before it is read.
    yield _family("half2float", "half", "float", _exact, exact, overlap="ascending")
    yield _family("half2float", "half", "float", _exact, exact, blocks=True, overlap="none")
    yield _family("bfloat162float", "bfloat16", "float", _exact, exact, overlap="any", **_NEW, **_INFERRED)
    yield _family("bfloat162float", "bfloat16", "float", _exact, exact, _ALL, overlap="ascending", **_NEW)


def _legacy(name: str, source: str, target: str, parameters: str, convert: Convert, doc: str) -> Instruction:
    """A form of the 2xx architectures that needs room to work in."""
    return declare(
        f"void __bang_{name}({parameters.format(src=source, dst=target)}, int32 src_count)",
        doc=doc,
        archs=">=200",
        rules=_rules(128 if target == "uint8" else 64),
        work=_WORK,
        semantics=lambda src, type_dst: convert(src, 0, type_dst),
    )


_ROOM = "const {src} src[src_count], work {src} src_addition[src_count]"
_WITH_SOURCE_ROOM = "{dst} dst[src_count], " + _ROOM
_WITH_ROOM = "{dst} dst[src_count], work {dst} dst_addition[src_count], " + _ROOM

half_to_bytes = declare(
    "void __bang_half2uchar_dn(T dst[src_count], const half src[src_count], int32 src_count)",
    doc="dst[i] = T(src[i]), rounding dn, saturated",
    types="uint8 int8",
    rules=_rules(128),
    work=_WORK,
    semantics=lambda src, type_dst: to_int(src.astype(np.float32), type_dst, Rounding.DOWN),
)
conversions = (
    *_float_to_int(),
    *_int_to_float(),
    *_int_to_int(),
    *_float_to_float(),
    _legacy(
        "int2float", "int32", "float", _WITH_ROOM, _to_float(Rounding.ZERO),
        "dst[i] = float(src[i]), toward zero (inferred); the additions are room to work in",
    ),
    _legacy(
        "float2int", "float", "int32", _WITH_ROOM, _to_int(Rounding.ZERO),
        "dst[i] = int32(src[i]), toward zero (inferred); the additions are room to work in",
    ),
    _legacy(
        "half2uchar_dn", "half", "uint8", _WITH_SOURCE_ROOM, _to_int(Rounding.DOWN),
        "dst[i] = uint8(src[i]), rounding dn; src_addition is room to work in",
    ),
)  # fmt: skip
