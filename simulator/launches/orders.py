"""A launch in other legal orders of its tasks, and what comes out differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..checks.after_run import Given
from ..checks.results import Expectations
from ..engines.engine import Outcome
from ..findings import ADVICE, Finding, rules, spoiled
from ..flow import History
from ..log import Log, region_of
from .contents import Contents, Reruns

_BYTE = np.dtype(np.uint8)


def in_orders(
    execute: Callable[[int], Outcome], reruns: Reruns, given: Iterable[Given], orders: int, log: Log,
    findings: Sequence[Finding],
) -> list[Finding]:  # fmt: skip
    """Execute a launch again in ``orders`` other orders: what only these break, and arrays that end up otherwise.

    ``log`` and ``findings`` are those of the first time. Of blocks of threads that do not come to their end nothing is
    said: one may wait for those before it.
    """
    seen, found, arrays = {finding.cause for finding in findings}, [], [array for array in given if array.output]
    with reruns:
        for order in range(1, orders + 1):
            other, others = reruns.run(lambda order=order: execute(order))  # type: ignore[misc]
            if log.kind.transactions and any(finding.rule == rules.process.TIME for finding in others):
                continue
            found += [finding for finding in others if finding.cause not in seen]
            seen.update(finding.cause for finding in others)
            if not spoiled(others):
                for finding in _differences(reruns.after, (log, other), arrays, order):
                    if finding.cause not in seen:
                        seen.add(finding.cause)
                        found.append(finding)
    return found


def _differences(after: Contents, logs: tuple[Log, Log], outputs: Iterable[Given], order: int) -> Iterator[Finding]:
    """The arrays that hold something else now, by the logs of the launch in its own order and in this one."""
    log = logs[0]
    for output in outputs:
        if not after.differs(output):
            continue
        now = np.ascontiguousarray(output.contents()).reshape(-1).view(_BYTE)
        changed = np.flatnonzero(now != after.bytes_of(output))
        first = int(changed[0])
        rounded = not len(Expectations(None).wrong(output.contents(), after.of(output)))
        said = replace(
            rules.results.order_dependent(output.name, len(changed), output.bytes, order, rounded),
            region=region_of(output.key + first, int(changed[-1]) - first + 1, tuple(log.shape.spaces)),
            kernel=str(log.launch.get("kernel", "")),
        )
        if not log.kind.transactions:
            yield said
        elif not (rounded and log.has_atomics):  # that the last bits of their sums differ is no news
            yield _by_threads(said, logs, output, first)


def _by_threads(finding: Finding, logs: tuple[Log, Log], output: Given, byte: int) -> Finding:
    """A finding of blocks of threads, with the lines that have written a byte last, in one order and in the other.

    It is advice where atomics say whose turn it is, as where results are appended to a list.
    """
    size = output.dtype.itemsize
    rows = [int(History(log).last_writers(output.key, size, np.array([byte // size]))[0]) for log in logs]
    if not logs[0].exact or min(rows) < 0:
        return finding
    records = [int(log.owners[row]) for log, row in zip(logs, rows, strict=True)]
    mine, other = (log.location(record) for log, record in zip(logs, records, strict=True))
    writer = logs[0].ops[int(logs[0].records["op"][records[0]])].title
    return replace(
        finding, instruction=writer, location=mine, related=other if other != mine else None,
        core=int(logs[0].records["core"][records[0]]), task=int(logs[0].records["task"][records[0]]),
        severity=ADVICE if logs[0].is_by_turns(writer) else finding.severity,
    )  # fmt: skip
