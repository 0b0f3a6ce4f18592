"""Native ports as the structures of native/runtime/ports.h."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from ....isa import Overload, wires
from ...core.issue import NativeLoop, NativePort, may_repeat, outside_of
from ...core.machine import Machine
from ...native.machine import AARCH64, PROCESSOR
from . import abi

#: What the arguments of a call lie in: whole numbers and doubles in registers, and the words of the stack behind those.
_WHOLES = 7 if PROCESSOR == AARCH64 else 5
_WHOLE, _DOUBLES, _STACK = range(_WHOLES), range(_WHOLES, _WHOLES + 8), _WHOLES + 8


class NativeTable:
    """The native ports of all overloads, as native code takes them by their numbers; at first none."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._known = machine, set[int]()
        self._rows = (abi.NativePorts * len(machine.dialect.overloads))()
        self._kept: list[object] = []  # what the rows point to
        self.address = ctypes.addressof(self._rows)

    def add(self, number: int) -> None:
        """The ports of an overload, by the value of the argument that selects one."""
        if number in self._known:
            return
        self._known.add(number)
        self._add_repeats(number)
        ports = self._machine.native_ports(number)
        native = {value: port for value, port in ports.items() if isinstance(port, NativePort)}
        if not native:
            return
        overload = self._machine.dialect.overloads[number]
        places = argument_places(overload)
        cases = (ctypes.c_void_p * (max(native) + 1))()
        for value, port in native.items():
            cases[value] = ctypes.addressof(self._port(port, places))
        self._kept.append(cases)
        select, row = overload.instruction.select, self._rows[number]
        names = [wire.name for wire in wires(overload)]
        row.selected_by = places[names.index(select.argument)] if select else -1
        row.cases, row.count = ctypes.addressof(cases), len(cases)

    def _add_repeats(self, number: int) -> None:
        """Calls of an overload may be carried out natively when they are made again."""
        machine, row = self._machine, self._rows[number]
        overload = machine.dialect.overloads[number]
        if not machine.dialect.queues or not may_repeat(entry := overload.instruction.on(machine.shape.arch)):
            return
        names = [wire.name for wire in wires(overload)]
        arguments = (ctypes.c_uint8 * len(names))(*argument_places(overload))
        self._kept.append(arguments)
        row.repeats, row.arguments = machine.execution.repeats.table(number), ctypes.addressof(arguments)
        row.argument_count, row.outside = len(names), max(map(names.index, outside_of(entry)), default=-1)

    def spent(self) -> Iterator[tuple[str, float, int]]:
        """Name, seconds and number of the instructions that were carried out since the last call."""
        for number in self._known:
            row = self._rows[number]
            if row.times:
                yield self._machine.dialect.overloads[number].name, row.nanoseconds / 1e9, row.times
                row.times = row.nanoseconds = 0

    def _port(self, port: NativePort, places: Sequence[int]) -> abi.NativePortRow:
        arguments, numbers = _array(ctypes.c_uint8, places), _array(ctypes.c_int64, port.numbers)
        steps = _array(abi.NativeStep, [abi.NativeStep(*step) for step in port.steps])
        values = _array(abi.NativeValue, [abi.NativeValue(*value) for value in port.values])
        loops = _array(abi.NativeLoopRow, [_loop(loop) for loop in port.loops])
        made = abi.NativePortRow(
            op=port.op, pipe=port.pipe, flags=port.flags, argument_count=len(places), step_count=len(port.steps),
            operand_count=len(port.operands), value_count=len(port.values), loop_count=len(port.loops), work=port.work,
            elements=port.elements, rows=port.rows, effect=port.effect, skipped_by=port.skipped_by,
            python_for=port.python_for, waits=port.waits, values=ctypes.addressof(values),
            loops=ctypes.addressof(loops),
            arguments=ctypes.addressof(arguments), steps=ctypes.addressof(steps), numbers=ctypes.addressof(numbers),
        )  # fmt: skip
        for at, one in enumerate(port.operands):
            made.operands[at] = abi.NativeOperand(
                *one.keys, one.address, one.bytes, one.size, one.reads, one.writes, one.shared, one.carried,
                one.repeated,
            )  # fmt: skip
        self._kept += [arguments, numbers, steps, values, loops, made]
        return made


def _array(kind: Any, elements: Sequence[Any]) -> ctypes.Array[Any]:
    """Elements as an array of C; of none, an array of one, since it needs an address."""
    made: ctypes.Array[Any] = (kind * max(len(elements), 1))(*elements)
    return made


def _loop(loop: NativeLoop) -> abi.NativeLoopRow:
    inputs = type(abi.NativeLoopRow().inputs)(*loop.inputs)
    return abi.NativeLoopRow(loop.function, loop.data, loop.kind, len(loop.inputs), inputs, loop.output)


def argument_places(overload: Overload) -> list[int]:
    """Where each number of a call lies: they fill registers of their kind, then the stack, in order."""
    whole, doubles, stack = iter(_WHOLE), iter(_DOUBLES), count(_STACK)
    found = (next(doubles if wire.is_float else whole, None) for wire in wires(overload))
    return [next(stack) if place is None else place for place in found]
