"""Runs kernels written in Python on a machine of this process."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ....isa import ElementType
from ...core.execution import Launch, Task
from ...core.machine import Machine, ScalarUnit
from ...log import Location
from ..engine import OnProgress, Outcome
from .context import Context, Stop
from .lines import Lines
from .pointer import Pointer


class Address(tuple[int, ElementType]):
    """An address with its element type, to become a pointer of each task's context."""


class PythonRunner:
    """Executes one kernel, ``function(context, *values)``, once for every task of a launch."""

    def __init__(self, machine: Machine, function: Callable[..., object], values: Sequence[Any], lines: Lines) -> None:
        self._machine, self._function, self._values, self._lines = machine, function, values, lines

    def run(self, launch: Launch, progress: OnProgress | None = None) -> Outcome:
        """Carry out a launch; TypeError for a function whose call runs nothing."""
        machine, lines, scalar = self._machine, self._lines, ScalarUnit(self._machine)

        def entry(task: Task) -> None:
            context = Context(machine, task, scalar, lines)
            values = (Pointer(context, *value) if isinstance(value, Address) else value for value in self._values)
            try:
                _ran(launch.kernel, self._function(context, *values))
                scalar.drain()
            except Stop:
                scalar.forget()

        return machine.run(
            launch, entry, progress=progress,
            locate=lambda counters: [Location(*lines.place(counter)) for counter in counters],
        )  # fmt: skip


def _ran(name: str, result: object) -> None:
    """TypeError where calling the kernel has run nothing of it."""
    if result is None:  # nearly always
        return
    if inspect.isgenerator(result) or inspect.iscoroutine(result) or inspect.isasyncgen(result):
        if not inspect.isasyncgen(result):
            result.close()
        raise TypeError(
            f"{name} is a generator or a coroutine: a call of it runs nothing; write it without yield, async and await"
        )
