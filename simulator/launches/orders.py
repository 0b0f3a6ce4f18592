"""A launch in other legal orders of its tasks, and what comes out differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..checks.after_run import Given
from ..checks.results import Expectations
from ..engines.engine import Outcome
from ..findings import Finding, rules
from ..log import Log, region_of
from .contents import Contents, Reruns, failed

_BYTE = np.dtype(np.uint8)


def in_orders(
    execute: Callable[[int], Outcome], reruns: Reruns, given: Iterable[Given], orders: int, log: Log,
    findings: Sequence[Finding],
) -> list[Finding]:  # fmt: skip
    """Execute a launch again in ``orders`` other orders: what only these break, and arrays that end up otherwise.

    ``log`` and ``findings`` are those of the first time.
    """
    seen, found, arrays = {finding.cause for finding in findings}, [], [array for array in given if array.output]
    with reruns:
        for order in range(1, orders + 1):
            _, others = reruns.run(lambda order=order: execute(order))  # type: ignore[misc]
            found += [finding for finding in others if finding.cause not in seen]
            seen.update(finding.cause for finding in others)
            if not failed(others):
                for finding in _differences(reruns.after, log, arrays, order):
                    if finding.cause not in seen:
                        seen.add(finding.cause)
                        found.append(finding)
    return found


def _differences(after: Contents, log: Log, outputs: Iterable[Given], order: int) -> Iterator[Finding]:
    """The arrays that hold something else now."""
    for output in outputs:
        if not after.differs(output):
            continue
        now = np.ascontiguousarray(output.contents()).reshape(-1).view(_BYTE)
        changed = np.flatnonzero(now != after.bytes_of(output))
        first = int(changed[0])
        rounded = not len(Expectations(None).wrong(output.contents(), after.of(output)))
        yield replace(
            rules.results.order_dependent(output.name, len(changed), output.bytes, order, rounded),
            region=region_of(output.key + first, int(changed[-1]) - first + 1, tuple(log.shape.spaces)),
            kernel=str(log.launch.get("kernel", "")),
        )
