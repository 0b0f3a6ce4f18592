"""Reads Perfetto's packets, without the code that writes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data: bytes) -> dict[int, list[Any]]:
    """The fields of a message by number: numbers, or bytes."""
    found, at = defaultdict(list), 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            value, at = _varint(data, at)
        elif key & 7 == 1:
            value, at = data[at : at + 8], at + 8
        else:
            assert key & 7 == 2, key
            length, at = _varint(data, at)
            value, at = data[at : at + length], at + length
        found[key >> 3].append(value)
    return found


@dataclass
class Slice:
    """Something that has been read; ``arguments`` has dictionaries flat, as operands.dst."""

    track: int
    name: str
    start: int
    end: int = -1
    arguments: dict[str, Any] = field(default_factory=dict)
    flows: tuple[list[bytes], list[bytes]] = ((), ())  # type: ignore[assignment]


class Packets:
    """Tracks (name, parent, rank), slices and counters (track -> steps) of a trace."""

    def __init__(self, path: Path) -> None:
        self.tracks: dict[int, tuple[str, int, int]] = {}
        self.slices: list[Slice] = []
        self.counters: dict[int, list[tuple[int, float]]] = defaultdict(list)
        self._sequences: dict[int, Any] = {}
        for packet in fields(path.read_bytes())[1]:
            self._read(fields(packet))

    def path(self, track: int) -> tuple[str, ...]:
        """The names from the root to a track."""
        name, parent, _ = self.tracks[track]
        return (*(self.path(parent) if parent else ()), name)

    def _read(self, packet: dict[int, list[Any]]) -> None:
        if 60 in packet:
            track = fields(packet[60][0])
            assert track[11] == [3]  # children in the order of their ranks
            self.tracks[track[1][0]] = track[2][0].decode(), (track[5] or [0])[0], track[12][0]
        identity = packet[10][0]
        if 59 in packet:
            defaults = fields(fields(packet[59][0])[11][0])
            self._sequences[identity] = {"track": defaults[11][0], "now": 0, "texts": {}, "open": None}
        if 11 in packet:
            self._event(self._sequences[identity], packet)

    def _event(self, state: dict[str, Any], packet: dict[int, list[Any]]) -> None:
        for data in packet[12]:
            for kind, entries in fields(data).items():
                for entry in map(fields, entries):
                    state["texts"][kind, entry[1][0]] = entry[2][0].decode()
        state["now"] += packet[8][0]
        event = fields(packet[11][0])
        if event[9] == [1]:
            arguments = {key: value for data in event[4] for key, value in self._annotation(state, data, "")}
            name = state["texts"][2, event[10][0]]
            state["open"] = Slice(state["track"], name, state["now"], -1, arguments, (event[47], event[48]))
        elif event[9] == [2]:
            state["open"].end = state["now"]
            self.slices.append(state["open"])
        else:
            assert event[9] == [4]
            self.counters[state["track"]].append((state["now"], event[30][0] if 30 in event else -1))

    def _annotation(self, state: dict[str, Any], data: bytes, before: str) -> Iterator[tuple[str, Any]]:
        found = fields(data)
        name = before + state["texts"][3, found[1][0]]
        if 11 in found:
            for entry in found[11]:
                yield from self._annotation(state, entry, f"{name}.")
        elif 17 in found:
            yield name, state["texts"][29, found[17][0]]
        elif 3 in found:
            yield name, found[3][0]
