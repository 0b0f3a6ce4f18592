"""Arrays that have been freed and whose addresses are not given anew for a while, so that a use of them is seen."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from .arena import Allocation

#: Arrays, and bytes of all together, that wait at most. Each costs a step of every allocation; the host keeps pages.
MOST_ARRAYS, MOST_BYTES = 64, 64 << 20


class Quarantine:
    """The arrays that were freed last; the oldest goes first."""

    def __init__(self) -> None:
        self._waiting: deque[Allocation] = deque()
        self._bytes = 0

    def __iter__(self) -> Iterator[Allocation]:
        return iter(sorted(self._waiting, key=lambda entry: entry.start))

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def take(self, entry: Allocation) -> None:
        """An array has been freed. One that is too large for all does not wait."""
        if entry.end - entry.start > MOST_BYTES:
            return
        self._waiting.append(entry)
        self._bytes += entry.end - entry.start
        while len(self._waiting) > MOST_ARRAYS or self._bytes > MOST_BYTES:
            gone = self._waiting.popleft()
            self._bytes -= gone.end - gone.start

    def clear(self) -> None:
        """Their addresses are needed."""
        self._waiting.clear()
        self._bytes = 0
