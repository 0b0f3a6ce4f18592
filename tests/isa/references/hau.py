"""References of Sophgo's sorting and gathering: Python's own sort of (rank, tie) and loops over lines.

Decided where the vendor is silent (docs/hau.md): NaN is above every number, -0 equals +0, bits are kept.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer
from .numbers import encode, size_of
from .values import mixed

#: `data_type_t` of the types that are sorted, and of those that lines consist of.
SORTED = {"float": 5, "int32": 9, "uint32": 8}
LINES = {"int8": 1, "uint8": 0, "half": 3, "bfloat16": 11, "float": 5, "int16": 7, "uint16": 6, "int32": 9, "uint32": 8}
FLAGS = {"float": 0, "int32": 1, "uint32": 2}
_BOTH_ORDERS = (False, True)


def order(values: Sequence[float], descended: bool, ties: Sequence[int] = ()) -> list[int]:
    """Positions in order; equal values by ``ties``, then by position."""

    def key(position: int) -> tuple[bool, float, int, int]:
        value = values[position]
        nan = math.isnan(value)
        rank = 0 if nan else -value if descended else value
        return (nan != descended, rank, ties[position] if ties else 0, position)

    return sorted(range(len(values)), key=key)


def _kind(codes: dict[str, int], code: int) -> str:
    return next(kind for kind, value in codes.items() if value == code)


def _pick(memory: Memory, dst: Pointer, source: bytes, positions: Sequence[int], length: int) -> None:
    """The 4-byte elements at some positions; the rest of ``length`` elements becomes undefined."""
    memory.put(dst, b"".join(source[4 * p : 4 * p + 4] for p in positions))
    memory.forget(dst.moved(4 * len(positions)), 4 * (length - len(positions)))


def _sort_row(
    memory: Memory, kind: str, data: Pointer | None, indices: Pointer | None, source: Pointer, given: Pointer | None,
    length: int, count: int, descended: bool,
) -> None:  # fmt: skip
    source = Pointer(source.space, source.offset, kind)
    raw = memory.raw(source, 4 * length)
    carried = memory.read(given, length) if given else list(range(length))
    positions = order(memory.read(source, length), descended, carried if given else ())[:count]
    if data:
        _pick(memory, data, raw, positions, length)
    if indices:
        _pick(memory, indices, encode("int32", carried), positions, length)


def sort(memory: Memory, dst: Pointer, src: Pointer, length: int, count: int, descended: bool, code: int) -> None:
    """The first ``count`` values."""
    _sort_row(memory, _kind(SORTED, code), dst, None, src, None, length, count, descended)


def sort_natural(
    memory: Memory, dst: Pointer, indices: Pointer, src: Pointer, length: int, count: int, descended: bool, code: int
) -> None:
    """The first ``count`` values and their positions."""
    _sort_row(memory, _kind(SORTED, code), dst, indices, src, None, length, count, descended)


def sort_specific(
    memory: Memory, dst: Pointer, indices: Pointer, src: Pointer, given: Pointer, length: int, count: int,
    descended: bool, code: int,
) -> None:  # fmt: skip
    """The first ``count`` values and their given indices."""
    _sort_row(memory, _kind(SORTED, code), dst, indices, src, given, length, count, descended)


def sort_general(
    memory: Memory, src: Pointer, given: Pointer, dst: Pointer, indices: Pointer, flag: int, length: int,
    descended: bool, indexed: bool, natural: bool, count: int,
) -> None:  # fmt: skip
    """The raw command: sources first."""
    ties = given if indexed and not natural else None
    _sort_row(memory, _kind(FLAGS, flag), dst, indices if indexed else None, src, ties, length, count, descended)


def _rows(compute: Any) -> Any:
    """The same for every row of ``length`` elements; the row count comes before the length."""

    def of_rows(memory: Memory, *arguments: Any) -> None:
        pointers = [a for a in arguments if isinstance(a, Pointer)]
        rows, length, *rest = arguments[len(pointers) :]
        for row in range(rows):
            compute(memory, *(pointer.moved(4 * row * length) for pointer in pointers), length, *rest)

    return of_rows


def gather(
    memory: Memory, dst: Pointer, src: Pointer, index: Pointer, fill: int, lines: int, line: int, count: int,
    start: int, end: int, code: int, filled: bool,
) -> None:  # fmt: skip
    """Line index[k] - start where start <= index[k] <= end; else ``fill`` (its low bytes), or what was there."""
    size = size_of(_kind(LINES, code))
    for k, wanted in enumerate(memory.read(index, count)):
        target = dst.moved(k * line * size)
        if start <= wanted <= end:
            memory.put(target, memory.raw(src.moved((wanted - start) * line * size), line * size))
        elif filled:
            memory.put(target, fill.to_bytes(4, "little")[:size] * line)


_ROOM = 4 * 1088
_LENGTHS = (1, 2, 63, 64, 65, 131, 1000)


def _few(kind: str, count: int) -> list[Any]:
    """Values with many ties among them."""
    return random.Random(f"{kind} {count}").choices(mixed(kind, 12, "ties"), k=count)


def _place(number: int, kind: str) -> Pointer:
    return Pointer("global", number * _ROOM, kind)


def _counts(length: int) -> list[int]:
    return sorted({1, min(2, length), max(length // 2, 1), max(length - 1, 1), length})


def _sorts(kind: str, rows: int = 1) -> Iterator[tuple[list[Any], int, int, bool]]:
    """Values, length of a row, how many are wanted, direction."""
    for length in _LENGTHS if rows == 1 else (1, 50):
        for descended in _BOTH_ORDERS:
            for count in _counts(length):
                for values in (mixed(kind, rows * length, count), _few(kind, rows * length)):
                    yield values, length, count, descended
    if rows == 1:  # many, few of which are wanted
        yield _few(kind, 1000), 1000, 3, True
        yield mixed(kind, 1000, "many"), 1000, 2, False


def _sort_calls(outputs: int, given: bool, rows: int = 1) -> Any:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[0]
        for values, length, count, descended in _sorts(kind, rows):
            dst, indices, src, ties = (_place(n, k) for n, k in enumerate((kind, "int32", kind, "int32")))
            contents = [(src, encode(kind, values))]
            arguments = [dst, indices, src][3 - outputs - 1 :] if outputs == 2 else [dst, src]
            if given:
                arguments.append(ties)
                numbers = random.Random(length).choices(range(-5, 5), k=len(values))
                contents.append((ties, encode("int32", numbers)))
            size = (length,) if rows == 1 else (rows, length)
            label = f"{count} of {size}, {'descending' if descended else 'ascending'}"
            yield Call((*arguments, *size, count, descended, SORTED[kind]), tuple(contents), label, 4 * _ROOM)
        if outputs == 2 and rows == 1:
            in_place = [src if a == dst else a for a in arguments]
            yield Call((*in_place, length, 7, True, SORTED[kind]), tuple(contents), "dst is src", 4 * _ROOM)

    return calls


def _general_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    for values, length, count, descended in (case for case in _sorts(kind) if case[1] < 1000):
        src, ties, dst, indices = (_place(n, k) for n, k in enumerate((kind, "int32", kind, "int32")))
        numbers = random.Random(length).choices(range(-5, 5), k=length)
        contents = ((src, encode(kind, values)), (ties, encode("int32", numbers)))
        for indexed, natural in ((False, False), (True, True), (True, False)):
            arguments = (src, ties, dst, indices, FLAGS[kind], length, descended, indexed, natural, count)
            yield Call(arguments, contents, f"{count} of {length}, {indexed=} {natural=}", 4 * _ROOM)


def _gather_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    dst, src, index = _place(0, kind), _place(1, kind), _place(2, "uint32")
    for wanted in ([8, 0, 3, 3, 9, 2**32 - 1, 5, 2, 1, 3], [8], [9, 100, 2**31]):
        contents = ((index, encode("uint32", wanted)),)
        for line in (1, 37, 64 // size_of(kind)):
            for start, end in ((0, 8), (2, 5), (3, 3)):
                for filled in (False, True):
                    numbers = (0x81234567, 9, line, len(wanted), start, end, LINES[kind], filled)
                    label = f"lines of {line}, {start}..{end}, {filled=}"
                    yield Call((dst, src, index, *numbers), contents, label, 3 * _ROOM)


_SORT = ("length", "K", "descended", "dtype")
_GIVEN = ("dst_data", "dst_index", "src_data", "src_index")
_NUMBERS = ("C", "line_num", "line_len", "index_len", "start", "end", "dtype", "fill_const")

FORMS = [
    Form("tpu_hau_sort", ("dst", "src", *_SORT), sort, _sort_calls(1, False)),
    Form("tpu_hau_sort_natural_index", (*_GIVEN[:3], *_SORT), sort_natural, _sort_calls(2, False)),
    Form("tpu_hau_sort_specific_index", (*_GIVEN, *_SORT), sort_specific, _sort_calls(2, True)),
    Form("tpu_hau_sort_2d", ("dst", "src", "rows", *_SORT), _rows(sort), _sort_calls(1, False, 4)),
    Form("tpu_hau_sort_natural_index_2d", (*_GIVEN[:3], "rows", *_SORT), _rows(sort_natural), _sort_calls(2, False, 4)),
    Form("tpu_hau_sort_specific_index_2d", (*_GIVEN, "rows", *_SORT), _rows(sort_specific), _sort_calls(2, True, 4)),
    Form(
        "tpu_hau_sort_general",
        ("src_data", "src_index", "dst_data", "dst_index", "flags", "length", "descended", "enable", "auto", "topk"),
        sort_general,
        _general_calls,
    ),
    Form("tpu_hau_line_gather", ("dst", "src", "src_index", *_NUMBERS), gather, _gather_calls),
]
