"""References of the copies and fills: loops over segments, one after the other, and over bytes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer
from .numbers import INTEGERS, encode, is_floating, rounded, size_of
from .values import lengths, scalars

#: The vendor's enumeration, which begins at 0.
DIRECTIONS = (  # noqa: SIM905 - a list of 24 lines says no more
    "gdram2nram nram2gdram ldram2nram nram2ldram gdram2wram wram2gdram ldram2wram wram2ldram nram2nram nram2wram "
    "wram2nram gdram2sram sram2gdram ldram2sram sram2ldram sram2nram nram2sram sram2wram wram2sram gdram2gdram "
    "gdram2ldram ldram2gdram ldram2ldram sram2sram"
).split()
_INSIDE = DIRECTIONS.index("nram2nram")
Calls = Callable[[tuple[str, ...]], Iterator[Call]]


def segments(memory: Memory, targets: Sequence[Pointer], sources: Sequence[Pointer], size: int) -> None:
    """Move segments in order, so that each sees what the ones before it wrote."""
    for target, source in zip(targets, sources, strict=True):
        memory.put(target, memory.raw(source, size))


def nested(first: Pointer, stride0: int, segnum1: int, stride1: int, segnum2: int) -> list[Pointer]:
    """Where segments lie: ``segnum2 + 1`` groups of ``segnum1 + 1``."""
    return [first.moved(j * stride1 + i * stride0) for j in range(segnum2 + 1) for i in range(segnum1 + 1)]


def flat(memory: Memory, dst: Pointer, src: Pointer, size: int, direction: int) -> None:
    """One segment."""
    segments(memory, [dst], [src], size)


def strided(
    memory: Memory, dst: Pointer, src: Pointer, size: int, direction: int, dst_stride: int, src_stride: int, segnum: int
) -> None:
    """``segnum + 1`` segments."""
    segments(memory, nested(dst, dst_stride, segnum, 0, 0), nested(src, src_stride, segnum, 0, 0), size)


def twice_strided(memory: Memory, dst: Pointer, src: Pointer, size: int, direction: int, *strides: int) -> None:
    """Segments at two nested strides on both sides, which need not be split alike."""
    segments(memory, nested(dst, *strides[:4]), nested(src, *strides[4:]), size)


def _ends(direction: int, dst: int, src: int) -> tuple[Pointer, Pointer]:
    source, target = DIRECTIONS[direction].split("2")
    return Pointer(target, dst, "uint8"), Pointer(source, src, "uint8")


def _flat_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for direction, label in enumerate(DIRECTIONS):
        for size in (16, 128, 144):
            yield Call((*_ends(direction, 512, 24), size, direction), (), f"{label} {size}")
    for size, shift in itertools.product((0, *lengths("int8")), (0, 3, -3, 300)):
        yield Call((*_ends(_INSIDE, 400 + shift, 400), size, _INSIDE), (), f"{size} bytes by {shift}")


_STRIDED = [  # dst, src, size, dst_stride, src_stride, segnum
    (512, 0, 7, 9, 13, 4),  # odd sizes
    (512, 3, 8, 8, 0, 9),  # one segment again and again
    (0, 0, 5, 5, 11, 12),  # compaction in place
    (4, 0, 4, 4, 4, 3),  # each segment reads what the one before it wrote
    (0, 4, 8, 4, 4, 5),  # downwards by half a segment
    (600, 100, 6, -10, 7, 5),  # a negative stride of the target
    (600, 300, 6, 10, -7, 5),  # of the source
    (600, 200, 9, 0, 20, 4),  # all into one place: the last one stays
    (0, 512, 16, 0, 0, 0),  # one segment
    (10, 12, 131, 140, 136, 3),  # overlapping, longer than a beat
]
_CROSSING = [(512, 24, 16, 48, 32, 4), (512, 24, 16, 16, 0, 3)]


def _strided_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for dst, src, size, *strides in _STRIDED:
        yield Call((*_ends(_INSIDE, dst, src), size, _INSIDE, *strides), (), f"{dst} {src} {size} {strides}")
    for (direction, label), (dst, src, size, *strides) in itertools.product(enumerate(DIRECTIONS), _CROSSING):
        yield Call((*_ends(direction, dst, src), size, direction, *strides), (), f"{label} {size} {strides}")


def _move(memory: Memory, dst: Pointer, src: Pointer, size: int, *strides: int) -> None:
    strided(memory, dst, src, size, _INSIDE, *strides)


def _move_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for dst, src, size, *strides in _STRIDED:
        yield Call((*_ends(_INSIDE, dst, src), size, *strides), (), f"{dst} {src} {size} {strides}")


_NESTED = [  # dst, src, size, then four numbers of the target and four of the source
    (512, 0, 4, (16, 2, 64, 1), (5, 1, 20, 2)),  # 3 x 2 segments from 2 x 3
    (512, 0, 4, (8, 5, 8, 0), (0, 1, 4, 2)),  # 6 x 1 from 2 x 3, the inner source segment repeated
    (512, 0, 4, (-8, 1, 40, 2), (10, 5, 0, 0)),  # a negative stride
    (512, 40, 4, (8, 2, -40, 1), (-8, 1, 16, 2)),  # outer and inner ones of both sides
    (0, 2, 8, (8, 2, 24, 2), (10, 2, 30, 2)),  # compaction in place
    (4, 0, 4, (4, 1, 8, 2), (4, 2, 12, 1)),  # each segment reads what the one before it wrote
    (512, 0, 13, (0, 0, 0, 0), (0, 0, 0, 0)),  # one segment
]


def _nested_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for dst, src, size, target, source in _NESTED:
        given = (size, _INSIDE, *target, *source)
        yield Call((*_ends(_INSIDE, dst, src), *given), (), f"{dst} {src} {size} {target} {source}")
    for direction, label in enumerate(DIRECTIONS):
        given = (16, direction, 16, 2, 64, 1, 24, 1, 64, 2)
        yield Call((*_ends(direction, 512, 24), *given), (), label)


def load(memory: Memory, dst: Pointer, src: Pointer, size: int, *strides: int) -> None:
    """As a copy from GDRAM into NRAM: what becomes of a cache is no result."""
    twice_strided(memory, dst, src, size, 0, *strides)


def _load_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for dst, src, size, target, source in _NESTED:
        given = (size, *target, *source)
        yield Call(
            (*_ends(DIRECTIONS.index("gdram2nram"), dst, src), *given), (), f"{dst} {src} {size} {target} {source}"
        )


def _without_ldram(calls: Calls) -> Calls:
    """The calls that touch no LDRAM, for which an asynchronous copy has no directions."""
    return lambda kinds: (call for call in calls(kinds) if "ldram" not in call.label)


def _copies(name: str, of: Callable[[Calls], Calls] = lambda calls: calls) -> list[Form]:
    ends = ("dst", "src", "size", "direction")
    return [
        Form(name, ends, flat, of(_flat_calls)),
        Form(name, (*ends, "dst_stride", "src_stride", "segnum"), strided, of(_strided_calls)),
        Form(name, (*ends, *(f"n{n}" for n in range(8))), twice_strided, of(_nested_calls)),
    ]


def _far(form: Form) -> Form:
    """A copy into the SRAM of a cluster, of which there is one."""

    def compute(memory: Memory, *given: Any) -> None:
        form.compute(memory, *given[:-1])

    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        for call in form.calls(kinds[:-1]):
            if DIRECTIONS[call.arguments[3]] == "sram2sram":
                yield replace(call, arguments=(*call.arguments, 0))

    return Form(form.name, (*form.roles, "cluster"), compute, calls)


def fill(memory: Memory, dst: Pointer, count: int, value: Any = 0) -> None:
    """``count`` elements of one value."""
    memory.put(dst, encode(dst.kind, [rounded(dst.kind, value)]) * count)


def nested_fill(memory: Memory, dst: Pointer, count: int, value: Any, *strides: int) -> None:
    """Blocks of one value; the numbers are stride0, iter1, stride1, iter2."""
    for block in nested(dst, *strides):
        fill(memory, block, count, value)


def _values(kind: str) -> list[Any]:
    """A number whose bytes all differ first; NaN has many forms and is left out."""
    whole = 0x0102030405060708 % (1 << (8 * size_of(kind) - 1))
    found = [value for value in scalars(kind) if value == value]
    return found if is_floating(kind) else [whole, *found, -(1 << (INTEGERS[kind][0] - 1)) * INTEGERS[kind][1]]


def _fill_calls(space: str) -> Any:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[0]
        valued = len(kinds) > 2
        dst = Pointer(space, 8 + size_of(kind), kind)
        for value in _values(kind) if valued else [0]:
            yield Call((dst, 10, value)[: len(kinds)], (), f"10 of {value}")
        for count in lengths(kind):
            yield Call((dst, count, _values(kind)[0])[: len(kinds)], (), f"{count} elements", 2048)

    return calls


def _nested_fill_calls(space: str) -> Any:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        dst = Pointer(space, 1024, kinds[0])
        size = size_of(kinds[0])
        for strides in ((8, 2, 40, 1), (0, 1, 8, 3), (-8, 2, 64, 1), (5, 3, -40, 2), (0, 0, 0, 0), (1, 5, 2, 0)):
            for value in _values(kinds[0])[:2]:
                inner, repeats, outer, groups = strides
                yield Call((dst, 3, value, inner * size, repeats, outer * size, groups), (), f"{strides}", 2304)

    return calls


def rows_fill(memory: Memory, dst: Pointer, count: int, value: Any, stride: int, repeats: int) -> None:
    """Blocks of one value at one stride."""
    nested_fill(memory, dst, count, value, stride, repeats, 0, 0)


def _rows_fill_calls(space: str) -> Any:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        for call in _nested_fill_calls(space)(kinds):
            dst, count, value, stride, repeats, _, _ = call.arguments
            yield replace(call, arguments=(dst, count, value, stride, repeats))

    return calls


#: Every fill of a plain vector, and the space of it.
_SPACES = {
    "__bang_write_value": "nram", "__memset_nram": "nram", "__nramset": "nram", "__gdramset": "gdram",
    "__ldramset": "ldram", "__sramset": "sram",
}  # fmt: skip
_TYPED = ("float", "half", "int", "unsigned_int", "short", "unsigned_short")
_BLOCK_FILLS = ("__bang_write_value", "__nramset", "__gdramset", "__ldramset", "__sramset")
_ITERATED = ("dst", "count", "value", "stride0", "iter1", "stride1", "iter2")

FORMS = [
    *_copies("__memcpy"),
    *_copies("__memcpy_async", _without_ldram),
    *(_far(form) for form in (*_copies("__memcpy"), _copies("__memcpy_async")[2])),
    *(
        Form(f"__asm_load_{mode}", ("dst", "src", "size", *(f"n{n}" for n in range(8))), load, _load_calls)
        for mode in ("scmlock", "scmunlock", "scmnormal")
    ),
    Form("__bang_move", ("dst", "src", "size", "dst_stride", "src_stride", "segnum"), _move, _move_calls),
    *(Form(name, ("dst", "count", "value"), fill, _fill_calls(space)) for name, space in _SPACES.items()),
    *(Form(f"__nramset_{name}", ("dst", "count", "value"), fill, _fill_calls("nram")) for name in _TYPED),
    Form("__bang_write_zero", ("dst", "count"), fill, _fill_calls("nram")),
    *(Form(name, _ITERATED, nested_fill, _nested_fill_calls(_SPACES[name])) for name in _BLOCK_FILLS),
    *(
        Form(name, ("dst", "count", "value", "stride", "iter"), rows_fill, _rows_fill_calls(space))
        for name, space in (("__nramset", "nram"), ("__nramset_async", "nram"), ("__sramset", "sram"))
    ),
]
