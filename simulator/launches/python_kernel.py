"""Launches of kernels written in Python; see `context` for what such a kernel may call."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Unpack

import numpy as np

from ..core.execution import Launch
from ..core.memory.global_memory import DeviceArray
from ..engines.engine import OnProgress, Outcome
from ..engines.python.lines import Lines
from ..engines.python.pointer import element_type
from ..engines.python.runner import Address, PythonRunner
from ..text import quoted
from .arguments import argument_list
from .copies import ArrayCopies
from .device import Device
from .extent import task_extent
from .launching import Named, carry_out
from .options import LaunchOptions
from .repeats import Repeating, repeats_of
from .run import Run


def launch(
    kernel: Callable[..., object],
    dim: tuple[int, int, int] | None = None,
    type: str | None = None,
    args: Sequence[Any] = (),
    *,
    device: Device,
    on_finding: str = "raise",
    progress: OnProgress | None = None,
    expect: Mapping[str | int, Any] | None = None,
    tolerance: float | None = None,
    **repeats: Unpack[Repeating],
) -> Run:
    """Run a Python kernel: ``kernel(context, *args)`` once for every task.

    ndarrays are copied to the device and back, and reach the kernel as pointers, as device arrays do; everything
    else is passed as it is. It runs in this process, so a debugger can step it. The rest is as in `Program.launch`.
    """
    options = LaunchOptions(on_finding, None, False, progress, repeats_of(repeats), expect, tolerance)
    extent = task_extent(device, dim, type)
    return carry_out(device, PythonKernel(kernel, device, type is not None), argument_list(args), extent, options)


class PythonKernel:
    """A function of a context and its arguments; TypeError for what cannot be called."""

    unbuilt = "a kernel in Python is not built"

    def __init__(self, function: Callable[..., object], device: Device, kind_given: bool) -> None:
        """``kind_given``: the caller has chosen the kind of the launch."""
        if not callable(function):
            raise TypeError(f"kernel is {quoted(function)}; pass a function of a context and its arguments")
        name = getattr(function, "__name__", None) or getattr(getattr(function, "func", None), "__name__", None)
        #: What findings and logs call it: its name, or that of what a partial or an object calls.
        self.name = name if isinstance(name, str) else builtins.type(function).__name__
        self._function, self._device, self._kind_given = function, device, kind_given

    def parameters(self) -> Sequence[Named]:
        """Their names; nothing says of an array that the kernel must write it."""
        try:
            return [Named(name) for name in list(inspect.signature(self._function).parameters)[1:]]
        except (TypeError, ValueError):
            return []

    def arrays(self, values: Sequence[Any]) -> list[tuple[str, np.ndarray]]:
        """The arguments that are arrays of the host."""
        return [(str(number), value) for number, value in enumerate(values) if isinstance(value, np.ndarray)]

    def poisoned(self) -> None:
        """Nothing of it is built."""

    def sizes(self) -> frozenset[int]:
        """None: constants of Python are not looked for."""
        return frozenset()

    def may_leave(self, member: str) -> bool:
        """Nothing says so of a function."""
        del member
        return False

    def lacks(self, word: str) -> bool:
        """Functions of Python are not looked into."""
        del word
        return False

    def suspicious(self) -> tuple[()]:
        """Nothing, for the same reason."""
        return ()

    def references(self, values: Sequence[Any]) -> tuple[()]:
        """None: nothing says which functions of Python take the same arguments."""
        return ()

    def in_tiles(self) -> tuple[()]:
        """None: its tiles are unknown."""
        return ()

    @contextmanager
    def ready(
        self, values: Sequence[Any], copies: ArrayCopies, options: LaunchOptions
    ) -> Iterator[Callable[[Launch], Outcome]]:
        """The machine of this process; whatever the kernel was given cannot be used afterwards."""
        with Lines() as lines:
            placed = [_placed(value, copies) for value in values]
            engine = PythonRunner(self._device.machine, self._function, placed, lines)
            yield lambda launch: engine.run(launch._replace(kind_given=self._kind_given), options.progress)


def _placed(value: Any, copies: ArrayCopies) -> Any:
    """An argument as the kernel gets it; arrays by their addresses."""
    if isinstance(value, DeviceArray):
        return Address((value.address, element_type(value.dtype)))
    if isinstance(value, np.ndarray):
        return Address((copies.address(value), element_type(value.dtype)))
    return value
