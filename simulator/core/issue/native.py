"""Issue ports as tables for native code, of the declarations and the guards that the ports in Python are made of.

A native port has the plain way alone: where a guard fails, bytes are uninitialized or operands overlap in part, it
changes nothing, and the port in Python does all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....isa import Case, Completion, Compute, Copy, Kind, Parameter, Wait, wires
from ...log.recorder import ROOM
from ...log.region import region_key
from ...structures import header
from .effects import EffectWriter
from .loops import Loop, loop_of
from .operands import Operand, Packed
from .source import Guard, PortSource
from .steps import NotNativeError, Place, Steps

_HEADER = header("runtime/ports.h")
Effect = _HEADER.enumeration("mlusim_native_effect", "MLUSIM_")
_Number = _HEADER.enumeration("mlusim_number", "MLUSIM_")
#: Types of numbers that a loop takes as its element, by kind and bytes.
_NUMBERS = {"i": _Number.WHOLE, "u": _Number.NATURAL, "f4": _Number.FLOAT, "f8": _Number.DOUBLE}
_LATE = (Completion.DEFERRED, Completion.QUEUED)


@dataclass(frozen=True)
class NativeOperand:
    """An operand: where its address and its bytes lie, and the keys of its space."""

    address: int
    bytes: int
    size: int
    reads: bool
    writes: bool
    shared: bool
    keys: tuple[int, int]


@dataclass(frozen=True)
class NativePort:
    """A ``struct mlusim_native_port``; numbers are named by their places."""

    op: int
    pipe: int
    flags: int
    effect: int
    numbers: tuple[int, ...]
    steps: tuple[tuple[int, int, int, int], ...]
    operands: tuple[NativeOperand, ...]
    inputs: tuple[tuple[int, int, int, int], ...]  # operand or -1, number, its type, bytes of an element
    work: int
    elements: int
    settled: bool
    loop: Loop | None
    one: int  # of an output of truths, as a whole number of its bits


class NativeWriter:
    """Makes the native port of an overload, or says why it has none."""

    def __init__(
        self, source: PortSource, operands: list[Operand], effect: EffectWriter, guards: list[Guard],
    ) -> None:  # fmt: skip
        self.source, self.entry, self.operands, self.effect, self.guards = (
            source, source.entry, operands, effect, guards
        )  # fmt: skip

    def port(self, op: int, pipe: int, case: Case | None, value: int) -> NativePort:
        """The port of one case of the selecting argument, or of what has none; `NotNativeError` where Python is needed."""
        entry, execution = self.entry, self.source.execution
        spaces = case.spaces if case else {p.name: entry.space_of(p) for p in self.source.memory}
        packed = [operand for operand in self.operands if isinstance(operand, Packed)]
        self._qualify(packed, spaces, case)
        known: dict[str, object] = {f"space_{name}": space for name, space in spaces.items()}
        if case and entry.select:
            known[entry.select.argument] = value
        given = [wire for p in self.source.overload.parameters for wire in wires(p, self.source.overload.binding)]
        steps = Steps(["" if wire.is_float else wire.name for wire in given], known)
        for name, text in entry.let.items():
            steps.name(name, self.source.expression(text))
        found = tuple(self._operand(steps, operand, spaces[operand.name]) for operand in packed)
        for guard in self.guards:
            steps.require(guard.expression)
        loop, truths = self._loop() if isinstance(entry.effect, Compute) else (None, False)
        names = [wire.name for wire in given]
        inputs = tuple(self._inputs(packed, names, loop)) if loop else ()
        kind = Effect.WAIT if isinstance(entry.effect, Wait) else Effect.COPY
        if loop:
            kind = Effect.TRUTH if truths else Effect.LOOP
        one = int.from_bytes(np.ones(1, packed[0].element.dtype).tobytes(), "little") if truths else 0
        return NativePort(
            op, pipe, int(self.effect.flags()), kind, tuple(steps.numbers), tuple(steps.rows), found, inputs,
            work=steps.place(self.source.expression(entry.work_expression)).at,
            elements=steps.place(f"count_{packed[0].name}" if packed else "0").at,
            settled=bool(entry.waits) or self.effect.completion is Completion.BLOCKING,
            loop=loop, one=one,
        )  # fmt: skip

    def _qualify(self, packed: list[Packed], spaces: Mapping[str, str], case: Case | None) -> None:
        """NotNativeError where something of it is not written down as expressions and loops."""
        entry, execution = self.entry, self.source.execution
        p = entry.prototype
        reasons = {
            "an operand is not packed": len(packed) < len(self.operands) or len(packed) > ROOM,
            "an argument is a structure": any(q.kind not in (Kind.VALUE, Kind.PACKED, Kind.REGISTER) for q in p.parameters),
            "it returns a value": p.returns != "void",
            "it waits for other tasks or takes effect later": not isinstance(entry.effect, (Compute, Copy, Wait))
            or self.effect.completion in _LATE
            or bool(self.effect.queues)
            or bool(entry.waits and execution.dialect.queues),
            "what it reads decides what it writes": bool(
                entry.moves or entry.looks_up or entry.measured or entry.adds or entry.counts
            ) or getattr(entry.effect, "partial", False),
            "it leaves bytes undefined": any(q.clobbered or q.defined for q in p.memory),
            "subnormal numbers are 0": execution.dialect.flushes,
            "memory cores have a part in it": case is not None and case.by_memory_core,
            "it writes to slices": any(
                operand.writes and spaces[operand.name] in execution.map.slices and case for operand in packed
            ),
        }  # fmt: skip
        for check in self.effect.checks:
            reasons[f"{type(check).__name__} looks at it"] = check.looks_at(self.source, set(spaces.values()))
        for reason, holds in reasons.items():
            if holds:
                raise NotNativeError(reason)
        if packed and (not packed[0].writes or any(operand.writes for operand in packed[1:])):
            raise NotNativeError("its output is not its first operand")

    def _operand(self, steps: Steps, operand: Packed, space: str) -> NativeOperand:
        memory, name = self.source.execution.map.memories[space], operand.name
        steps.name(f"count_{name}", " * ".join(operand.counts()))
        bytes = steps.name(f"bytes_{name}", f"count_{name} * {operand.element.size}")
        steps.name(operand.end, f"{name} + bytes_{name}")
        keys = region_key(memory.index, 0, 0), region_key(memory.index + 1, 0, 0)
        return NativeOperand(
            steps.place(name).at, bytes.at, operand.element.size, operand.reads, operand.writes,
            memory.space.scope == "device", keys,
        )  # fmt: skip

    def _loop(self) -> tuple[Loop, bool]:
        """The loop of its semantics, and whether what that makes are truths, of which the output has numbers."""
        entry, overload = self.entry, self.source.overload
        if not isinstance(entry.semantics, np.ufunc):
            raise NotNativeError("its semantics is a function of Python's")
        target = self.operands[0]
        if any(self._dims(operand) != self._dims(target) for operand in self.operands):
            raise NotNativeError("its operands have different shapes")
        inputs = [self._dtype(p) for p in self._read()]
        loop = loop_of(entry.semantics, inputs, target.element.dtype)
        if loop is None:
            raise NotNativeError("NumPy has no loop of its own for it")
        truths = loop.output == np.bool_ != target.element.dtype
        wanted = [overload.element(p).dtype for p in self._read()]
        if list(loop.inputs) != wanted or (loop.output != target.element.dtype and not truths):
            raise NotNativeError("NumPy computes it in another type")
        return loop, truths

    def _read(self) -> list[Parameter]:
        """What the loop takes, in order."""
        overload = self.source.overload
        return [
            p for p in overload.parameters
            if p.reads or (p.kind is Kind.VALUE and p.type in overload.binding)
        ]  # fmt: skip

    def _dtype(self, p: Parameter) -> Any:
        element = self.source.overload.element(p)
        if p.is_memory:
            return element.dtype
        return float if element.is_float else int

    @staticmethod
    def _dims(operand: Operand) -> tuple[str, ...]:
        return ("",) if operand.parameter.register else tuple(dim.count for dim in operand.parameter.dims)

    def _inputs(self, packed: list[Packed], names: list[str], loop: Loop) -> Iterator[tuple[int, int, int, int]]:
        order = {operand.name: number for number, operand in enumerate(packed)}
        for p, dtype in zip(self._read(), loop.inputs, strict=True):
            if p.name in order:
                yield order[p.name], 0, 0, dtype.itemsize
                continue
            kind = _NUMBERS.get(dtype.kind, _NUMBERS.get(f"{dtype.kind}{dtype.itemsize}"))
            if kind is None:
                raise NotNativeError(f"{p.name} is of a type that native code does not round to")
            yield -1, names.index(p.name), kind, dtype.itemsize
