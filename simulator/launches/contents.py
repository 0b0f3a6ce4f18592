"""What the memory of a device holds at some time, to be compared with and put back."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

import numpy as np

from ..checks.after_run import Given
from ..core.memory import Allocation
from ..core.memory.global_memory import GlobalMemory
from ..engines.engine import Outcome
from ..findings import spoiled
from ..flow import Accesses
from ..log import Log
from ..structures import same_bytes

_BYTE = np.dtype(np.uint8)
#: Bytes of an allocation, and which of them are uninitialized.
_Bytes = tuple[np.ndarray, list[tuple[int, int]]]


class Contents:
    """What the arrays of a device's memory hold, and which of their bytes are uninitialized."""

    def __init__(self, memory: GlobalMemory) -> None:
        self._kept: list[tuple[Allocation, _Bytes]] = [
            (entry, _bytes_of(entry)) for entry in memory.memory.allocations()
        ]

    def changed_by(self, log: Log) -> Contents:
        """What the memory holds now, if that launch alone has changed it since."""
        now = object.__new__(Contents)
        changed = _written_by(log)
        now._kept = [(entry, _bytes_of(entry) if changed(entry) else kept) for entry, kept in self._kept]
        return now

    def put_back(self, *logs: Log | None) -> None:
        """Put these contents back where launches have written, by their logs; None is one that may have anywhere."""
        changed = [_written_by(log) for log in logs]
        for entry, (bytes_, unwritten) in self._kept:
            if any(by(entry) for by in changed):
                entry.view(_BYTE)[...] = bytes_
                entry.uninitialized.remove(entry.start, entry.end)
                for start, end in unwritten:
                    entry.uninitialized.add(start, end)

    def bytes_of(self, array: Given) -> np.ndarray:
        """The bytes of an array as they were, uint8."""
        entry, (bytes_, _) = self._kept_of(array)
        return bytes_[array.key - entry.key :][: array.bytes]

    def _kept_of(self, array: Given) -> tuple[Allocation, _Bytes]:
        """The allocation of an array, and what is kept of it."""
        for entry, kept in self._kept:
            if entry.key <= array.key < entry.key + entry.end - entry.start:
                return entry, kept
        raise KeyError(array.name)

    def of(self, array: Given) -> np.ndarray:
        """The elements of an array as they were."""
        return self.bytes_of(array).view(array.dtype).reshape(array.shape)

    def changed(self, array: Given) -> np.ndarray:
        """The numbers of the elements of an array that hold other bytes now, without those that nothing has written."""
        if not self.differs(array):
            return np.zeros(0, np.int64)
        other = array.contents().reshape(-1).view(_BYTE) != self.bytes_of(array)
        entry, (_, unwritten) = self._kept_of(array)
        start = entry.start + array.key - entry.key
        for first, last in unwritten:
            other[max(first - start, 0) : max(last - start, 0)] = False
        return np.flatnonzero(other.reshape(-1, array.dtype.itemsize).any(axis=1))

    def differs(self, array: Given) -> bool:
        """Whether an array holds other bytes now."""
        return not same_bytes(self.bytes_of(array), array.contents())


class Reruns:
    """Runs a launch again that was carried out in full; each run begins with the contents ``before`` the launch.

    When the context ends, the memory holds once more what the launch itself, whose log is given, has left (``after``).
    ``runs`` is how often it was run again.
    """

    def __init__(self, before: Contents, log: Log) -> None:
        self.after = before.changed_by(log)
        self.before, self._log = before, log
        self._last: Log | None = log  # what the memory holds is of this launch; None where that is unknown
        self.runs = 0

    def __enter__(self) -> None:
        self._last = self._log

    def run(self, execute: Callable[[], Outcome], whole: bool = True) -> Outcome:
        """One more run; ``whole``: its log has all that it writes."""
        self.before.put_back(self._last)
        self._last = None
        self.runs += 1
        log, findings = execute()
        self._last = log if whole and not spoiled(findings) else None
        return log, findings

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._last is not self._log:
            self.after.put_back(self._last, self._log)


def _bytes_of(entry: Allocation) -> _Bytes:
    return entry.view(_BYTE).copy(), list(entry.uninitialized)


def _written_by(log: Log | None) -> Callable[[Allocation], bool]:
    """Whether a launch may have written an allocation; of blocks of threads the log need not say it."""
    if log is None or log.left_out or not log.exact:
        return lambda _: True
    accesses = Accesses(log)
    _, begin, end = accesses.bounds(np.flatnonzero(accesses.on_device & log.operand_written))

    def writes(entry: Allocation) -> bool:
        return bool(((begin < entry.key + entry.end - entry.start) & (end > entry.key)).any())

    return writes
