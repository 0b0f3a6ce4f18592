"""A launch in other legal orders of its tasks, and what comes out differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from ..checks.after_run import Given
from ..checks.results import Expectations
from ..core.memory.global_memory import GlobalMemory
from ..findings import ERROR, Finding, rules
from ..log import Log, region_of
from .contents import Contents

_BYTE = np.dtype(np.uint8)


def in_orders(
    execute: Callable[[int], tuple[Log, list[Finding]]], memory: GlobalMemory, given: Iterable[Given], orders: int
) -> tuple[Log, list[Finding]]:
    """Execute a launch, and again in ``orders`` other orders, each from the contents that the memory has now.

    Log and contents are those of the first time. Its findings come first; then what only other orders break, and the
    arrays that end up with other contents.
    """
    before = Contents(memory) if orders else None
    log, findings = execute(0)
    if before is None or failed(findings):
        return log, findings
    after, seen = Contents(memory), {finding.cause for finding in findings}
    found, arrays = list(findings), [array for array in given if array.output]
    for order in range(1, orders + 1):
        before.put_back()
        _, others = execute(order)
        found += [finding for finding in others if finding.cause not in seen]
        seen.update(finding.cause for finding in others)
        if not failed(others):
            for finding in _differences(after, log, arrays, order):
                if finding.cause not in seen:
                    seen.add(finding.cause)
                    found.append(finding)
    after.put_back()
    return log, found


def failed(findings: Iterable[Finding]) -> bool:
    """Whether an error is among findings."""
    return any(finding.severity == ERROR for finding in findings)


def _differences(after: Contents, log: Log, outputs: Iterable[Given], order: int) -> Iterator[Finding]:
    """The arrays that hold something else now."""
    for output in outputs:
        now = np.ascontiguousarray(output.contents()).reshape(-1).view(_BYTE)
        changed = np.flatnonzero(now != after.bytes_of(output))
        if len(changed):
            first = int(changed[0])
            rounded = not len(Expectations(None).wrong(output.contents(), after.of(output)))
            yield replace(
                rules.results.order_dependent(output.name, len(changed), output.bytes, order, rounded),
                region=region_of(output.key + first, int(changed[-1]) - first + 1, tuple(log.shape.spaces)),
                kernel=str(log.launch.get("kernel", "")),
            )
