"""Launches of kernels written in Python; see `context` for what such a kernel may call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..device import Device
from ..execution import Task
from ..launches.copies import ArrayCopies
from ..launches.defaults import check_on_finding, in_this_process, launch_shape, raise_on_error
from ..launches.run import Run
from ..log import Location
from ..machine import ScalarUnit
from ..memory.global_memory import DeviceArray
from .context import Context, Stop
from .lines import Lines
from .pointer import Pointer, element_type

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
    check_on_finding(on_finding)
    dim, type = launch_shape(device, dim, type)

    def run() -> Run:
        with ArrayCopies(device.memory, kernel.__name__, args) as copies, Lines() as lines:
            machine = device.machine
            scalar = ScalarUnit(machine)
            values = [_value(value, copies) for value in args]

            def entry(task: Task) -> None:
                context = Context(machine, task, scalar, lines)
                try:
                    kernel(context, *(Pointer(context, *v) if isinstance(v, _Address) else v for v in values))
                    scalar.drain()
                except Stop:
                    scalar.forget()

            log, findings = machine.run(
                kernel.__name__, entry, dim, type, on_finding=on_finding, progress=in_this_process(progress),
                locate=lambda counters: [Location(*lines.place(counter)) for counter in counters],
            )  # fmt: skip
            made = raise_on_error(Run(findings, log, device.rates), on_finding)
            copies.copy_back()
            return made

    return device.in_turn(run)


class _Address(tuple[int, Any]):
    """An address with its element type, to become a pointer of each task's context."""


def _value(value: Any, copies: ArrayCopies) -> Any:
    if isinstance(value, DeviceArray):
        return _Address((value.address, element_type(value.dtype)))
    if isinstance(value, np.ndarray):
        return _Address((copies.address(value), element_type(value.dtype)))
    return value
