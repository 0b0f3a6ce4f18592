"""What a device has in one process: its memory, the machine of its Python kernels, whose turn it is to launch."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from ..checks.at_issue.checking import Checking
from ..chip import Shape
from ..core.memory import Turn

if TYPE_CHECKING:  # kernels in C run in another process, which has a machine of its own
    from ..core.machine import Machine
    from ..core.memory.global_memory import GlobalMemory


class DeviceState:
    """The memory and the machine are made when they are first asked for; threads may ask at once."""

    def __init__(self, name: str, shape: Shape, checking: Checking) -> None:
        self._name, self._shape, self._checking = name, shape, checking
        self.turn = Turn()
        self._making = threading.RLock()
        self._memory: GlobalMemory | None = None
        self._machine: Machine | None = None

    @property
    def memory(self) -> GlobalMemory:
        """The off-chip memory."""
        if self._memory is not None:
            return self._memory
        with self._making:
            if self._memory is None:
                from ..core.memory.global_memory import GlobalMemory  # what only builds has none

                self._memory = GlobalMemory(self._shape)
            return self._memory

    @property
    def machine(self) -> Machine:
        """The machine; it goes with the device, not when Python's collector of garbage comes by."""
        memory = self.memory.memory
        with self._making:
            if self._machine is None:
                from ..checks.at_issue.standard import subscribed
                from ..core.machine import Machine

                self._machine = Machine(self._shape, self._name, {memory.name: memory}, subscribed(self._checking))
                weakref.finalize(self, self._machine.close).atexit = False
            return self._machine
