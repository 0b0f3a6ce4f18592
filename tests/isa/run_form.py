"""Runs the calls of a form in Python kernels, and finds the declared overloads that a form stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from mlusim.isa import DIALECTS, Overload
from mlusim.simulator import Device, launch

from tests.isa.references.form import Call
from tests.isa.references.memory import Memory, Pointer, background
from tests.isa.references.numbers import size_of

#: What a kernel calls to be sure that everything before has happened, and the space that arrays lie in.
WAIT = {"bang": "__sync", "tpu": "tpu_poll"}
ARRAYS = {"bang": "gdram", "tpu": "global"}
REGISTER = 256


@dataclass(frozen=True)
class Declared:
    """One declared overload: the name that a kernel calls it by, the kind and the element type of every argument."""

    dialect: str
    called: str
    overload: Overload

    @property
    def name(self) -> str:
        """The vendor's name."""
        return self.overload.name

    @property
    def shape(self) -> str:
        """As `Form.shape`."""
        return "".join("w" if p.writes else "r" if p.is_memory else "-" for p in self.overload.parameters)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Element types, bytes for what has none."""
        names = ("" if p.kind == "struct" else self.overload.element(p).name for p in self.overload.parameters)
        return tuple({"void": "uint8"}.get(name, name) for name in names)

    @property
    def has_memory(self) -> bool:
        """Whether any argument is memory."""
        return self.shape.strip("-") != ""

    def __str__(self) -> str:
        types = dict.fromkeys(k for k, p in zip(self.kinds, self.overload.parameters, strict=True) if p.is_memory)
        return f"{self.name}-{len(self.shape)}{self.shape}-{'-'.join(types)}"


def declared() -> Iterator[Declared]:
    """Every overload that a kernel can call."""
    for dialect, entry in DIALECTS.items():
        for called, numbers in entry.by_name.items():
            for number in numbers:
                if entry.overloads[number].name.startswith(("__", "tpu_")):
                    yield Declared(dialect, called, entry.overloads[number])


@cache
def _devices(dialect: str) -> tuple[Device, ...]:
    if dialect == "tpu":
        return (Device.load("bm1690").checked("fast"),)
    newest = Device.load("mlu590").checked("fast")
    return newest, Device.load("mlu370-x4").checked("fast"), newest.replace({"shape.arch": 613})


def device_of(found: Declared) -> Device:
    """The first device that has the instruction."""
    archs = found.overload.instruction.archs
    return next(device for device in _devices(found.dialect) if device.shape.arch in archs)


def images_of(call: Call, length: int) -> dict[str, bytes]:
    """The bytes of every space that a call touches, before it."""
    spaces = {pointer.space for pointer in call.arguments if isinstance(pointer, Pointer)}
    memory = Memory({space: background(length) for space in sorted(spaces)})
    for pointer, data in call.contents:
        memory.put(pointer, data)
    return {space: bytes(image) for space, image in memory.images.items()}


@dataclass(frozen=True)
class Outcome:
    """The bytes of every space after a call, and what it returned."""

    images: Mapping[str, bytes]
    result: Any


def execute(found: Declared, calls: list[Call], length: int) -> list[Outcome]:
    """What each of the calls did, all made by one kernel without a finding."""
    before = [images_of(call, length) for call in calls]
    spaces = sorted({space for images in before for space in images})
    empty = bytes(length)
    rows = [b"".join(images.get(space, empty) for space in spaces) for images in before]
    held = np.frombuffer(b"".join(rows), np.uint8).copy()
    arrays = ARRAYS[found.dialect]
    returned: list[Any] = []
    #: What is left in room to work in is copied out too.
    has_room = any(p.clobbered for p in found.overload.parameters)

    def kernel(unit: Any, image: Any) -> None:
        rooms = {space: _room(unit, space, length) for space in spaces if space != arrays}
        for number, call in enumerate(calls):
            row = image + number * len(spaces) * length
            at = {space: row + position * length for position, space in enumerate(spaces)}
            for space, room in rooms.items():
                _fill(unit, space, room, at[space], length)
            arguments = [
                (rooms.get(a.space, at[a.space]) + a.offset).cast(a.kind) if isinstance(a, Pointer) else a
                for a in call.arguments
            ]
            returned.append(getattr(unit, found.called)(*arguments))
            getattr(unit, WAIT[found.dialect])()
            for space, room in rooms.items():
                _empty(unit, space, room, at[space], length)

    run = launch(kernel, (1, 1, 1), args=[held], device=device_of(found))
    expected = {"meaning", "uninitialized"} if has_room else {"meaning"}
    findings = [finding for finding in run.findings if finding.rule not in expected]
    assert not findings, "\n".join(map(str, findings))
    after = held.tobytes()
    results = []
    for number, images in enumerate(before):
        starts = {space: (number * len(spaces) + spaces.index(space)) * length for space in images}
        left = {space: after[start : start + length] for space, start in starts.items()}
        results.append(Outcome(left, returned[number]))
    return results


def _room(unit: Any, space: str, length: int) -> Any:
    return getattr(unit, space)("uint8", length)


def _fill(unit: Any, space: str, room: Any, source: Any, length: int) -> None:
    if space == "vreg":  # no instruction loads a register
        words, given = room.cast("uint64"), source.cast("uint64")
        for i in range(length // size_of("uint64")):
            words[i] = given[i]
    else:
        unit.__memcpy(room, source, length, getattr(unit, f"GDRAM2{space.upper()}"))


def _empty(unit: Any, space: str, room: Any, target: Any, length: int) -> None:
    if space == "vreg":
        words, taken = room.cast("uint64"), target.cast("uint64")
        for i in range(length // size_of("uint64")):
            taken[i] = words[i]
    else:
        unit.__memcpy(target, room, length, getattr(unit, f"{space.upper()}2GDRAM"))
