"""How threads and processes wait: those of libraries are not to take a core from others, ours are to be quick."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

#: Log2 of the cycles after which an idle thread of OpenBLAS goes to sleep: less than a millisecond. For 20 ms after the
#: import of NumPy such threads would else take a core from other processes.
SLEEP = {"OPENBLAS_THREAD_TIMEOUT": "20"}
#: A worker multiplies what lies on one core of a device, in a millisecond or less. Threads that share such a product
#: wait for each other without sleeping: where other processes run, for many times as long as the product takes.
ALONE = {"OPENBLAS_NUM_THREADS": "1"}
#: Seconds in which a message may come before its receiver goes to sleep. On a virtual machine, waking up takes 0.05 ms,
#: and a short launch waits for that twice.
_AWAKE = 0.0006
#: Messages for which it sleeps at once, at most, where being awake has not helped.
_MOST_ASLEEP = 255


def let_idle_threads_sleep() -> None:
    """Called before NumPy is imported, by a process of ours that waits for others."""
    for name, value in SLEEP.items():
        os.environ.setdefault(name, value)


class Patience:
    """Looks for a message for a moment before its receiver goes to sleep, more seldom the more often none has come."""

    def __init__(self) -> None:
        self._asleep = self._left = 0

    def look(self, seen: Callable[[], T]) -> T:
        """What is seen as soon as it is something, or what is seen in the end."""
        found = seen()
        if found or self._left:
            self._left = max(self._left - 1, 0)
            return found
        until = time.perf_counter() + _AWAKE
        while not (found := seen()) and time.perf_counter() < until:
            pass
        self._asleep = self._left = 0 if found else min(2 * self._asleep + 1, _MOST_ASLEEP)
        return found
