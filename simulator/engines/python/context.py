"""Kernels in Python: the same instructions on a context object, through the same issue port.

    def add(mlu, x, y, out, n):
        a, b = mlu.nram("float", n), mlu.nram("float", n)
        mlu.__memcpy(a, x, 4 * n, mlu.GDRAM2NRAM)
        ...

Vendor names are attributes as they are; built-in variables (`taskId`, ...) are attributes too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from ....isa import Kind, Overload, Parameter
from ...core.execution import BuiltIns, Task
from ...core.machine import Machine, ScalarUnit
from ...findings import rules
from ...text import quoted
from .lines import Lines
from .numbers import as_number, whole
from .operands import check_numbers, plain_numbers
from .pointer import Pointer, element_type


class Stop(BaseException):
    """Unwinds a Python kernel after a finding has ended its launch."""


class Context:
    """One task's view of the machine."""

    def __init__(self, machine: Machine, task: Task, scalar: ScalarUnit, lines: Lines) -> None:
        self._machine, self._task, self._scalar, self._lines = machine, task, scalar, lines
        self._registers = self._shared = 0
        self._callers: dict[str, Callable[..., Any]] = {}

    def __getattr__(self, name: str) -> Any:
        if name in BuiltIns._fields:
            return getattr(self._task.sees, name)
        if name in self._callers:
            return self._callers[name]
        dialect = self._machine.dialect
        if name in dialect.values:
            return dialect.values[name]
        if name in dialect.queries:
            return partial(self._query, dialect.queries[name])
        if name in self._machine.map.memories:
            return lambda type, count=1: self._local(name, type, count, sys._getframe(1))
        if name not in dialect.by_name:
            if name in dialect.known:
                return lambda *arguments: self._not_modelled(name, sys._getframe(1))
            if name in dialect.computed:
                what = dialect.computed[name]
                raise AttributeError(f"{name} ({what}) is C of the header, no instruction; compute it in Python")
            near = dialect.nearest(name)
            hint = f"; the nearest are {', '.join(near)}" if near else ""
            raise AttributeError(f"{dialect.title} has no instruction {name!r}{hint}")
        self._callers[name] = self._caller(name)
        return self._callers[name]

    def _query(self, variable: str) -> int:
        """What an instruction that asks for a built-in variable, or for whether a section is open, gives."""
        return self._task.section if variable == "section" else int(getattr(self._task.sees, variable))

    def _caller(self, name: str) -> Callable[..., Any]:
        numbers = self._machine.dialect.by_name[name]
        chosen: dict[tuple[Any, ...], Any] = {}
        machine, lines, scalar = self._machine, self._lines, self._scalar

        def call(*arguments: Any) -> Any:
            frame = sys._getframe(1)
            types = tuple([a.type.name if isinstance(a, Pointer) else a.__class__ for a in arguments])
            found = chosen.get(types)
            if found is None:
                number = self._choose(name, numbers, types)
                overload = machine.dialect.overloads[number]
                structured = any(p.kind in (Kind.STRUCT, Kind.VARIABLE) for p in overload.parameters)
                if structured or not all(isinstance(t, str) or t is int for t in types):
                    check_numbers(name, overload, arguments)
                plain = all(isinstance(t, str) or t in (int, float) for t in types)
                found = chosen[types] = machine.port(number), overload if structured or not plain else None
            port, mixed = found
            if scalar.runs:
                scalar.drain()
            values: Iterable[Any] = [a.address if isinstance(a, Pointer) else a for a in arguments]
            if mixed:
                values = plain_numbers(name, mixed, values)
            result = port(lines.number(frame), *values)
            if machine.collector.ended:
                raise Stop
            return result

        return call

    def _choose(self, name: str, numbers: list[int], given: tuple[str | type, ...]) -> int:
        types = [kind if isinstance(kind, str) else None for kind in given]
        for number in numbers:
            overload = self._machine.dialect.overloads[number]
            if len(types) == len(overload.parameters) and all(
                self._takes_offsets(overload, p)
                or (p.kind is Kind.SYSTEM and given is None)  # an address, of the second level say
                or (
                    (given is not None) == p.is_memory
                    and (not p.is_memory or overload.instruction.type_arguments or _fits(overload, p, given))
                )
                for p, given in zip(overload.parameters, types, strict=True)
            ):
                return number
        listed = ", ".join(map(_shown, given))
        shown = "; ".join(
            ", ".join(f"{overload.element(p).name}* {p.name}" if p.is_memory else p.name for p in overload.parameters)
            for overload in (self._machine.dialect.overloads[n] for n in numbers[:6])
        )
        raise TypeError(f"{name}({listed}) matches no form of the instruction; the forms are: {shown}")

    def _takes_offsets(self, overload: Overload, p: Parameter) -> bool:
        """Whether an operand's address is a plain number of the core's own memory."""
        space = self._machine.dialect.spaces.get(overload.instruction.space_of(p)) if p.is_memory else None
        return space is not None and space.offsets

    def _local(self, space: str, type: Any, count: int, frame: Any) -> Pointer:
        kind, pc = element_type(type), self._lines.number(frame)
        count = whole(f"{space}: count", count)
        if not 0 <= count * kind.size < 1 << 63:
            raise ValueError(f"{space}: count is {quoted(count)}; pass how many elements to allocate")
        machine = self._machine
        memory = machine.map.memories[space]
        facts = machine.dialect.spaces[space]
        if facts.registers:  # all of it is the core's own already; registers are handed out one after the other
            block, size = next(memory.allocations(self._task.core)), machine.dialect.register_bytes
            block.fill_poison(block.start, block.end)
            first = self._registers
            self._registers += -(-count * kind.size // size)
            return Pointer(self, block.start + first * size, kind)
        if facts.whole:
            raise TypeError(f"{space} memory is not allocated: pass addresses in it as plain numbers, as C kernels do")
        if memory.space.scope == "cluster":
            self._shared += 1
            entry, _ = machine.shared(space, count * kind.size, f"{space} variable", self._shared, pc)
            return Pointer(self, entry.start, kind)
        return Pointer(self, machine.local(space, count * kind.size, f"{space} variable", pc).start, kind)

    def _not_modelled(self, name: str, frame: Any) -> None:
        found = rules.not_modelled.executed(name, self._machine.dialect)
        self._machine.collector.report(found, self._lines.number(frame))

    def load(self, pointer: Pointer, frame: Any) -> Any:
        """One scalar load."""
        self._scalar.access(pointer.address, pointer.type.size, False, self._lines.number(frame))
        return self._scalar.view(pointer.address, pointer.type.dtype)[0]

    def store(self, pointer: Pointer, value: Any, frame: Any) -> None:
        """One scalar store; TypeError for what is no real number."""
        if value.__class__ not in (int, float) and as_number(value) is None:
            raise TypeError(f"{quoted(value)} cannot be stored; pass a number")
        self._scalar.access(pointer.address, pointer.type.size, True, self._lines.number(frame))
        if not self._scalar.mutes(pointer.address):
            self._scalar.view(pointer.address, pointer.type.dtype)[0] = value


def _fits(overload: Overload, parameter: Parameter, given: str | None) -> bool:
    element = overload.element(parameter).name
    return element == "void" or given in (element, overload.binding.get(parameter.passed))


def _shown(given: str | type) -> str:
    if isinstance(given, str):
        return f"{given}*"
    return "number" if issubclass(given, (int, float, np.number)) else given.__name__
