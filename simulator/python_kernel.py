"""Launches of kernels written in Python; see `context` for what such a kernel may call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .context import Context, Lines, Pointer, Stop, element_type
from .device import Device
from .global_memory import DeviceArray
from .log import Location
from .memory import Allocation
from .program import launch_defaults, raise_on_error
from .run import Run
from .scalar import ScalarUnit
from .tasks import Task, check_launch

PythonKernel = Callable[..., None]


def launch(
    kernel: PythonKernel,
    dim: tuple[int, int, int] | None = None,
    type: str | None = None,
    args: Sequence[Any] = (),
    *,
    device: Device,
    on_finding: str = "raise",
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Run a Python kernel: ``kernel(context, *args)`` once for every task.

    ndarrays are copied to the device and back, and reach the kernel as pointers, as device arrays do; everything
    else is passed as it is. It runs in this process, so a debugger can step it. The rest is as in `Program.launch`.
    """
    if on_finding not in ("raise", "collect"):
        raise ValueError(f"on_finding is {on_finding!r}; pass 'raise' or 'collect'")
    dim, type = launch_defaults(device, dim, type)
    check_launch(device.shape, dim, type)
    memory, machine = device.memory, device.machine
    lines, scalar = Lines(), ScalarUnit(machine)
    copies: list[tuple[Allocation, np.ndarray]] = []
    try:
        values = [_value(value, memory, copies) for value in args]

        def entry(task: Task) -> None:
            context = Context(machine, task, scalar, lines)
            try:
                kernel(context, *(Pointer(context, *v) if isinstance(v, _Address) else v for v in values))
                scalar.drain()
            except Stop:
                scalar.forget()

        log, findings = machine.run(
            kernel.__name__, entry, dim, type, on_finding=on_finding, progress=progress,
            locate=lambda counters: [Location(*lines.place(counter)) for counter in counters],
        )  # fmt: skip
        for allocation, array in copies:
            if array.flags.writeable:
                memory.get(allocation, array)
    finally:
        for allocation, _ in copies:
            memory.give(allocation)
    return raise_on_error(Run(findings, log, device.rates), on_finding)


class _Address(tuple[int, Any]):
    """An address with its element type, to become a pointer of each task's context."""


def _value(value: Any, memory: Any, copies: list[tuple[Allocation, np.ndarray]]) -> Any:
    if isinstance(value, DeviceArray):
        return _Address((value.address, element_type(value.dtype)))
    if isinstance(value, np.ndarray):
        copies.append((memory.put(value, f"argument {len(copies)}"), value))
        return _Address((copies[-1][0].start, element_type(value.dtype)))
    return value
