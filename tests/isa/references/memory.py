"""Memory as plain bytes: what a reference reads and writes, and how it is compared with what a simulator left."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from .numbers import FORMATS, decode, encode, is_floating, same, size_of


@dataclass(frozen=True)
class Pointer:
    """A typed place: a space, a byte in it, and the type of what begins there."""

    space: str
    offset: int
    kind: str

    def __add__(self, count: int) -> Pointer:
        """The place of ``count`` elements further on."""
        return self.moved(count * size_of(self.kind))

    def moved(self, count: int) -> Pointer:
        """The place of ``count`` bytes further on."""
        return Pointer(self.space, self.offset + count, self.kind)


@dataclass(frozen=True)
class _Cell:
    """One floating-point number that was written, and how far off another may be."""

    kind: str
    value: float
    ulps: float
    zeros: bool

    def admits(self, found: float) -> bool:
        """Whether ``found`` is this number: any NaN for NaN; infinities only for what rounds to them."""
        form = FORMATS[self.kind]
        if self.ulps and math.isfinite(self.value) and math.isfinite(found):
            return abs(found - self.value) <= self.ulps * form.ulp(self.value)
        return same(found, form.round(self.value), self.zeros)


class Memory:
    """The bytes of every space, changed by a reference step by step."""

    def __init__(self, images: Mapping[str, bytes]) -> None:
        self.images = {space: bytearray(image) for space, image in images.items()}
        self._cells: dict[tuple[str, int], _Cell] = {}
        self._undefined: dict[tuple[str, int], int] = {}

    def read(self, place: Pointer, count: int) -> list[Any]:
        """``count`` elements as Python numbers."""
        return decode(place.kind, self.raw(place, count * size_of(place.kind)))

    def raw(self, place: Pointer, count: int) -> bytes:
        """``count`` bytes."""
        return bytes(self.images[place.space][place.offset : place.offset + count])

    def put(self, place: Pointer, data: bytes) -> None:
        """Write bytes, which must come out as they are."""
        self.images[place.space][place.offset : place.offset + len(data)] = data

    def write(self, place: Pointer, values: Sequence[float], ulps: float = 0, zeros: bool = True) -> None:
        """Write elements: integers come out exactly, floats within ``ulps``, zeros with their sign if ``zeros``."""
        if not is_floating(place.kind):
            self.put(place, encode(place.kind, values))
            return
        form = FORMATS[place.kind]
        self.put(place, encode(place.kind, [form.round(value) for value in values]))
        for number, value in enumerate(values):
            offset = place.offset + number * size_of(place.kind)
            self._cells[place.space, offset] = _Cell(place.kind, value, ulps, zeros)

    def forget(self, place: Pointer, count: int) -> None:
        """``count`` bytes become undefined: they may come out as anything."""
        self._undefined[place.space, place.offset] = count

    def differences(self, found: Mapping[str, bytes]) -> list[str]:
        """Where ``found`` is not this memory."""
        if found == self.images:  # what is written is rounded, so every cell admits it
            return []
        wrong = []
        left = {space: bytearray(image) for space, image in found.items()}
        for (space, offset), cell in self._cells.items():
            end = offset + size_of(cell.kind)
            (value,) = decode(cell.kind, bytes(left[space][offset:end]))
            if not cell.admits(value):
                wrong.append(f"{space}[{offset}]: {value!r}, not the {cell.kind} {cell.value!r}")
            left[space][offset:end] = self.images[space][offset:end]
        for (space, offset), count in self._undefined.items():
            left[space][offset : offset + count] = self.images[space][offset : offset + count]
        for space, image in self.images.items():
            if left[space] != image:
                places = [i for i, (a, b) in enumerate(zip(left[space], image, strict=True)) if a != b]
                first = places[0]
                wrong.append(f"{space}[{first}]: byte {left[space][first]}, not {image[first]} ({len(places)} bytes)")
        return wrong


@cache
def background(length: int) -> bytes:
    """Bytes that differ from their neighbours, so that what moves by one is seen."""
    return bytes((37 * i + (i >> 8) + 11) & 0xFF for i in range(length))


def length_of(placed: Iterable[tuple[Pointer, bytes]]) -> int:
    """The bytes that a space needs to hold pieces and a few more."""
    return max(pointer.offset + len(data) for pointer, data in placed) + 24


def packed(pieces: Iterable[tuple[str, Sequence[Any]]], space: str, gap: int = 24) -> list[tuple[Pointer, bytes]]:
    """Pieces (type, values) one after the other with gaps between them, aligned to their elements and no more."""
    placed = []
    offset = 8
    for kind, values in pieces:
        size = size_of(kind)
        offset = -(-offset // size) * size
        data = encode(kind, values)
        placed.append((Pointer(space, offset, kind), data))
        offset += len(data) + gap
    return placed
