"""Issue ports as tables for native code, of the declarations and the guards that the ports in Python are made of.

A native port has the plain way alone: where a guard fails, values of uninitialized bytes are used or operands overlap
in part, it changes nothing, and the port in Python does all of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ....isa import TYPES, Atomic, Case, Completion, Compute, Copy, Kind, Overload, Section, Wait, wires
from ...chip.launch_kinds import Role
from ...log import CROSSED
from ...log.region import region_key
from ...structures import header
from ..execution import Execution
from .check import Check
from .definedness import carried, masking, passes_on
from .effects import EffectWriter
from .operands import Operand, Packed, operands_of
from .repeats import may_repeat
from .source import PortSource
from .steps import NotNativeError, StepWriter
from .traced import ELEMENTS, Elements, Loop, LoopKind, LoopValue, loops_of, shared

_HEADER = header("runtime/ports.h")
Effect = _HEADER.enumeration("mlusim_native_effect", "MLUSIM_")
Carry = _HEADER.enumeration("mlusim_carry", "MLUSIM_")
_Limit = _HEADER.enumeration("mlusim_port_limit", "MLUSIM_MOST_")
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
    carried: int  # as `Carry` has it: what of its uninitialized bytes goes on to the output
    repeated: bool  # for each row of the output


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
    entry = overload.instruction.on(execution.shape.arch)
    if may_repeat(entry):
        return {0: "the first calls with some arguments; natively when they are made again"}
    if entry.type_arguments:
        return {0: "an argument names its types"}
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
        roles = self._qualified(spaces, case)
        known: dict[str, object] = {f"space_{name}": space for name, space in spaces.items()}
        if case and entry.select:
            known[entry.select.argument] = value
        given = wires(overload)
        steps = StepWriter(["" if wire.is_float or wire.is_natural else wire.name for wire in given], known)
        for name, text in entry.let.items():
            steps.name(name, self.source.expression(text))
        found = tuple(self._operand(steps, operand, spaces[operand.name], case) for operand in self.operands)
        for guard in self.guards:
            steps.require(guard.expression)
        work = steps.place(self.source.expression(entry.work_expression))
        loops = self._loops(steps) if isinstance(entry.effect, (Compute, Atomic)) else []
        row = self._row(self._in_step(loops)) if loops else ()
        shortest = min((o.name for o in self.operands if loops and self._dims(o) == row), default="")
        elements = steps.place(f"count_{shortest}" if shortest else "0")
        rows = steps.place(f"count_{self.operands[0].name} // count_{shortest}" if shortest else "1")
        places = {value: None for loop in loops for value in (*loop.inputs, loop.output)}
        at = {value: number for number, value in enumerate(places)}
        names = {wire.name: number for number, wire in enumerate(given)}
        values = tuple(self._value(value, names, steps) for value in places) or tuple(self._axes(steps))
        op, pipe = self.effect.named(case.pipe if case else entry.pipe, case)
        skipped = self.source.skipped_by(spaces.values(), case)
        waits = _bits(self._waits(pipe))
        if len(places) > _Limit.VALUES:
            raise NotNativeError("its semantics has too many loops")
        if waits and any(loop.kind == LoopKind.TEST for loop in loops):
            raise NotNativeError("what it looks at may come while it waits")
        if self.strided:
            elements = steps.constant(self.execution.recorder.add_shape(self._shape_of(spaces)))
        return NativePort(
            op, pipe, int(self.effect.flags()), self._kind(case), tuple(steps.numbers), tuple(steps.rows), found,
            values,
            tuple(
                NativeLoop(loop.kind, tuple(at[one] for one in loop.inputs), at[loop.output], loop.function, loop.data)
                for loop in loops
            ),
            work=work.at, elements=elements.at, rows=rows.at,
            skipped_by=_bits([skipped] if skipped else ()), python_for=_bits(roles), waits=waits,
        )  # fmt: skip

    def _is_late(self, case: Case | None) -> bool:
        """Whether its effect comes when a wait asks for it."""
        pipe = case.pipe if case else self.entry.pipe
        deferred = self.effect.completion is Completion.DEFERRED
        return deferred and pipe not in self.execution.dialect.in_order

    def _waits(self, pipe: int) -> Iterable[int]:
        """The numbers of the pipes whose effects it waits for."""
        if self.effect.completion is Completion.BLOCKING or isinstance(self.entry.effect, Atomic):
            return [pipe]
        return map(self.execution.recorder.pipe, self.entry.waits)

    def _qualified(self, spaces: Mapping[str, str], case: Case | None) -> Set[Role]:
        """The roles of cores that need Python for a check.

        NotNativeError where something of it is not written down as expressions and loops.
        """
        entry, dialect, prototype = self.entry, self.execution.dialect, self.entry.prototype
        kinds = {p.kind for p in prototype.parameters}
        copies = isinstance(entry.effect, Copy) and len(self.strided) in (0, 2) and not self._is_late(case)
        legal = {Kind.VALUE, Kind.PACKED, Kind.REGISTER} | ({Kind.STRIDED} if copies else set())
        late = self._is_late(case) and not isinstance(entry.effect, Copy)
        by_contents = entry.moves or entry.measured or entry.adds or entry.counts
        sliced = case and any(
            operand.writes and spaces[operand.name] in self.execution.map.slices for operand in self.operands
        )
        reasons = {
            "an operand is not packed": any(p.order or p.kind not in legal for p in prototype.memory),
            "it has too many operands": len(self.operands) > _Limit.OPERANDS,
            "an argument is a structure": not kinds <= {Kind.VALUE, *legal},
            "it returns a value": prototype.returns != "void",
            "it waits for other tasks": not isinstance(entry.effect, (Compute, Atomic, Copy, Wait, Section)),
            "it takes effect later": late or self.effect.completion is Completion.QUEUED,
            "it copies to another cluster": isinstance(entry.effect, Copy) and bool(entry.effect.cluster),
            "queues run side by side": bool(dialect.queues) and not isinstance(entry.effect, Section),
            "what it reads decides what it writes": by_contents,
            "it leaves bytes undefined": any(p.clobbered or p.defined for p in prototype.memory),
            "subnormal numbers are 0": dialect.flushes and bool(prototype.memory),
            "it writes to slices": sliced,
            "its output is not its first operand": any(o.writes != (n == 0) for n, o in enumerate(self.operands)),
        }
        roles = set[Role]()
        for check in self.effect.checks:
            roles |= (seen := check.looks_at(self.source, set(spaces.values())))
            reasons[f"{type(check).__name__} looks at it"] = seen == set(Role)
        for reason, holds in reasons.items():
            if holds:
                raise NotNativeError(reason)
        return roles

    def _kind(self, case: Case | None) -> int:
        """What it does, as native code knows it."""
        if isinstance(self.entry.effect, (Compute, Atomic)):
            return int(Effect.LOOPS)
        if isinstance(self.entry.effect, Wait):
            return int(Effect.WAIT)
        if isinstance(self.entry.effect, Section):
            return int(Effect.OPEN if self.entry.effect.opens else Effect.CLOSE)
        if self.strided:
            return int(Effect.STRIDED_COPY)
        return int(Effect.LATE_COPY if self._is_late(case) else Effect.COPY)

    def _operand(self, steps: StepWriter, operand: Operand, space: str, case: Case | None) -> NativeOperand:
        memory, name = self.source.execution.map.memories[space], operand.name
        counts = operand.counts() if isinstance(operand, Packed) else [count for count, _ in self._strides(operand)]
        steps.name(f"count_{name}", " * ".join(counts))
        span = steps.name(f"bytes_{name}", f"count_{name} * {operand.element.size}")
        steps.name(operand.end, f"{name} + bytes_{name}")
        if operand in self.strided:
            reach = [f"({count} - 1) * {stride}" for count, stride in self._strides(operand)]
            steps.name(operand.low, " + ".join([name, *(f"min({one}, 0)" for one in reach)]))
            steps.name(operand.end, " + ".join([name, *(f"max({one}, 0)" for one in reach), str(operand.element.size)]))
            span = steps.place(f"{operand.end} - {operand.low}")
        keys = region_key(memory.index, 0, 0), region_key(memory.index + 1, 0, 0)
        return NativeOperand(
            steps.place(operand.low).at, span.at, operand.element.size, operand.reads, operand.writes,
            memory.space.scope == "device", keys, int(self._carried(operand, case)),
            self._dims(operand) != self._dims(self.operands[0]),
        )  # fmt: skip

    def _carried(self, operand: Operand, case: Case | None) -> int:
        """What of its uninitialized bytes goes on to the output, without a look at values."""
        entry = self.entry
        if not passes_on(entry) or operand.name not in carried(entry) or entry.looks_up or self._is_late(case):
            return int(Carry.NOTHING)
        if isinstance(entry.effect, Copy):
            return int(Carry.BYTES)
        return int(Carry.NOTHING if entry.packs_bits or masking(entry) else Carry.ELEMENTS)

    @property
    def strided(self) -> list[Operand]:
        """The operands that are segments at strides."""
        return [operand for operand in self.operands if operand.parameter.kind is Kind.STRIDED]

    def _strides(self, operand: Operand) -> list[tuple[str, str]]:
        """Expressions: count and stride (bytes) of each axis, from the outermost on."""
        packed, found = str(operand.element.size), list[tuple[str, str]]()
        for dim in reversed(operand.parameter.dims):
            count, stride = (f"({self.source.expression(text)})" if text else "" for text in (dim.count, dim.stride))
            found.insert(0, (count, stride or packed))
            packed = f"{packed} * {count}"
        return found

    def _axes(self, steps: StepWriter) -> Iterator[tuple[int, int, int, int, bool]]:
        """The axes of the operands at strides; that of a segment is in bytes."""
        for number, operand in enumerate(self.strided):
            *outer, (count, _) = self._strides(operand)
            if len(outer) >= _Limit.AXES or operand.parameter.dims[-1].stride or operand.element.size != 1:
                raise NotNativeError("its segments are not plain ones")
            for (times, stride), dim in zip(outer, operand.parameter.dims, strict=False):
                steps.require(f"{times} > 0")
                yield _Kind.AXIS, steps.place(times).at, steps.place(stride).at, number, bool(dim.stride)
            steps.require(f"{count} > 0")
            yield _Kind.AXIS, steps.place(count).at, steps.place("1").at, number, False

    def _shape_of(self, spaces: Mapping[str, str]) -> Callable[..., tuple[int, int, list[tuple[Any, ...]]]]:
        """For the recorder: gaps, flags and pieces of a record, by the numbers of the operands at strides."""
        made, takes = list[Callable[..., Any]](), list[slice]()
        for operand in self.strided:
            p, begin = operand.parameter, takes[-1].stop if takes else 0
            takes.append(slice(begin, begin + sum(1 + bool(dim.stride) for dim in p.dims)))
            made.append(self.execution.map.footprints(p, operand.element.dtype, spaces[operand.name]))

        @lru_cache(maxsize=256)
        def shape(*numbers: int) -> tuple[int, int, list[tuple[Any, ...]]]:
            found = [make(*numbers[taken]) for make, taken in zip(made, takes, strict=True)]
            pieces = [(number, *one.runs()) for number, one in enumerate(found) if one.runs()]
            crossed = any(one.crossed for one in found)
            return max(one.gaps for one in found), CROSSED if crossed else 0, pieces

        return shape

    def _loops(self, steps: StepWriter) -> list[Loop]:
        """The loops of its semantics; where a number decides which they are, those for 0."""
        function, target = self.entry.semantics, self.operands[0]
        assert function is not None
        given = {name: self._given(name, steps) for name in self._taken(function)}
        loops = loops_of(function, given, LoopValue(target.element.dtype, operand=target.name))
        in_step, whole = self._in_step(loops), self._dims(target)
        row = self._row(in_step)
        if any(self._dims(operand) not in (whole, row) for operand in in_step) or row != whole[-len(row) :]:
            raise NotNativeError("its operands have different shapes")
        return shared(loops, _Limit.PARTS)

    def _in_step(self, loops: Sequence[Loop]) -> list[Operand]:
        """The operands that loops go through, an element at a time, and not where others say."""
        tables = {loop.inputs[0].operand for loop in loops if loop.kind == LoopKind.LOOK_UP}
        taken = {value.operand for loop in loops for value in loop.inputs[loop.kind == LoopKind.LOOK_UP :]}
        return [operand for operand in self.operands if operand.name not in tables - taken]

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
        if p is None and name.removeprefix("count_") in elements:
            return int
        if p is None or p.kind is not Kind.VALUE:
            raise NotNativeError(f"its semantics takes {name}")
        if p.type in overload.binding or overload.element(p).is_float:
            return int if overload.element(p).dtype.kind in "iu" else float
        steps.require(f"{name} == 0")  # as of most positions; loops of other numbers are others
        return 0

    def _row(self, operands: Iterable[Operand]) -> tuple[str, ...]:
        """The axes that all of these have; along those before them, the shorter ones are repeated."""
        return min((self._dims(operand) for operand in operands), key=len, default=())

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
            at = names[value.number] if value.number in names else steps.place(value.number).at
            return _Kind.NUMBER, at, element, dtype.itemsize, True
        bits = int.from_bytes(value.constant.ljust(8, b"\0"), "little", signed=True)
        return _Kind.CONSTANT, steps.constant(bits).at, element, dtype.itemsize, True


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in set(numbers))
