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
from typing import Any

from ...isa import Kind, Overload, Parameter, flatten
from ..execution import Task
from ..findings import not_modelled
from ..machine import Machine, ScalarUnit
from .lines import Lines
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
        if name.startswith(("task", "cluster", "core")) and hasattr(self._task, name):
            return getattr(self._task, name)
        if name in self._callers:
            return self._callers[name]
        dialect = self._machine.dialect
        if name in dialect.values:
            return dialect.values[name]
        if name in dialect.queries:
            return lambda: getattr(self._task, dialect.queries[name])
        if name in self._machine.map.memories:
            return lambda type, count=1: self._local(name, type, count, sys._getframe(1))
        if name not in dialect.by_name:
            if name in dialect.known:
                return lambda *arguments: self._not_modelled(name, sys._getframe(1))
            near = dialect.nearest(name)
            hint = f"; the nearest are {', '.join(near)}" if near else ""
            raise AttributeError(f"{dialect.title} has no instruction {name!r}{hint}")
        self._callers[name] = self._caller(name)
        return self._callers[name]

    def _caller(self, name: str) -> Callable[..., Any]:
        numbers = self._machine.dialect.by_name[name]
        chosen: dict[tuple[Any, ...], Any] = {}
        machine, lines, scalar = self._machine, self._lines, self._scalar

        def call(*arguments: Any) -> Any:
            frame = sys._getframe(1)
            types = tuple(a.type.name if isinstance(a, Pointer) else None for a in arguments)
            found = chosen.get(types)
            if found is None:
                number = self._choose(name, numbers, types)
                parameters = machine.dialect.overloads[number].parameters
                structured = any(p.kind in (Kind.STRUCT, Kind.VARIABLE) for p in parameters)
                found = chosen[types] = machine.port(number), parameters if structured else ()
            port, structured_parameters = found
            if scalar.runs:
                scalar.drain()
            values: Iterable[Any] = (a.address if isinstance(a, Pointer) else a for a in arguments)
            if structured_parameters:
                values = [n for p, v in zip(structured_parameters, values, strict=True) for n in flatten(p, v)]
            result = port(lines.number(frame), *values)
            if machine.collector.ended:
                raise Stop
            return result

        return call

    def _choose(self, name: str, numbers: list[int], types: tuple[str | None, ...]) -> int:
        for number in numbers:
            overload = self._machine.dialect.overloads[number]
            if len(types) == len(overload.parameters) and all(
                self._takes_offsets(overload, p)
                or (
                    (given is not None) == p.is_memory
                    and (not p.is_memory or overload.instruction.type_arguments or _fits(overload, p, given))
                )
                for p, given in zip(overload.parameters, types, strict=True)
            ):
                return number
        given = ", ".join(f"{t}*" if t else "number" for t in types)
        shown = "; ".join(
            ", ".join(f"{overload.element(p).name}* {p.name}" if p.is_memory else p.name for p in overload.parameters)
            for overload in (self._machine.dialect.overloads[n] for n in numbers[:6])
        )
        raise TypeError(f"{name}({given}) matches no form of the instruction; the forms are: {shown}")

    def _takes_offsets(self, overload: Overload, p: Parameter) -> bool:
        """Whether an operand's address is a plain number of the core's own memory."""
        space = self._machine.dialect.spaces.get(overload.instruction.space_of(p)) if p.is_memory else None
        return space is not None and space.offsets

    def _local(self, space: str, type: Any, count: int, frame: Any) -> Pointer:
        kind, pc = element_type(type), self._lines.number(frame)
        machine = self._machine
        memory = machine.map.memories[space]
        facts = machine.dialect.spaces[space]
        if facts.registers:  # all of it is the core's own already; registers are handed out one after the other
            block, size = next(memory.allocations(self._task.core)), machine.dialect.register_bytes
            block.fill_poison(block.start, block.end)
            first = self._registers
            self._registers += -(-int(count) * kind.size // size)
            return Pointer(self, block.start + first * size, kind)
        if facts.whole:
            raise TypeError(f"{space} memory is not allocated: pass addresses in it as plain numbers, as C kernels do")
        if memory.space.scope == "cluster":
            self._shared += 1
            entry, _ = machine.shared(space, int(count) * kind.size, f"{space} variable", self._shared, pc)
            return Pointer(self, entry.start, kind)
        return Pointer(self, machine.local(space, int(count) * kind.size, f"{space} variable", pc).start, kind)

    def _not_modelled(self, name: str, frame: Any) -> None:
        self._machine.collector.report(not_modelled(name, self._machine.dialect), self._lines.number(frame))

    def load(self, pointer: Pointer, frame: Any) -> Any:
        """One scalar load."""
        self._scalar.access(pointer.address, pointer.type.size, False, self._lines.number(frame))
        return self._scalar.view(pointer.address, pointer.type.dtype)[0]

    def store(self, pointer: Pointer, value: Any, frame: Any) -> None:
        """One scalar store."""
        self._scalar.access(pointer.address, pointer.type.size, True, self._lines.number(frame))
        self._scalar.view(pointer.address, pointer.type.dtype)[0] = value


def _fits(overload: Overload, parameter: Parameter, given: str | None) -> bool:
    element = overload.element(parameter).name
    return element == "void" or given in (element, overload.binding.get(parameter.passed))
