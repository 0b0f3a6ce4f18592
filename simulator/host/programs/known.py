"""What follows from the log of a launch. Programs that measure launch a kernel many times, with one log each time."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, NamedTuple

from ...engines.engine import Outcome
from ...findings import Finding
from ...flow import Accesses
from ...log import Log

#: Bytes of logs that are kept.
_MOST = 256 << 20


class Followed(NamedTuple):
    """A log, all findings of its launch, how long that takes, and the bytes that it reads and writes."""

    log: Log
    findings: list[Finding]
    time_us: float
    touched: Callable[..., Any]


def followed(log: Log, findings: list[Finding], time_us: float) -> Followed:
    """What follows from a log is found once: its bytes are asked for again by all work that it may meet."""
    return Followed(log, findings, time_us, cache(lambda: Accesses(log).touched))


class Known:
    """The last launch of each kernel, and what followed."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[list[Finding], Followed]] = {}

    def followed(
        self, kernel: Hashable, outcome: Callable[[], Outcome], follow: Callable[[Log, list[Finding]], Followed]
    ) -> Followed:
        """What follows from what a launch has given; ``follow`` looks where that is not known."""
        log, findings = outcome()
        before = self._kept.pop(kernel, None)
        if before is None or before[0] != findings or not before[1].log.same_rows(log):
            before = findings, follow(log, findings)
        self._kept[kernel] = before
        while sum(one.log.nbytes for _, one in self._kept.values()) > _MOST:
            del self._kept[next(iter(self._kept))]
        return before[1]
