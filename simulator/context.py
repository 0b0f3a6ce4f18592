"""Kernels in Python: the same instructions on a context object, through the same door.

    def add(mlu, x, y, out, n):
        a, b = mlu.nram("float", n), mlu.nram("float", n)
        mlu.__memcpy(a, x, 4 * n, mlu.GDRAM2NRAM)
        ...

Vendor names are attributes as they are; built-in variables (`taskId`, ...) are attributes too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..isa import TYPES, Dialect, ElementType, Overload
from ..isa.prototype import VECTOR_REGISTER_BYTES
from .finding import Finding
from .machine import Machine
from .scalar import ScalarUnit
from .tasks import Task


class Stop(BaseException):
    """Unwinds a Python kernel after a finding has ended its launch."""


class Pointer:
    """A typed address: ``p + n`` and ``p[i]`` count elements, as in C; `cast` changes the type."""

    __slots__ = ("_context", "address", "type")

    def __init__(self, context: Context, address: int, type: ElementType) -> None:
        self._context, self.address, self.type = context, address, type

    def __add__(self, elements: int) -> Pointer:
        return Pointer(self._context, self.address + elements * self.type.size, self.type)

    def __sub__(self, elements: int) -> Pointer:
        return self + -elements

    def cast(self, type: str) -> Pointer:
        """The same address with another element type, such as ``"int32"``."""
        return Pointer(self._context, self.address, element_type(type))

    def __getitem__(self, index: int) -> Any:
        return self._context.load(self + index, sys._getframe(1))

    def __setitem__(self, index: int, value: Any) -> None:
        self._context.store(self + index, value, sys._getframe(1))

    def __repr__(self) -> str:
        return f"<{self.type.name}* {self.address:#x}>"


def element_type(name: Any) -> ElementType:
    """An element type by its name or NumPy dtype; TypeError lists the names."""
    if isinstance(name, str) and name in TYPES:
        return TYPES[name]
    try:
        dtype = np.dtype(name)
    except TypeError:
        dtype = None
    for entry in TYPES.values():
        if entry.dtype == dtype and entry.name != "void":
            return entry
    raise TypeError(f"{name!r} is no element type; the types are {', '.join(t for t in TYPES if t != 'void')}")


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

        def call(*arguments: Any) -> int:
            frame = sys._getframe(1)
            types = tuple(a.type.name if isinstance(a, Pointer) else None for a in arguments)
            door = chosen.get(types)
            if door is None:
                door = chosen[types] = machine.door(self._choose(name, numbers, types))
            if scalar.runs:
                scalar.drain()
            result = door(lines.number(frame), *(a.address if isinstance(a, Pointer) else a for a in arguments))
            if machine.ledger.ended:
                raise Stop
            return result

        return call

    def _choose(self, name: str, numbers: list[int], types: tuple[str | None, ...]) -> int:
        for number in numbers:
            overload = self._machine.dialect.overloads[number]
            if len(types) == len(overload.parameters) and all(
                (given is not None) == p.is_memory
                and (not p.is_memory or overload.instruction.type_argument or _fits(overload, p, given))
                for p, given in zip(overload.parameters, types, strict=True)
            ):
                return number
        given = ", ".join(f"{t}*" if t else "number" for t in types)
        shown = "; ".join(
            ", ".join(
                f"{overload.element(p).name}*{' ' + p.name}" if p.is_memory else p.name for p in overload.parameters
            )
            for overload in (self._machine.dialect.overloads[n] for n in numbers[:6])
        )
        raise TypeError(f"{name}({given}) matches no form of the instruction; the forms are: {shown}")

    def _local(self, space: str, type: Any, count: int, frame: Any) -> Pointer:
        kind, pc = element_type(type), self._lines.number(frame)
        machine = self._machine
        memory = machine.map.memories[space]
        if space == "vreg":  # all of it is the core's own already; registers are handed out one after the other
            block = next(memory.allocations(self._task.core))
            block.settle()
            first = self._registers
            self._registers += -(-int(count) * kind.size // VECTOR_REGISTER_BYTES)
            return Pointer(self, block.start + first * VECTOR_REGISTER_BYTES, kind)
        if memory.space.scope == "cluster":
            self._shared += 1
            return Pointer(self, machine.shared(space, int(count) * kind.size, self._shared, pc).start, kind)
        return Pointer(self, machine.local(space, int(count) * kind.size, f"{space} variable", pc).start, kind)

    def _not_modelled(self, name: str, frame: Any) -> None:
        self._machine.ledger.report(not_modelled(name, self._machine.dialect), self._lines.number(frame))

    def load(self, pointer: Pointer, frame: Any) -> Any:
        """One scalar load."""
        self._scalar.access(pointer.address, pointer.type.size, False, self._lines.number(frame))
        return self._scalar.view(pointer.address, pointer.type.dtype)[0]

    def store(self, pointer: Pointer, value: Any, frame: Any) -> None:
        """One scalar store."""
        self._scalar.access(pointer.address, pointer.type.size, True, self._lines.number(frame))
        self._scalar.view(pointer.address, pointer.type.dtype)[0] = value


def _fits(overload: Overload, parameter: Any, given: str | None) -> bool:
    element = overload.element(parameter).name
    return element == "void" or element == given


def not_modelled(name: str, dialect: Dialect) -> Finding:
    """The finding for an instruction that is known and not modelled."""
    near = [other for other in dialect.nearest(name, 12) if other not in dialect.known][:3]
    hint = f"the nearest that are: {', '.join(near)}" if near else "see `mlusim isa` for what is"
    return Finding("not-modelled", f"{name} is known and not modelled yet", instruction=name, suggestion=hint)


class Lines:
    """Gives source lines of Python kernels the (negative) program counters under which the log knows them."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, int], int] = {}
        self._places: list[tuple[str, int]] = []

    def number(self, frame: Any) -> int:
        """The program counter of the line that a frame is at."""
        key = (frame.f_code, frame.f_lineno)
        found = self._numbers.get(key)
        if found is None:
            self._places.append((frame.f_code.co_filename, frame.f_lineno))
            found = self._numbers[key] = -len(self._places)
        return found

    def place(self, number: int) -> tuple[str, int]:
        """File and line of a program counter."""
        return self._places[-number - 1] if number < 0 else ("", 0)
