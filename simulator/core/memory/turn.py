"""Taking turns: what only one thread at a time may do."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


class Turn:
    """A lock that says so when a thread would wait for itself, instead of doing it for ever."""

    def __init__(self) -> None:
        self._lock, self._taken = threading.RLock(), False

    def take(self, action: Callable[[], Result], refusal: str) -> Result:
        """Call ``action`` when no other thread is in one; RuntimeError with this sentence if the calling thread is.

        A Ctrl-C at any time leaves the turn to others: between taking it and ``finally`` nothing looks for signals.
        """
        with self._lock:
            if self._taken:
                raise RuntimeError(refusal)
            try:
                self._taken = True
                return action()
            finally:
                self._taken = False
