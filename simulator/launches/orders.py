"""A launch in other legal orders of its tasks, and what comes out differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..checks.after_run import Given
from ..checks.results import Expectations
from ..engines.engine import Outcome
from ..findings import ADVICE, ERROR, Finding, rules, spoiled
from ..flow import Accesses, Writers
from ..log import Log
from .contents import Contents, Reruns

_BYTE = np.dtype(np.uint8)


def in_orders(
    execute: Callable[[int], Outcome], reruns: Reruns, given: Iterable[Given], orders: int, log: Log,
    findings: Sequence[Finding],
) -> list[Finding]:  # fmt: skip
    """The findings of a launch with those of ``orders`` other orders: what only these break, and what they leave.

    ``log`` and ``findings`` are those of the launch itself. If blocks of threads do not come to their end in an order,
    nothing is said of it: a block may wait for those before it. Races of tasks that only store are a warning if no
    order leaves anything else; if one does, they stay errors, and stand for what the orders show.
    """
    races = _of_stores(findings, log)
    found = _in_orders(execute, reruns, [array for array in given if array.output], orders, log, findings)
    if not races:
        return [*findings, *found]
    return [rules.race.of_equal_stores(f, orders) if f in races and not found else f for f in findings]


def may_agree(findings: Sequence[Finding], log: Log) -> bool:
    """Whether results of a launch may be compared with those of its other orders."""
    races = _of_stores(findings, log) if spoiled(findings) else []
    return not spoiled(f for f in findings if f not in races)


def _of_stores(findings: Sequence[Finding], log: Log) -> list[Finding]:
    """The races of tasks that only write, all at one line: they may all write the same."""
    return [
        f for f in findings
        if (f.rule, f.severity, f.related, f.also) == (rules.race.RACE, ERROR, f.location, ()) and _writes(f, log)
    ]  # fmt: skip


def _writes(finding: Finding, log: Log) -> bool:
    """Whether the instruction of a finding only writes the memory that the finding is about."""
    named = np.flatnonzero([op.name == finding.instruction for op in log.ops])
    records = np.flatnonzero(np.isin(log.records["op"], named)).tolist()
    first = next((record for record in records if log.location(record) == finding.location), None)
    if first is None or finding.region is None:
        return False
    return all(written for _, written, own in log.regions(first) if own.space == finding.region.space)


def _in_orders(
    execute: Callable[[int], Outcome], reruns: Reruns, arrays: Sequence[Given], orders: int, log: Log,
    findings: Sequence[Finding],
) -> list[Finding]:  # fmt: skip
    seen, found = {finding.cause for finding in findings}, []
    with reruns:
        for order in range(1, orders + 1):
            other, others = reruns.run(lambda order=order: execute(order))  # type: ignore[misc]
            endless = any(finding.rule == rules.process.TIME for finding in others)
            if log.kind.transactions and endless:
                continue
            found += [finding for finding in others if finding.cause not in seen]
            if endless:  # as others are likely to be
                break
            seen.update(finding.cause for finding in others)
            if not spoiled(one for one in others if one.rule != rules.race.RACE):
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
            region=log.region(output.key + first, int(changed[-1]) - first + 1),
            kernel=log.kernel,
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
    rows = [Writers(Accesses(log)).last_of(output.key, size, byte // size) for log in logs]
    if not logs[0].exact or min(rows) < 0:
        return finding
    records = [int(log.owners[row]) for log, row in zip(logs, rows, strict=True)]
    mine, other = (log.location(record) for log, record in zip(logs, records, strict=True))
    writer = logs[0].op(records[0]).title
    return finding.at(
        logs[0], records[0], instruction=writer, related=other if other != mine else None,
        severity=ADVICE if logs[0].is_by_turns(writer) else finding.severity,
    )  # fmt: skip
