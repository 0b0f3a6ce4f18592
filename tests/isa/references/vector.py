"""Instructions that do the same to every element, and the calls that try them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import decode, encode, rounded, size_of
from .values import corners, lengths, mixed, pairs, scalars

#: From the elements of the sources and then the value: one element.
Function = Callable[..., Any]
_APART: Mapping[str, str] = {}
_BITS = {"half": "uint16", "float": "uint32", "bfloat16": "uint16"}


def vector(
    name: str, roles: str, function: Function, *, ulps: float = 0, zeros: bool = True, in_place: bool = True,
    extra: Sequence[float] = (), several: Sequence[Any] = (), whole: bool = False,
) -> Form:  # fmt: skip
    """An element-wise form; ``extra`` are further values of the sources, ``zeros`` says whether their sign counts.

    ``roles``: dst, src*, value (one number of the sources' type), dst_addition (room to work in) and count, in the
    order of the prototype. ``several`` are the values to try, ``whole`` vectors fill beats of the unit.
    """
    names = tuple(roles.split())
    sources = [role for role in names if role.startswith("src")]

    def compute(memory: Memory, *arguments: Any) -> None:
        given = dict(zip(names, arguments, strict=True))
        dst = given["dst"]
        values = [rounded(given[sources[0]].kind, given["value"])] if "value" in given else []
        columns = [memory.read(given[source], given["count"]) for source in sources]
        results = [function(*row, *values) for row in zip(*columns, strict=True)]
        # Python's numbers have no width; a double holds a sum, product, quotient or root of narrower floats well
        # enough for one more rounding to be the right one.
        memory.write(dst, results if ulps else [rounded(dst.kind, result) for result in results], ulps, zeros)
        if "dst_addition" in given:
            memory.forget(given["dst_addition"], given["count"] * size_of(dst.kind))

    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = dict(zip(names, kinds, strict=True))

        def call(columns: Sequence[Sequence[Any]], value: Any, label: str, same: Mapping[str, str] = _APART) -> Call:
            count = len(columns[0])
            if whole:
                beat = lengths(kind["dst"])[2]
                count = -(-count // beat) * beat
                columns = [[column[i % len(column)] for i in range(count)] for column in columns]
            rows = [*zip((kind[source] for source in sources), columns, strict=True), (kind["dst"], [0] * count)]
            contents = packed(rows, "nram", gap=24 + 4 * count)
            if "dst_addition" in names:
                contents = packed([*rows, rows[-1]], "nram", gap=24 + 4 * count)
            place = dict(zip([*sources, "dst", "dst_addition"], (pointer for pointer, _ in contents), strict=False))
            for operand, other in same.items():
                place[operand] = replace(place[other], kind=kind[operand])
            given = {**place, "value": value, "count": count}
            known = tuple(contents[: len(sources)])
            return Call(tuple(given[role] for role in names), known, label, length_of(contents))

        values = several or (scalars(kind["value"]) if "value" in names else [None])
        for value in values:
            yield call([[*corners(kind[source]), *extra] for source in sources], value, f"corners, value {value}")
        if len(sources) == 2:
            yield call(pairs(kind["src0"]), None, "pairs of corners")
        for count in lengths(kind["dst"]):
            columns = [mixed(kind[source], count, f"{name} {source}") for source in sources]
            yield call(columns, values[0], f"{count} elements")
        for source in sources if in_place else ():
            yield call(columns, values[0], f"dst is {source}", {"dst": source})
        if len(sources) == 2:
            yield call(columns, None, "src1 is src0", {"src1": "src0"})
        if len(sources) == 2 and in_place:
            yield call(columns, None, "one operand", {"src1": "src0", "dst": "src0"})

    return Form(name, names, compute, calls)


def cycle(name: str, function: Function, *, zeros: bool = True) -> Form:
    """A form in which a short vector meets one part of a long one after the other."""
    names = ("dst", "src", "src_seg", "count", "seg_count")

    def compute(memory: Memory, dst: Pointer, src: Pointer, seg: Pointer, count: int, short: int) -> None:
        right = memory.read(seg, short)
        results = [function(x, right[i % short]) for i, x in enumerate(memory.read(src, count))]
        memory.write(dst, [rounded(dst.kind, result) for result in results], 0, zeros)

    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind, beat = kinds[0], lengths(kinds[0])[2]
        left, right = pairs(kind)
        some = corners(kind)
        contents = [(some, some[:1]), (some * 2, some), (left, right)]
        for short, parts in ((1, 5), (5, 3), (beat - 1, 2), (beat, 2), (beat + 1, 1), (1, 1)):
            contents.append((mixed(kind, short * parts, name), mixed(kind, short, f"{name} seg")))
        for long, shorter in contents:
            placed = packed([(kind, long), (kind, shorter), (kind, [0] * len(long))], "nram")
            src, seg, dst = (pointer for pointer, _ in placed)
            for target in (dst, src):
                given = (target, src, seg, len(long), len(shorter))
                label = f"{len(long)} with {len(shorter)}{' in place' if target is src else ''}"
                yield Call(given, tuple(placed[:2]), label, length_of(placed))

    return Form(name, names, compute, calls)


def of_bits(form: Form) -> Form:
    """The same on the bits of floats: a value too is that of its bits."""

    def bits(kind: str, x: Any) -> Any:
        if isinstance(x, Pointer):
            return replace(x, kind=_BITS.get(x.kind, x.kind))
        return decode(_BITS[kind], encode(kind, [rounded(kind, x)]))[0] if kind in _BITS else x

    def compute(memory: Memory, *arguments: Any) -> None:
        kind = arguments[0].kind
        form.compute(
            memory,
            *(
                bits(kind, x) if isinstance(x, Pointer) or role == "value" else x
                for role, x in zip(form.roles, arguments, strict=True)
            ),
        )

    return replace(form, compute=compute)


def to_bits(name: str, holds: Callable[..., Any]) -> Form:
    """A comparison whose results are bits, the first one the lowest of a byte; the rest of the last byte is 0."""

    def compute(memory: Memory, dst: Pointer, src0: Pointer, src1: Pointer, count: int) -> None:
        found = [holds(x, y) for x, y in zip(memory.read(src0, count), memory.read(src1, count), strict=True)]
        data = [sum(1 << i for i, bit in enumerate(found[at : at + 8]) if bit) for at in range(0, count, 8)]
        memory.put(dst, bytes(data))

    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[1]
        columns = [pairs(kind)]
        columns += [(mixed(kind, n, name), mixed(kind, n, f"{name} 1")) for n in (1, 7, 8, 9, *lengths(kind))]
        for left, right in columns:
            placed = packed([(kind, left), (kind, right), (kind, [0] * len(left))], "nram")
            src0, src1, dst = (pointer for pointer, _ in placed)
            for target in (dst, src0, src1):
                given = (replace(target, kind="uint8"), src0, src1, len(left))
                yield Call(given, tuple(placed[:2]), f"{len(left)} elements", length_of(placed))

    return Form(name, ("dst", "src0", "src1", "count"), compute, calls)
