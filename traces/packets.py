"""A trace as packets of Perfetto's protocol buffers: tracks in an order that is stated, names written once.

Numbers of fields are those of ``protos/perfetto/trace`` in Perfetto. The events of a track are a sequence of their own,
whose times are differences and whose texts are numbered, so that a loop gives the same bytes again and again.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import lru_cache
from typing import BinaryIO

#: Number of the clock of a sequence, and of the one that it is read against (BOOTTIME).
_CLOCK, _BOOTTIME = 64, 6
_CLEARED, _NEEDS = 1, 2  # of sequence_flags
_BEGIN, _END, _COUNTER = 1, 2, 4  # of TrackEvent.Type
_EXPLICIT = 3  # of TrackDescriptor.ChildTracksOrdering
_BYTES = 3  # of CounterDescriptor.Unit
#: Fields of InternedData: names of events, names of arguments, texts.
_EVENT, _ARGUMENT, _TEXT = 2, 3, 29


@lru_cache(maxsize=65536)
def varint(value: int) -> bytes:
    """A number of 0 to 2**64, seven bits a byte."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def number(field: int, value: int) -> bytes:
    """A field that holds a number."""
    return varint(field << 3) + varint(value)


def message(field: int, content: bytes) -> bytes:
    """A field that holds bytes: a message, or a text."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field: int, content: str) -> bytes:
    """A field that holds a text."""
    return message(field, content.encode("utf-8", "replace"))


def flow(field: int, identity: int) -> bytes:
    """A field that holds the number of an arrow."""
    return varint(field << 3 | 1) + identity.to_bytes(8, "little")


class PacketTrace:
    """A trace that is written packet by packet to a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._tracks, self._sequences = file, 0, 0

    def track(self, name: str, parent: int = 0, rank: int = 0, *, unit: str | None = None) -> int:
        """A new track, below a parent and there in the order of ranks; with a ``unit`` a counter. Its number."""
        self._tracks += 1
        content = number(1, self._tracks) + text(2, name) + number(11, _EXPLICIT) + number(12, rank)
        content += number(5, parent) if parent else b""
        if unit is not None:
            content += message(8, number(3, _BYTES) if unit == "bytes" else text(6, unit))
        self.packet(message(60, content) + number(10, 1))
        return self._tracks

    def sequence(self, track: int) -> Sequence:
        """The events of a track, in the order of their times."""
        self._sequences += 1
        return Sequence(self, self._sequences + 1, track)

    def packet(self, content: bytes) -> None:
        """Write a packet."""
        self._file.write(message(1, content))


class Sequence:
    """The events of one track; what is numbered is numbered within it."""

    def __init__(self, trace: PacketTrace, identity: int, track: int) -> None:
        self._trace, self._now, self._new = trace, 0, list[bytes]()
        self._known: dict[tuple[int, str], int] = {}
        self._tail = number(10, identity) + number(13, _NEEDS)
        clocks = message(1, number(1, _BOOTTIME) + number(2, 0)) + message(
            1, number(1, _CLOCK) + number(2, 0) + number(3, 1)
        )
        defaults = number(58, _CLOCK) + message(11, number(11, track))
        trace.packet(
            message(6, clocks) + number(8, 0) + number(58, _BOOTTIME) + number(10, identity)
            + message(59, defaults) + number(13, _CLEARED) + number(87, 1)
        )  # fmt: skip
        self._end = message(11, number(9, _END))

    def event(self, name: str, arguments: Iterable[bytes]) -> bytes:
        """What a slice says, with encoded arguments."""
        return b"".join([number(9, _BEGIN), number(10, self._number(_EVENT, name)), *arguments])

    def slice(self, start: int, end: int, event: bytes, flows: bytes = b"") -> None:
        """Something from ``start`` to ``end`` (ns), with arrows."""
        self._event(start, message(11, event + flows))
        self._event(end, self._end)

    def count(self, time: int, value: int | float) -> None:
        """A value that holds from a time (ns) on."""
        self._event(time, message(11, number(9, _COUNTER) + _value(value)))

    def argument(self, name: str, value: str) -> bytes:
        """An argument whose value is a text."""
        return message(4, self._annotation(name) + number(17, self._number(_TEXT, value)))

    def count_argument(self, name: str, value: int) -> bytes:
        """An argument whose value is a number."""
        return message(4, self._annotation(name) + number(3, value))

    def dictionary(self, name: str, entries: Iterable[tuple[str, str]]) -> bytes:
        """An argument with texts by name."""
        found = (message(11, self._annotation(key) + number(17, self._number(_TEXT, value))) for key, value in entries)
        return message(4, self._annotation(name) + b"".join(found))

    def _annotation(self, name: str) -> bytes:
        return number(1, self._number(_ARGUMENT, name))

    def _number(self, kind: int, content: str) -> int:
        """The number of a text, which stands in the packet that has it first."""
        known = self._known.get((kind, content))
        if known is None:
            known = self._known[kind, content] = len(self._known) + 1
            self._new.append(message(kind, number(1, known) + text(2, content)))
        return known

    def _event(self, time: int, content: bytes) -> None:
        if self._new:
            content += message(12, b"".join(self._new))
            self._new = []
        self._trace.packet(number(8, time - self._now) + self._tail + content)
        self._now = time


def _value(value: int | float) -> bytes:
    return number(30, value) if isinstance(value, int) else varint(44 << 3 | 1) + struct.pack("<d", value)
