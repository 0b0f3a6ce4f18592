"""Reference of the table look-up: dst[i] = table[src[i]]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .values import lengths, mixed


def look_up(memory: Memory, dst: Pointer, src: Pointer, table: Pointer, count: int, length: int) -> None:
    """dst[i] = table[src[i]]."""
    entries = memory.read(table, length)
    memory.write(dst, [entries[i] for i in memory.read(src, count)])


def _calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    target, index, held = kinds[:3]
    for count in lengths(target):
        for length in (64, 128):
            wanted = [length - 1, 0, 1, 62, 5, 5, *((7 * i + i * i) % length for i in range(count))][:count]
            contents = packed([(index, wanted), (held, mixed(held, length, count)), (target, [0] * count)], "nram")
            (src, _), (table, _), (dst, _) = contents
            for place in (dst, replace(src, kind=target)):
                label = f"{count} of {length}{', in place' if place != dst else ''}"
                yield Call((place, src, table, count, length), tuple(contents[:2]), label, length_of(contents))


FORMS = [
    Form(name, ("dst", "src", "src_table", "count", "table_length"), look_up, _calls)
    for name in ("__bang_lut", "__bang_lut_s32", "__bang_lut_s16")
]
