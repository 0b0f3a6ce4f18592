"""Taking turns: what only one thread at a time may use."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turn:
    """A lock that says so when a thread would wait for itself, instead of doing it for ever."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holder = 0  # the thread that has it

    @contextmanager
    def taken(self, refusal: str) -> Iterator[None]:
        """Wait until nobody else has it; RuntimeError with this sentence if the calling thread has it already."""
        if self._holder == threading.get_ident():
            raise RuntimeError(refusal)
        with self._lock:
            self._holder = threading.get_ident()
            try:
                yield
            finally:
                self._holder = 0
