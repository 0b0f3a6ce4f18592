"""What native code asks about queues: effects that wait, the section in which queues run side by side, broken rules."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial

from ...core.execution import Extent
from ...core.machine import Machine
from . import abi

_u64 = ctypes.c_uint64


class QueueAnswers:
    """Keeps for the running task what native code has left to be done."""

    def __init__(self, machine: Machine, runtime: ctypes.CDLL) -> None:
        self._machine, self._runtime = machine, runtime
        self._deferrals, self._repeats = machine.execution.deferrals, machine.execution.repeats

    def defer(self, effects: int, count: int) -> None:
        """Native code was left while effects of the running task wait."""
        for late in (abi.Late * count).from_address(effects):
            target, source, size = late.target, late.source, late.bytes
            extents: tuple[Extent, ...] = (target, target + size, True, -1), (source, source + size, False, -1)
            effect: Callable[[], object] = partial(ctypes.memmove, target, source, size)
            if late.repeat:
                extents = self._repeats[late.repeat].extents(source)
                effect = partial(self._carry_out, _u64(late.repeat), _u64(source))
            self._deferrals.defer(self._machine.recorder.pipe_name(late.pipe), effect, extents)

    def _carry_out(self, repeat: ctypes.c_uint64, address: ctypes.c_uint64) -> None:
        """The effect of a call that was made again; the function of native code returns nothing of meaning."""
        self._runtime.mlusim_repeat_effect(repeat, address)

    def turn(self) -> None:
        """What comes next comes after the commands that wait here."""
        self._deferrals.drain(self._machine.dialect.queues)

    def move_section(self, opens: int, op: int, pc: int) -> None:
        """The section was opened or closed."""
        task = self._machine.current.running
        task.section, task.moved_section = bool(opens), (self._machine.recorder.op_name(op), pc)

    def report(self, repeats: int, count: int) -> None:
        """Calls that were made again have broken rules again."""
        for address in (_u64 * count).from_address(repeats):
            self._repeats[address].report()
