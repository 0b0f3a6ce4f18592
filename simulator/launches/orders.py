"""A launch in other legal orders of its tasks, and what comes out differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..checks.after_run import Given
from ..core.memory import Allocation
from ..core.memory.global_memory import GlobalMemory
from ..findings import ERROR, Finding, rules
from ..log import Log, region_of

_BYTE = np.dtype(np.uint8)
#: Other orders of one launch at most.
MOST_ORDERS = 1000


def check_orders(orders: Any) -> None:
    """ValueError unless it is how often a launch can be repeated."""
    if isinstance(orders, bool) or not isinstance(orders, (int, np.integer)) or not 0 <= orders <= MOST_ORDERS:
        raise ValueError(f"orders is {orders!r}; pass a whole number from 0 to {MOST_ORDERS}")


def in_orders(
    execute: Callable[[int], tuple[Log, list[Finding]]], memory: GlobalMemory, given: Iterable[Given], orders: int
) -> tuple[Log, list[Finding]]:
    """Execute a launch, and again in ``orders`` other orders, each from the contents that the memory has now.

    Log and contents are those of the first time. Its findings come first; then what only other orders break, and the
    arrays that end up with other contents.
    """
    before = _Contents(memory) if orders else None
    log, findings = execute(0)
    if before is None or _failed(findings):
        return log, findings
    after, seen = _Contents(memory), {finding.cause for finding in findings}
    found, arrays = list(findings), [array for array in given if array.output]
    for order in range(1, orders + 1):
        before.put_back()
        _, others = execute(order)
        found += [finding for finding in others if finding.cause not in seen]
        seen.update(finding.cause for finding in others)
        if not _failed(others):
            for finding in after.differences(log, arrays, order):
                if finding.cause not in seen:
                    seen.add(finding.cause)
                    found.append(finding)
    after.put_back()
    return log, found


def _failed(findings: Iterable[Finding]) -> bool:
    return any(finding.severity == ERROR for finding in findings)


class _Contents:
    """What the arrays of a device's memory hold at some time, and which of their bytes nobody has written."""

    def __init__(self, memory: GlobalMemory) -> None:
        self._kept: list[tuple[Allocation, np.ndarray, list[tuple[int, int]]]] = [
            (entry, entry.view(_BYTE).copy(), list(entry.uninitialized)) for entry in memory.memory.allocations()
        ]

    def put_back(self) -> None:
        """Make the memory hold it again."""
        for entry, bytes_, unwritten in self._kept:
            entry.view(_BYTE)[...] = bytes_
            entry.uninitialized.remove(entry.start, entry.end)
            for start, end in unwritten:
                entry.uninitialized.add(start, end)

    def differences(self, log: Log, outputs: Iterable[Given], order: int) -> Iterator[Finding]:
        """The arrays that hold something else now."""
        for output in outputs:
            for entry, bytes_, _ in self._kept:
                if not entry.key <= output.key < entry.key + entry.end - entry.start:
                    continue
                part = slice(output.key - entry.key, output.key - entry.key + output.bytes)
                changed = np.flatnonzero(entry.view(_BYTE)[part] != bytes_[part])
                if len(changed):
                    yield _difference(log, output, changed, order)


def _difference(log: Log, output: Given, changed: np.ndarray, order: int) -> Finding:
    first = int(changed[0])
    return replace(
        rules.results.order_dependent(output.name, len(changed), output.bytes, order),
        region=region_of(output.key + first, int(changed[-1]) - first + 1, tuple(log.shape.spaces)),
        kernel=str(log.launch.get("kernel", "")),
    )
