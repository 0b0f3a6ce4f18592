"""Launches of kernels written in Python; see `context` for what such a kernel may call."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..checks.after_run import Given
from ..checks.results import Expectations
from ..core.execution import Task
from ..core.machine import ScalarUnit
from ..core.memory import Memory
from ..core.memory.global_memory import DeviceArray
from ..engines.python.context import Context, Stop
from ..engines.python.lines import Lines
from ..engines.python.pointer import Pointer, element_type
from ..findings import Finding
from ..log import Location, Log
from ..text import quoted
from .copies import ArrayCopies
from .defaults import (
    argument_list,
    check_on_finding,
    check_progress,
    compared,
    examined,
    finished,
    in_this_process,
    launch_shape,
)
from .device import Device
from .orders import check_orders, in_orders
from .run import Run

PythonKernel = Callable[..., object]


def launch(
    kernel: PythonKernel,
    dim: tuple[int, int, int] | None = None,
    type: str | None = None,
    args: Sequence[Any] = (),
    *,
    device: Device,
    on_finding: str = "raise",
    progress: Callable[[int, int], None] | None = None,
    orders: int = 0,
    expect: Mapping[str | int, Any] | None = None,
    tolerance: float | None = None,
) -> Run:
    """Run a Python kernel: ``kernel(context, *args)`` once for every task.

    ndarrays are copied to the device and back, and reach the kernel as pointers, as device arrays do; everything
    else is passed as it is. It runs in this process, so a debugger can step it. The rest is as in `Program.launch`.
    """
    check_on_finding(on_finding)
    check_progress(progress)
    check_orders(orders)
    expected = Expectations(expect, tolerance)
    tried = type is None
    dim, kind = launch_shape(device, dim, type)
    name, args = _name(kernel), argument_list(args)

    def run() -> Run:
        arrays = [(str(number), value) for number, value in enumerate(args) if isinstance(value, np.ndarray)]
        with ArrayCopies(device.memory, name, arrays) as copies, Lines() as lines:
            machine = device.machine
            scalar = ScalarUnit(machine)
            values = [_value(value, copies) for value in args]

            def entry(task: Task) -> None:
                context = Context(machine, task, scalar, lines)
                pointers = (Pointer(context, *v) if isinstance(v, _Address) else v for v in values)
                try:
                    _ran(name, kernel(context, *pointers))
                    scalar.drain()
                except Stop:
                    scalar.forget()

            given = partial(_given, kernel, args, copies, device.memory.memory)
            expected.matched(given())

            def execute(order: int) -> tuple[Log, list[Finding]]:
                log, findings = machine.run(
                    name, entry, dim, kind, tried=tried, on_finding=on_finding, progress=in_this_process(progress),
                    order=order, locate=lambda counters: [Location(*lines.place(counter)) for counter in counters],
                )  # fmt: skip
                return log, examined(device, log, findings, on_finding, given, copies)

            log, findings = in_orders(execute, device.memory, given(), orders)
            findings = compared(log, findings, on_finding, given, expected)
            made = finished(device, log, findings, on_finding)
            copies.copy_back()
            return made

    return device.in_turn(run)


def _given(kernel: PythonKernel, args: Sequence[Any], copies: ArrayCopies, memory: Memory) -> Iterator[Given]:
    """The arrays of a launch; nothing says of one that the kernel must write it."""
    try:
        names = list(inspect.signature(kernel).parameters)[1:]
    except (TypeError, ValueError):
        names = []
    for number, value in enumerate(args):
        name, title = names[number] if number < len(names) else f"argument {number}", str(number)
        if isinstance(value, DeviceArray):
            yield Given(name, title, memory.key(value.address), value.shape, value.dtype, True, False, value.numpy)
        elif isinstance(value, np.ndarray):
            key, output = memory.key(copies.address(value)), bool(value.flags.writeable)
            yield Given(name, title, key, value.shape, value.dtype, output, False, partial(copies.contents, value))


class _Address(tuple[int, Any]):
    """An address with its element type, to become a pointer of each task's context."""


def _value(value: Any, copies: ArrayCopies) -> Any:
    if isinstance(value, DeviceArray):
        return _Address((value.address, element_type(value.dtype)))
    if isinstance(value, np.ndarray):
        return _Address((copies.address(value), element_type(value.dtype)))
    return value


def _name(kernel: Any) -> str:
    """What findings and logs call a kernel: its name, or that of what a partial or an object calls."""
    if not callable(kernel):
        raise TypeError(f"kernel is {quoted(kernel)}; pass a function of a context and its arguments")
    name = getattr(kernel, "__name__", None) or getattr(getattr(kernel, "func", None), "__name__", None)
    return name if isinstance(name, str) else builtins.type(kernel).__name__


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
