"""Issue ports as tables for native code, of the declarations and the guards that the ports in Python are made of.

A native port has the plain way alone: where a guard fails, bytes are uninitialized or operands overlap in part, it
changes nothing, and the port in Python does all of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ....isa import Case, Completion, Compute, Copy, Kind, Overload, Parameter, Wait, wires
from ...chip.launch_kinds import Role
from ...log.recorder import ROOM
from ...log.region import region_key
from ...structures import header
from ..execution import Execution
from .check import Check
from .effects import EffectWriter
from .loops import Loop, loop_of
from .operands import Operand, Packed, operands_of
from .source import PortSource
from .steps import NotNativeError, StepWriter

_HEADER = header("runtime/ports.h")
Effect = _HEADER.enumeration("mlusim_native_effect", "MLUSIM_")
_Number = _HEADER.enumeration("mlusim_number", "MLUSIM_")
#: Types of numbers that a loop takes as its element, by kind and bytes.
_NUMBERS = {"i": _Number.WHOLE, "u": _Number.NATURAL, "f2": _Number.HALF, "f4": _Number.FLOAT, "f8": _Number.DOUBLE}


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
    #: Operand or -1, number, its type, bytes of an element, whether each row takes the same.
    inputs: tuple[tuple[int, int, int, int, bool], ...]
    work: int
    elements: int  # of a row
    rows: int
    skipped_by: int  # a bit for each role of a core
    python_for: int
    waits: int  # a bit for each pipe
    loop: Loop | None
    one: int  # of an output of truths, as a whole number of its bits


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
        names = {wire.name: at for at, wire in enumerate(given)} | {"": steps.place("0").at}
        kind, loop, inputs, one = self._computed(names)
        op, pipe = self.effect.named(case.pipe if case else entry.pipe, case)
        skipped = self.source.skipped_by(spaces.values(), case)
        if kind == Effect.COPY and self._is_late(case):
            kind = Effect.LATE_COPY
        return NativePort(
            op, pipe, int(self.effect.flags()), kind, tuple(steps.numbers), tuple(steps.rows), found, inputs,
            work=work.at, elements=elements.at, rows=rows.at,
            skipped_by=_bits([skipped] if skipped else ()), python_for=_bits(roles), waits=_bits(self._waits(pipe)),
            loop=loop, one=one,
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

    def _computed(
        self, names: Mapping[str, int]
    ) -> tuple[int, Loop | None, tuple[tuple[int, int, int, int, bool], ...], int]:
        """What computes the output: kind, loop, inputs, and the bits of an element that says that a condition holds."""
        if not isinstance(self.entry.effect, Compute):
            return Effect.WAIT if isinstance(self.entry.effect, Wait) else Effect.COPY, None, (), 0
        taken = self._taken()
        loop, truths = self._loop(taken)
        one = int.from_bytes(np.ones(1, self.operands[0].element.dtype).tobytes(), "little") if truths else 0
        return Effect.TRUTH if truths else Effect.LOOP, loop, tuple(self._inputs(taken, names, loop)), one

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

    def _loop(self, taken: Sequence[Parameter | None]) -> tuple[Loop, bool]:
        """The loop of its semantics, and whether what that makes are truths, of which the output has numbers."""
        overload, target = self.source.overload, self.operands[0]
        whole, row = self._dims(target), self._row()
        if any(self._dims(operand) not in (whole, row) for operand in self.operands) or row != whole[-len(row) :]:
            raise NotNativeError("its operands have different shapes")
        wanted = [overload.element(p).dtype if p else target.element.dtype for p in taken]
        if isinstance(self.entry.semantics, np.ufunc):
            said = [dtype if not p or p.is_memory else _weak(dtype) for p, dtype in zip(taken, wanted, strict=True)]
            loop = loop_of(self.entry.semantics, said, target.element.dtype)
        else:
            loop = loop_of(np.positive, wanted, target.element.dtype)
        if loop is None:
            raise NotNativeError("NumPy has no loop of its own for it")
        truths = loop.output == np.bool_ != target.element.dtype
        if list(loop.inputs) != wanted or (loop.output != target.element.dtype and not truths):
            raise NotNativeError("NumPy computes it in another type")
        return loop, truths

    def _taken(self) -> list[Parameter | None]:
        """What the loop takes, in order; None is the number 0. A function that returns a value as it is fills."""
        overload, function = self.source.overload, self.entry.semantics
        if isinstance(function, np.ufunc):
            kinds = overload.binding
            return [p for p in overload.parameters if p.reads or (p.kind is Kind.VALUE and p.type in kinds)]
        assert function is not None
        names, value = list(inspect.signature(function).parameters), object()
        if not names and type(made := function()) is int and made == 0:
            return [None]
        found = [p for p in overload.parameters if p.kind is Kind.VALUE and [p.name] == names]
        with suppress(TypeError):  # of one that computes with it
            if found and overload.element(found[0]) == self.operands[0].element and function(value) is value:
                return list(found)
        raise NotNativeError("its semantics is a function of Python's")

    def _row(self) -> tuple[str, ...]:
        """The axes that all operands have; along those before them, the shorter ones are repeated."""
        return min((self._dims(operand) for operand in self.operands), key=len, default=())

    @staticmethod
    def _dims(operand: Operand) -> tuple[str, ...]:
        return ("",) if operand.parameter.register else tuple(dim.count for dim in operand.parameter.dims)

    def _inputs(
        self, taken: Sequence[Parameter | None], names: Mapping[str, int], loop: Loop
    ) -> Iterator[tuple[int, int, int, int, bool]]:
        order = {operand.name: number for number, operand in enumerate(self.operands)}
        whole = self._dims(self.operands[0])
        for p, dtype in zip(taken, loop.inputs, strict=True):
            if p and p.name in order:
                yield order[p.name], 0, 0, dtype.itemsize, self._dims(self.operands[order[p.name]]) != whole
                continue
            kind = _NUMBERS.get(dtype.kind, _NUMBERS.get(f"{dtype.kind}{dtype.itemsize}"))
            if kind is None:
                raise NotNativeError(f"{p.name if p else 0} is of a type that native code does not round to")
            yield -1, names[p.name if p else ""], kind, dtype.itemsize, True


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in set(numbers))


def _weak(dtype: np.dtype) -> type:
    """The type of Python that a number of an element type has."""
    return int if dtype.kind in "iu" else float
