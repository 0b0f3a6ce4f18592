"""Which line has left bytes uninitialized: the one that brought, or made, the bytes beside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ...findings import Finding, rules
from ...flow import History, Span
from ...log import Log, Op, region_key


def with_origins(log: Log, findings: Iterable[Finding]) -> list[Finding]:
    """Findings, those of uninitialized bytes with the line that has left them out.

    What reads such bytes is named already. Whatever they were made of leads back to bytes that no instruction has
    written; the line that has written those beside them, before or behind, is named. Where there is none, it is the
    first that has taken them: what should have written them comes before it. Where it leads to no such bytes, the line
    that was the last to write them has left them undefined.
    """
    found = list(findings)
    asked = [at for at, one in enumerate(found) if _may_be_asked(one)]
    if not asked or not len(log):
        return found
    history = History(log)
    for at in asked:
        record, hole = _left_out_by(log, history, found[at])
        if record >= 0 and log.location(record) != found[at].location:
            found[at] = replace(found[at], related=log.location(record))
        missing = log.region(hole.begin, hole.end - hole.begin, hole.lane, hole.lanes)
        if missing.space != getattr(found[at].region, "space", missing.space):
            found[at] = rules.uninitialized.passed_on(found[at], missing)
    return found


def _may_be_asked(finding: Finding) -> bool:
    if finding.rule != rules.uninitialized.UNINITIALIZED or finding.related is not None:
        return False
    return finding.region is not None


def _left_out_by(log: Log, history: History, finding: Finding) -> tuple[int, Span]:
    """The record that has written the bytes beside those that are missing, taken them, or left them undefined.

    -1 for none; and what is missing.
    """
    region = finding.region
    assert region is not None
    begin = region_key(list(log.shape.spaces).index(region.space), region.owner, region.offset)
    record, low, high = _reader(log, finding, Span(begin, begin + 1, region.lane, region.lanes))
    reader = record
    hole = Span(begin, begin + region.bytes, region.lane, region.lanes)
    for row in history.writers.before(record, hole) if record >= 0 else ():  # it has passed them on
        trail = list(history.trail(row, hole))
        if all(_is_given(log, span) for made in trail for span in made.taken):
            return int(log.owners[row]), hole
        for made in trail:
            if missing := [span for span in made.taken if span.lanes <= 1 and not _is_given(log, span)]:
                record, hole = made.record, missing[0]
                low, high = _operand_of(log, record, hole)
        break
    for beside in _beside(hole, log.shape.lanes or 0):
        if low <= beside.begin < high:
            for row in history.writers.before(record, beside):
                return int(log.owners[row]), hole
    return (record if record != reader else -1), hole


def _beside(hole: Span, lanes: int) -> list[Span]:
    """The bytes before and behind those that are missing; then those of the lanes before and behind."""
    begin, end, lane, _ = hole
    found = [hole._replace(begin=begin - 1, end=begin), hole._replace(begin=end, end=end + 1)]
    if hole.lanes:
        found += [hole._replace(lane=other) for other in (lane - 1, lane + 1) if 0 <= other < lanes]
    return found


def _is_given(log: Log, span: Span) -> bool:
    """Whether bytes are of a memory that the host fills."""
    return log.shape.spaces[log.region(span.begin, 1).space].scope == "device"


def _operand_of(log: Log, record: int, span: Span) -> tuple[int, int]:
    """The bounds of the operand of a record that a span is of."""
    first = int(log.records["first"][record])
    for key, size, _, _ in log.operands[first : first + int(log.operand_counts[record])].tolist():
        if key <= span.begin < key + size:
            return key, key + size
    return 0, 0


def _reader(log: Log, finding: Finding, byte: Span) -> tuple[int, int, int]:
    """The record that has read a byte, and the bounds of its operand; -1 for no record."""
    records = log.records
    places = [at for at, place in enumerate(log.locations) if place == finding.location]
    number = {at: _number(op, finding) for at, op in enumerate(log.ops) if op.name == finding.instruction}
    mine = np.isin(records["loc"], places) & np.isin(records["op"], [at for at, n in number.items() if n >= 0])
    mine &= (records["core"] == finding.core) & (records["task"] == finding.task)
    for record in np.flatnonzero(mine).tolist():
        operand = number[int(records["op"][record])]
        key, size, lane, lanes = (int(part) for part in log.operands[int(records["first"][record]) + operand])
        if Span(key, key + size, lane, lanes).meets(byte):
            return record, key, key + size
    return -1, 0, 0


def _number(op: Op, finding: Finding) -> int:
    """The number of the operand that a finding names, of a scalar load its only one; -1 for none."""
    if not finding.operand:
        return 0 if op.operands else -1
    return op.operands.index(finding.operand) if finding.operand in op.operands else -1
