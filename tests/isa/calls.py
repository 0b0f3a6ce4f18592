"""Legal calls of every overload, made from the declarations alone, and a way to run one and see what it did."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from mlusim.isa import DIALECTS, Align, Overload, Require, names_of
from mlusim.simulator import Device, Finding, launch

from tests.support.expressions import compiled

BANG = DIALECTS["bang"]
#: One device of each class of architectures: 2xx, 3xx, 5xx.
DEVICES = {270: "mlu270", 372: "mlu370-x4", 592: "mlu590"}
#: Every operand gets a buffer of its own; operands start in the middle of it.
BUFFER, MIDDLE = 8192, 4096
#: What a buffer holds before a call: zero is a legal value of every input; outputs show what was written.
INPUT, OUTPUT = 0, 0x5A
_SIZES = ("count", "size", "length", "bytes", "channel", "height", "width")
_DIMENSIONS = ("n", "h", "w", "c", "M", "N", "K")


@dataclass(frozen=True)
class Place:
    """Where an operand lies: the buffer of a parameter (its own by default), or null, and the byte in it."""

    buffer: str
    offset: int = MIDDLE
    space: str = ""


@dataclass(frozen=True)
class Call:
    """One call of an overload: scalar arguments by name, and where each memory operand lies."""

    overload: Overload
    arch: int
    scalars: Mapping[str, Any]
    places: Mapping[str, Place]

    def at(self, operand: str, offset: int, buffer: str = "") -> Call:
        """The same call with an operand moved."""
        place = replace(self.places[operand], offset=offset, buffer=buffer or self.places[operand].buffer)
        return replace(self, places={**self.places, operand: place})

    def names(self) -> dict[str, Any]:
        """What the expressions of a declaration may name; addresses count from an aligned origin."""
        origins = {name: number * 2 * BUFFER for number, name in enumerate(self.places, 1)}
        sizes = {f"sizeof_{p.name}": self.overload.element(p).size for p in self.overload.parameters if p.is_memory}
        sizes |= {
            f"space_{name}": place.space for name, place in self.places.items()
        } | self.overload.instruction.labels
        sizes |= {f"order_{p.name}": "dealt" for p in self.overload.parameters if p.order}
        addresses = {name: origins[place.buffer] + place.offset for name, place in self.places.items()}
        names = {**self.scalars, **sizes, **addresses}
        for name, text in self.overload.instruction.let.items():
            try:
                names[name] = eval(compiled(text), {}, names)
            except ZeroDivisionError:  # by an argument that a rule forbids
                names[name] = 0
        return names

    def span(self, operand: str) -> int:
        """Bytes from the first to the last byte of an operand; strides must not be negative."""
        parameter = next(p for p in self.overload.parameters if p.name == operand)
        size, names = self.overload.element(parameter).size, self.names()
        if parameter.register:
            return BANG.register_bytes
        total = packed = size
        for dim in reversed(parameter.dims):
            count = int(eval(compiled(dim.count), {}, names))
            stride = int(eval(compiled(dim.stride), {}, names)) if dim.stride else packed
            total += (count - 1) * stride
            packed *= count
        return total if packed > 0 else 0

    def broken(self) -> list[Align | Require]:
        """The declared rules that do not hold, overlap not among them."""
        names = self.names()
        return [rule for rule in self.overload.instruction.rules_for(self.arch) if not _holds(rule, self, names)]


def _holds(rule: Align | Require, call: Call, names: dict[str, Any]) -> bool:
    if isinstance(rule, Require):
        try:
            applies = not rule.when or eval(compiled(rule.when), {}, names)
            return not applies or bool(eval(compiled(rule.condition), {}, names))
        except ZeroDivisionError:  # by an argument that another rule forbids
            return True
    wanted = rule.operands or tuple(p.name for p in call.overload.parameters if p.is_memory and not p.register)
    return all(names[name] % rule.multiple == 0 for name in wanted)


def legal_calls(overload: Overload, arch: int) -> list[Call]:
    """One legal call, or one for each case of the selecting argument that the device has."""
    entry = overload.instruction
    cases = entry.select.cases.items() if entry.select else [(None, None)]
    found = []
    for value, case in cases:
        places = {
            p.name: Place(p.name, space=case.spaces[p.name] if case else entry.space_of(p))
            for p in overload.parameters
            if p.is_memory
        }
        scalars = {p.name: _default(p.name) for p in overload.parameters if not p.is_memory}
        if entry.select:
            scalars[entry.select.argument] = value
        found.append(_lowered(Call(overload, arch, scalars, places)))
    return found


def _is_size(name: str) -> bool:
    return name in _DIMENSIONS or name.endswith(_SIZES)


def _default(name: str) -> int:
    if name in ("height", "width", "M", "h", "w", "row_count") or name.startswith("kernel"):
        return 2
    if "dilation" in name:
        return 1
    if name in ("c", "N"):
        return 64
    if name == "K":
        return 8
    if _is_size(name):
        return 128
    if "stride" in name:
        return 512 if name.endswith("1") else 128
    return 1 if name.startswith(("iter", "step", "stride")) or "segnum" in name or "value" in name else 0


def _lowered(call: Call) -> Call:
    """The call with the arguments of a broken rule lowered until it holds, or else the last of them raised."""
    for value in (64, 32, 1):
        for rule in call.broken():
            sizes = _sizes(call, rule)
            call = replace(call, scalars={**call.scalars, **{name: min(value, call.scalars[name]) for name in sizes}})
    for value in (128, 256):
        for rule in call.broken():
            call = replace(call, scalars={**call.scalars, _sizes(call, rule)[-1]: value})
    assert not call.broken(), f"{call.overload.name}: no legal call found; change the defaults in {__file__}"
    return call


def _sizes(call: Call, rule: Align | Require) -> list[str]:
    """The sizes that a rule names."""
    assert isinstance(rule, Require), f"{call.overload.name}: no legal address found"
    return [name for name in call.scalars if name in names_of(rule.condition) and _is_size(name)]


def breaking(call: Call, rule: Align | Require) -> Iterator[Call]:
    """Calls that break ``rule`` and no other: one argument changed, else two."""
    if isinstance(rule, Align):
        for name in rule.operands or tuple(p.name for p in call.overload.parameters if p.is_memory and not p.register):
            yield call.at(name, MIDDLE + rule.multiple // 2)
        return
    select = call.overload.instruction.select
    fixed = {select.argument} if select else set()
    named = call.overload.instruction.names(rule.condition) - fixed
    scalars = [name for name in call.scalars if name in named]
    for names in itertools.chain(itertools.combinations(scalars, 1), itertools.combinations(scalars, 2)):
        for values in itertools.product((0, 1, 2, 8, 16, 64, 130, 192, 128, -1, -128, 1 << 20), repeat=len(names)):
            changed = replace(call, scalars={**call.scalars, **dict(zip(names, values, strict=True))})
            if changed.broken() == [rule]:
                yield changed
                return
    for name in call.places:
        changed = call.at(name, MIDDLE + 1)
        if changed.broken() == [rule]:
            yield changed
            return


@dataclass(frozen=True)
class Outcome:
    """What a call did: its findings, and the buffers (by operand) before and after it."""

    findings: list[Finding]
    before: dict[str, bytes]
    after: dict[str, bytes]

    def changed(self, call: Call, *allowed: str) -> list[str]:
        """Buffers that changed outside the spans of ``allowed``; room to work in may hold anything."""
        wrong = []
        rooms = {p.name for p in call.overload.parameters if p.clobbered}
        for name, old in self.before.items():
            if name in rooms:
                continue
            new = self.after[name]
            for operand in allowed:
                if call.places[operand].buffer == name:
                    start = call.places[operand].offset
                    end = start + call.span(operand)
                    new = new[:start] + old[start:end] + new[end:]
            if old != new:
                wrong.append(name)
        return wrong


@cache
def device(arch: int) -> Device:
    """The device of an architecture, loaded once."""
    return Device.load(DEVICES[arch]).checked("fast")  # one instruction has none to be in order with


@cache
def _fill(arch: int, byte: int) -> Any:
    return device(arch).array(np.full(BUFFER, byte, np.uint8))


def run(call: Call) -> Outcome:
    """Run a call on a fresh core as the only instruction of interest."""
    overload = call.overload
    memory = {p.name: p for p in overload.parameters if p.is_memory}
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    on_device = device(call.arch)
    gdram = {
        name: on_device.array(np.zeros(BUFFER, np.uint8)) for name, at in call.places.items() if at.space == "gdram"
    }

    def kernel(mlu: Any, inputs: Any, outputs: Any, *arrays: Any) -> None:
        buffers = dict(zip(gdram, arrays, strict=True))
        for name, place in call.places.items():
            if place.space != "gdram":
                buffers[name] = getattr(mlu, place.space)("uint8", BUFFER)
            source = outputs if memory[name].writes else inputs
            if place.space == "vreg":
                ctypes.memset(buffers[name].address, OUTPUT if memory[name].writes else INPUT, BUFFER)
            else:
                mlu.__memcpy(buffers[name], source, BUFFER, getattr(mlu, f"GDRAM2{place.space.upper()}"))

        def look(into: dict[str, bytes]) -> None:
            into.update({name: ctypes.string_at(buffer.address, BUFFER) for name, buffer in buffers.items()})

        arguments = []
        for p in overload.parameters:
            if p.name in memory:
                place = call.places[p.name]
                byte = buffers[place.buffer] + place.offset if place.buffer else inputs - inputs.address
                arguments.append(byte.cast(overload.element(p).name))
            else:
                arguments.append(call.scalars[p.name])
        look(before)
        getattr(mlu, overload.instruction.asm or overload.name)(*arguments)
        mlu.__sync()
        look(after)

    args = [_fill(call.arch, INPUT), _fill(call.arch, OUTPUT), *gdram.values()]
    result = launch(kernel, args=args, device=on_device, on_finding="collect")
    # Reading uninitialized registers, and the room that they take, are no faults of the call.
    findings = [f for f in result.findings if f.instruction == overload.name and f.rule != "uninitialized"]
    return Outcome(findings, before, after)
