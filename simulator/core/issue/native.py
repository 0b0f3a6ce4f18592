"""Issue ports as tables for native code, of the declarations and the guards that the ports in Python are made of.

A native port has the plain way alone: where a guard fails, bytes are uninitialized or operands overlap in part, it
changes nothing, and the port in Python does all of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....isa import TYPES, Case, Completion, Compute, Copy, Kind, Overload, Wait, wires
from ...chip.launch_kinds import Role
from ...log.recorder import ROOM
from ...log.region import region_key
from ...structures import header
from ..execution import Execution
from .check import Check
from .effects import EffectWriter
from .operands import Operand, Packed, operands_of
from .source import PortSource
from .steps import NotNativeError, StepWriter
from .traced import ELEMENTS, Elements, Loop, LoopValue, loops_of, shared

_HEADER = header("runtime/ports.h")
Effect = _HEADER.enumeration("mlusim_native_effect", "MLUSIM_")
_Limit = _HEADER.enumeration("mlusim_loop_limit", "MLUSIM_MOST_")
_Kind = _HEADER.enumeration("mlusim_value_kind", "MLUSIM_")
#: Bytes of the largest element, and the one type of numbers that only Python rounds.
_MOST_BYTES, _ROUNDED_BY_PYTHON = 8, TYPES["bfloat16"].dtype


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
class NativeLoop:
    """A ``struct mlusim_loop``; values are named by their places."""

    kind: int
    inputs: tuple[int, ...]
    output: int
    function: int
    data: int


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
    values: tuple[tuple[int, int, int, int, bool], ...]  # as struct mlusim_value has them
    loops: tuple[NativeLoop, ...]
    work: int
    elements: int  # of a row
    rows: int
    skipped_by: int  # a bit for each role of a core
    python_for: int
    waits: int  # a bit for each pipe


def native_ports(execution: Execution, overload: Overload, checks: Sequence[Check]) -> Mapping[int, NativePort | str]:
    """By the value of the selecting argument (0 where nothing selects) the native port, or why there is none."""
    if overload.instruction.type_arguments:
        return {0: "an argument names its types"}
    entry = overload.instruction.on(execution.shape.arch)
    writer, select = _Writer(execution, Overload(entry, overload.binding), checks), entry.select
    cases: Mapping[int, Case | None] = {0: None}
    if select:
        memories = set(execution.map.memories)
        cases = {value: case for value, case in select.cases.items() if set(case.spaces.values()) <= memories}
    found: dict[int, NativePort | str] = {}
    for value, case in cases.items():
        try:
            found[value] = writer.port(case, value)
        except NotNativeError as error:
            found[value] = str(error)
    return found


class _Writer:
    """Makes the native port of an overload, or says why it has none."""

    def __init__(self, execution: Execution, overload: Overload, checks: Sequence[Check]) -> None:
        self.source = PortSource(execution, overload)
        self.entry, self.execution = self.source.entry, execution
        self.operands = operands_of(self.source)
        self.effect = EffectWriter(self.source, self.operands, checks)
        self.guards = [guard for check in checks for guard in check.guards(self.source)]

    def port(self, case: Case | None, value: int) -> NativePort:
        """The port of a case of the selecting argument, or of what has none; NotNativeError where Python is needed."""
        entry, overload = self.entry, self.source.overload
        spaces = case.spaces if case else {p.name: entry.space_of(p) for p in self.source.memory}
        packed, roles = self._qualified(spaces, case)
        known: dict[str, object] = {f"space_{name}": space for name, space in spaces.items()}
        if case and entry.select:
            known[entry.select.argument] = value
        given = [wire for p in overload.parameters for wire in wires(p, overload.binding)]
        steps = StepWriter(["" if wire.is_float or wire.is_natural else wire.name for wire in given], known)
        for name, text in entry.let.items():
            steps.name(name, self.source.expression(text))
        found = tuple(self._operand(steps, operand, spaces[operand.name]) for operand in packed)
        for guard in self.guards:
            steps.require(guard.expression)
        work = steps.place(self.source.expression(entry.work_expression))
        shortest = min((operand.name for operand in packed if self._dims(operand) == self._row()), default="")
        elements = steps.place(f"count_{shortest}" if shortest else "0")
        rows = steps.place(f"count_{packed[0].name} // count_{shortest}" if shortest else "1")
        loops = self._loops(steps) if isinstance(entry.effect, Compute) else []
        places = {value: None for loop in loops for value in (*loop.inputs, loop.output)}
        at = {value: number for number, value in enumerate(places)}
        names = {wire.name: number for number, wire in enumerate(given)}
        values = tuple(self._value(value, names, steps) for value in places)
        op, pipe = self.effect.named(case.pipe if case else entry.pipe, case)
        skipped = self.source.skipped_by(spaces.values(), case)
        if len(places) > _Limit.VALUES:
            raise NotNativeError("its semantics has too many loops")
        return NativePort(
            op, pipe, int(self.effect.flags()), self._kind(case), tuple(steps.numbers), tuple(steps.rows), found,
            values,
            tuple(
                NativeLoop(loop.kind, tuple(at[one] for one in loop.inputs), at[loop.output], loop.function, loop.data)
                for loop in loops
            ),
            work=work.at, elements=elements.at, rows=rows.at,
            skipped_by=_bits([skipped] if skipped else ()), python_for=_bits(roles), waits=_bits(self._waits(pipe)),
        )  # fmt: skip

    def _is_late(self, case: Case | None) -> bool:
        """Whether its effect comes when a wait asks for it."""
        pipe = case.pipe if case else self.entry.pipe
        deferred = self.effect.completion is Completion.DEFERRED
        return deferred and pipe not in self.execution.dialect.in_order

    def _waits(self, pipe: int) -> Iterable[int]:
        """The numbers of the pipes whose effects it waits for."""
        if self.effect.completion is Completion.BLOCKING:
            return [pipe]
        return map(self.execution.recorder.pipe, self.entry.waits)

    def _qualified(self, spaces: Mapping[str, str], case: Case | None) -> tuple[list[Packed], Set[Role]]:
        """Its operands, and the roles of cores that need Python for a check.

        NotNativeError where something of it is not written down as expressions and loops.
        """
        entry, dialect, prototype = self.entry, self.execution.dialect, self.entry.prototype
        packed = [operand for operand in self.operands if isinstance(operand, Packed)]
        kinds = {p.kind for p in prototype.parameters}
        late = self._is_late(case) and not isinstance(entry.effect, Copy)
        by_contents = entry.moves or entry.looks_up or entry.measured or entry.adds or entry.counts
        sliced = case and any(
            operand.writes and spaces[operand.name] in self.execution.map.slices for operand in packed
        )
        reasons = {
            "an operand is not packed": len(packed) < len(self.operands) or len(packed) > ROOM,
            "an argument is a structure": not kinds <= {Kind.VALUE, Kind.PACKED, Kind.REGISTER},
            "it returns a value": prototype.returns != "void",
            "it waits for other tasks": not isinstance(entry.effect, (Compute, Copy, Wait)),
            "it takes effect later": late or self.effect.completion is Completion.QUEUED,
            "it copies to another cluster": isinstance(entry.effect, Copy) and bool(entry.effect.cluster),
            "queues run side by side": bool(dialect.queues),
            "what it reads decides what it writes": by_contents or getattr(entry.effect, "partial", False),
            "it leaves bytes undefined": any(p.clobbered or p.defined for p in prototype.memory),
            "subnormal numbers are 0": dialect.flushes,
            "it writes to slices": sliced,
            "its output is not its first operand": [o.writes for o in packed] != [n == 0 for n in range(len(packed))],
        }
        roles = set[Role]()
        for check in self.effect.checks:
            roles |= (seen := check.looks_at(self.source, set(spaces.values())))
            reasons[f"{type(check).__name__} looks at it"] = seen == set(Role)
        for reason, holds in reasons.items():
            if holds:
                raise NotNativeError(reason)
        return packed, roles

    def _kind(self, case: Case | None) -> int:
        """What it does, as native code knows it."""
        if isinstance(self.entry.effect, Compute):
            return int(Effect.LOOPS)
        if isinstance(self.entry.effect, Wait):
            return int(Effect.WAIT)
        return int(Effect.LATE_COPY if self._is_late(case) else Effect.COPY)

    def _operand(self, steps: StepWriter, operand: Packed, space: str) -> NativeOperand:
        memory, name = self.source.execution.map.memories[space], operand.name
        steps.name(f"count_{name}", " * ".join(operand.counts()))
        bytes = steps.name(f"bytes_{name}", f"count_{name} * {operand.element.size}")
        steps.name(operand.end, f"{name} + bytes_{name}")
        keys = region_key(memory.index, 0, 0), region_key(memory.index + 1, 0, 0)
        return NativeOperand(
            steps.place(name).at, bytes.at, operand.element.size, operand.reads, operand.writes,
            memory.space.scope == "device", keys,
        )  # fmt: skip

    def _loops(self, steps: StepWriter) -> list[Loop]:
        """The loops of its semantics; where a number decides which they are, those for 0."""
        whole, row, target = self._dims(self.operands[0]), self._row(), self.operands[0]
        if any(self._dims(operand) not in (whole, row) for operand in self.operands) or row != whole[-len(row) :]:
            raise NotNativeError("its operands have different shapes")
        function, target = self.entry.semantics, self.operands[0]
        assert function is not None
        given = {name: self._given(name, steps) for name in self._taken(function)}
        return shared(loops_of(function, given, LoopValue(target.element.dtype, operand=target.name)), _Limit.PARTS)

    def _taken(self, function: Callable[..., object]) -> Iterable[str]:
        """The names of what its semantics takes, in order."""
        if not isinstance(function, np.ufunc):
            return inspect.signature(function).parameters
        overload = self.source.overload
        return [p.name for p in overload.parameters if p.reads or (p.kind is Kind.VALUE and p.type in overload.binding)]

    def _given(self, name: str, steps: StepWriter) -> Any:
        """What its semantics takes under a name, as `loops_of` has it."""
        overload = self.source.overload
        elements = {operand.name: operand.element.dtype for operand in self.operands}
        p = next((p for p in overload.parameters if p.name == name), None)
        if name in elements:
            return Elements(elements[name])
        if name.removeprefix("type_") in elements:
            return elements[name.removeprefix("type_")]
        if p is None or p.kind is not Kind.VALUE:
            raise NotNativeError(f"its semantics takes {name}")
        if p.type in overload.binding or overload.element(p).is_float:
            return int if overload.element(p).dtype.kind in "iu" else float
        steps.require(f"{name} == 0")  # as of most positions; loops of other numbers are others
        return 0

    def _row(self) -> tuple[str, ...]:
        """The axes that all operands have; along those before them, the shorter ones are repeated."""
        return min((self._dims(operand) for operand in self.operands), key=len, default=())

    @staticmethod
    def _dims(operand: Operand) -> tuple[str, ...]:
        return ("",) if operand.parameter.register else tuple(dim.count for dim in operand.parameter.dims)

    def _value(self, value: LoopValue, names: Mapping[str, int], steps: StepWriter) -> tuple[int, int, int, int, bool]:
        dtype, order = value.dtype, [operand.name for operand in self.operands]
        if dtype.itemsize > _MOST_BYTES:
            raise NotNativeError(f"native code has no {dtype.name}")
        element = ELEMENTS.get(dtype.name, 0)
        if value.operand:
            operand = self.operands[order.index(value.operand)]
            repeated = self._dims(operand) != self._dims(self.operands[0])
            return _Kind.OPERAND, order.index(value.operand), element, dtype.itemsize, repeated
        if value.part >= 0:
            return _Kind.PART, value.part, element, dtype.itemsize, False
        if value.number:
            if dtype.name not in ELEMENTS or dtype == _ROUNDED_BY_PYTHON:
                raise NotNativeError(f"{value.number} is of a type that native code does not round to")
            return _Kind.NUMBER, names[value.number], element, dtype.itemsize, True
        bits = int.from_bytes(value.constant.ljust(8, b"\0"), "little", signed=True)
        return _Kind.CONSTANT, steps.constant(bits).at, element, dtype.itemsize, True


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in set(numbers))
