"""References of the conversions, in exact fractions.

Suffixes: tz toward zero, oz away from zero, up, dn, rd nearest with ties away from zero, rn nearest with ties to even,
rm nearest with ties up.
float -> int saturates and gives 0 for NaN; what rounds toward zero or inward ends at the largest number of a format.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import FORMATS, INTEGERS, edges, encode, is_floating, round_to, size_of
from .values import lengths, mixed

SUFFIXES = ("tz", "oz", "up", "dn", "rd", "rn", "rm")
#: One element: ``convert(x, position, suffix, target)``.
Convert = Callable[[Any, int, str, str], Any]


def float_to_int(x: float, position: int, suffix: str, target: str) -> int:
    """round(x / 2**position), saturated; NaN gives 0."""
    bits, signed = INTEGERS[target]
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return most if x > 0 else least
    return min(max(round_to(Fraction(x) / Fraction(2) ** position, suffix), least), most)


def int_to_float(n: int, position: int, suffix: str, target: str) -> float:
    """n * 2**position, which a double holds exactly, rounded once."""
    return narrow(n * 2.0**position, position, suffix, target)


def narrow(x: float, position: int, suffix: str, target: str) -> float:
    """A float in a narrower format; beyond its end the largest number, where the suffix points back to it."""
    form = FORMATS[target]
    inward = suffix == "tz" or suffix == ("dn" if x > 0 else "up")
    if inward and math.isfinite(x) and abs(x) > form.largest:
        return math.copysign(float(form.largest), x)
    return form.round(x, suffix)


def widen(x: float, position: int, suffix: str, target: str) -> float:
    """The same number."""
    return x


def interesting(source: str, target: str) -> list[Any]:
    """Values around ties, around the ends of the target, and all corners of the source."""
    if not is_floating(source):
        bits, signed = INTEGERS[source]
        limit = 1 << (bits - signed)
        # 2**24 + 1 lies between two floats, 2049 between two halves; times 2**13, its neighbours are nearer to it than
        # a float can tell; 65520 and its neighbours lie around the end of half.
        near = [2**24 + 1, 2**24 + 3, 2049, 2051, *((2049 << 13) + d for d in (-1, 1)), 65519, 65520, 65536, limit - 1]
        found = [0, 1, 77, limit - 1, *(n for n in near if n < limit)]
        return [*found, -limit, *(-n for n in found)] if signed else found
    form = FORMATS[source]
    if is_floating(target):
        goal = FORMATS[target]
        points = [
            1.0,
            1 + float(goal.ulp(1.0)),
            2.0,
            float(goal.smallest),
            2.0**goal.emin,
            float(goal.largest),
            65520.0,
        ]
        around = [65519.996, *(float(x + goal.ulp(x) * Fraction(n, 8)) for x in points for n in range(-6, 7))]
    else:
        limit = 1 << (INTEGERS[target][0] - 1)
        around = [n / 4 for n in range(24)] + [form.round(limit + d, "tz") for d in (-2, -1, -0.5, 0, 0.5, 1, 4)]
    return [*edges(source), *(form.round(sign * x) for x in around for sign in (1, -1))]


def conversion(name: str, roles: str, convert: Convert, suffix: str = "", in_place: bool = True) -> Form:
    """A form that converts ``count`` elements, or ``segnum + 1`` blocks of them."""
    names = tuple(roles.split())

    def compute(memory: Memory, *arguments: Any) -> None:
        given = dict(zip(names, arguments, strict=True))
        dst, src = given["dst"], given["src"]
        position = given.get("position", 0) - given.get("to_position", 0)
        blocks = []
        for block in range(given.get("segnum", 0) + 1):
            elements = memory.read(src.moved(block * given.get("src_stride", 0)), given["count"])
            blocks.append([convert(x, position, suffix, dst.kind) for x in elements])
        for block, elements in enumerate(blocks):
            memory.write(dst.moved(block * given.get("dst_stride", 0)), elements)
        for name in ("dst_addition", "dst_room"):
            if name in given:
                memory.forget(given[name], given["count"] * size_of(given[name].kind))

    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = dict(zip(names, kinds, strict=True))
        source, target = kind["src"], kind["dst"]

        def call(values: list[Any], label: str, position: int = 0, at_once: bool = False) -> Call:
            contents = packed([(source, values), (target, [0] * len(values))], "nram")
            src, dst = (pointer for pointer, _ in contents)
            place = {"src": src, "dst": replace(src, kind=target) if at_once else dst}
            given = {**place, "count": len(values), "position": position}
            room = contents[1][0]
            for name, kept in (("dst_addition", target), ("dst_room", source)):
                room = replace(room.moved(4 * len(values) + 24), kind=kept)
                given[name] = room
            given["to_position"] = 1 if position > 1 else 0
            length = length_of(contents) + (2 * (4 * len(values) + 24) if "dst_room" in names else 0)
            return Call(tuple(given[role] for role in names), tuple(contents[:1]), label, length)

        if "segnum" in names:
            yield from _block_calls(names, source, target)
            return
        for position in (0, 1, -1, 2, -2, 3, -3, 10, -13, -24, 127, -127) if "position" in names else (0,):
            yield call(interesting(source, target), f"position {position}", position=position)
        for count in lengths(target):
            yield call(mixed(source, count, name), f"{count} elements")
        if in_place:
            yield call(mixed(source, 131, name), "dst is src", at_once=True)

    return Form(name, names, compute, calls)


_BLOCKS = [  # elements of a block, dst_stride, src_stride, segnum
    (3, 48, 16, 0),  # one block
    (3, 16, 0, 1),
    (7, 64, 0, 4),  # one source block again and again
    (65, 300, 4, 2),  # source blocks that overlap
    (33, 132, 140, 6),
    (5, -40, 24, 3),  # downwards in the target
    (5, 40, -24, 3),  # and in the source
]


def _block_calls(names: tuple[str, ...], source: str, target: str) -> Iterator[Call]:
    first, middle = Pointer("nram", 8, source), Pointer("nram", 3072, target)
    data = encode(source, mixed(source, 512, "blocks"))
    for count, dst_stride, src_stride, segnum in _BLOCKS:
        place = {"src": first.moved(160), "dst": middle, "count": count, "position": 0}
        given = {**place, "dst_stride": dst_stride, "src_stride": src_stride, "segnum": segnum}
        label = f"{segnum + 1} blocks of {count}, strides {dst_stride} and {src_stride}"
        yield Call(tuple(given[role] for role in names), ((first, data),), label, 4096)


def _tail_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    """The source at the end of the destination, as public kernels place it."""
    for count in lengths("float"):
        dst = Pointer("nram", 8, "float")
        ((src, data),) = packed([("bfloat16", mixed("bfloat16", count, "tail"))], "nram")
        src = src.moved(2 * count)
        yield Call((dst, src, count), ((src, data),), f"{count} elements from the tail", 8 + 4 * count)


def _from_the_tail(form: Form) -> Form:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        yield from form.calls(kinds)
        yield from _tail_calls(kinds)

    return replace(form, calls=calls)


_PLAIN, _SCALED, _BOTH = "dst src count", "dst src count position", "dst src count to_position position"
_STRIDES = " dst_stride src_stride segnum"
_INTEGERS = ("int32", "uint32", "int16", "int8")
_FIRST = ("tz", "oz", "up", "dn", "rd")


def _named(name: str, suffix: str) -> str:
    return f"__bang_{name}_{suffix}" if suffix else f"__bang_{name}"


def _each(
    name: str, suffixes: Iterable[str], roles: str, convert: Convert, plain: str = "tz", **facts: Any
) -> list[Form]:
    """A form for each suffix; ``plain`` is the rounding of the form without one."""
    return [conversion(_named(name, suffix), roles, convert, suffix or plain, **facts) for suffix in suffixes]


def int_to_int(n: int, position: int, suffix: str, target: str) -> int:
    """n * 2**position, which is no longer whole where the position is negative, saturated."""
    bits, signed = INTEGERS[target]
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(round_to(Fraction(n) * Fraction(2) ** position, suffix), least), most)


def scaled_up(x: Any, position: int, suffix: str, target: str) -> int:
    """What is a float divided by 2**position is a whole number divided by it too."""
    return int_to_int(x, -position, suffix, target)


_NAMES = {"int8": "char", "int16": "short", "int32": "int"}
_WIDER = [("int8", "int16"), ("int8", "int32"), ("int16", "int32")]
_WITH_ROOM = "dst dst_addition src dst_room count"
FORMS = [
    *(
        form
        for source in ("float", "half", "bfloat16")
        for target in _INTEGERS
        for form in _each(f"{source}2{target}", ("", *SUFFIXES), _SCALED, float_to_int)
    ),
    *_each("float2int", SUFFIXES, _SCALED, float_to_int),
    *_each("half2int8", _FIRST, _SCALED + _STRIDES, float_to_int),
    *_each("half2fix16", ["rd"], _SCALED, float_to_int),
    *_each("half2short", SUFFIXES, _PLAIN, float_to_int),
    *_each("half2short", _FIRST, _PLAIN + _STRIDES, float_to_int),
    *_each("half2char", ["dn"], _PLAIN, float_to_int),
    *_each("half2uchar", SUFFIXES, _PLAIN, float_to_int),
    *_each("bfloat162uchar", ("", *SUFFIXES), _PLAIN, float_to_int),
    *_each("float2uchar", ("", *SUFFIXES), _PLAIN, float_to_int),
    *_each("float2uint8", SUFFIXES, _SCALED, float_to_int),
    *_each("float2uint16", SUFFIXES, _SCALED, float_to_int),
    *(
        form
        for target in ("float", "half", "bfloat16")
        for form in (
            *_each(f"int322{target}", ("", *SUFFIXES), _SCALED, int_to_float),
            *_each(f"uint322{target}", ("", *SUFFIXES), _SCALED, int_to_float),
            *_each(f"int162{target}", [""] if target == "float" else ("", *SUFFIXES), _SCALED, int_to_float),
            *_each(f"int82{target}", [""], _SCALED, int_to_float, in_place=False),
        )
    ),
    *_each("int2float", [""], _SCALED, int_to_float, in_place=False),
    *_each("int82half", [""], _SCALED + _STRIDES, int_to_float),
    *_each("short2half", [""], _PLAIN, int_to_float),
    *_each("short2half", [""], _PLAIN + _STRIDES, int_to_float),
    *_each("uchar2half", [""], _PLAIN, int_to_float, in_place=False),
    *_each("uchar2half", [""], _PLAIN + _STRIDES, int_to_float),
    *_each("uchar2float", [""], _PLAIN, int_to_float, in_place=False),
    *_each("uchar2bfloat16", [""], _PLAIN, int_to_float, in_place=False),
    *_each("uint82float", [""], _SCALED, int_to_float, in_place=False),
    *_each("uint162float", [""], _SCALED, int_to_float, in_place=False),
    *_each("int82bfloat16", SUFFIXES, _SCALED, int_to_float, in_place=False),
    *(
        form
        for narrower, wider in _WIDER
        for source, target in ((narrower, wider), (wider, narrower))
        for name in (f"{source}2{target}", f"{_NAMES[source]}2{_NAMES[target]}")
        for form in _each(name, [""], _BOTH, int_to_int, in_place=source == wider)
    ),
    *(
        form
        for whole in _NAMES
        for form in (
            *_each(f"{whole}2uchar", ("", *SUFFIXES), _SCALED, int_to_int),
            *_each(f"uchar2{whole}", ("", *SUFFIXES), _SCALED, scaled_up, in_place=whole == "int8"),
        )
    ),
    *_each("bfloat162half", ("", *SUFFIXES), _PLAIN, narrow),
    *_each("half2bfloat16", ("", *SUFFIXES), _PLAIN, narrow),
    *_each("float2half", SUFFIXES, _PLAIN, narrow),
    *_each("float2half", [""], _PLAIN, narrow, plain="rn"),
    *_each("float2half", _FIRST, _PLAIN + _STRIDES, narrow),
    *_each("float2bfloat16", SUFFIXES, _PLAIN, narrow),
    *_each("float2bfloat16", [""], _PLAIN, narrow, plain="rn"),
    conversion("__bang_half2float", _PLAIN, widen, in_place=False),
    conversion("__bang_half2float", _PLAIN + _STRIDES, widen),
    _from_the_tail(conversion("__bang_bfloat162float", _PLAIN, widen)),
    *(_from_the_tail(form) for form in _each("bfloat162float", SUFFIXES, _PLAIN, widen, in_place=False)),
    conversion("__bang_int2float", _WITH_ROOM, int_to_float, "tz", in_place=False),
    conversion("__bang_float2int", _WITH_ROOM, float_to_int, "tz", in_place=False),
    conversion("__bang_half2uchar_dn", "dst src dst_room count", float_to_int, "dn", in_place=False),
    conversion("__cn_vector_cast_f32_to_s32", "count dst src", float_to_int, "tz"),
]
