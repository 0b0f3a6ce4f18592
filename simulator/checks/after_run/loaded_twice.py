"""Two lines that load the same elements of an input, one right after the other, each time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...findings import Finding, rules
from ...flow import distinct
from .touched import Touched, pieces_in


class _Loads(NamedTuple):
    """What a line loads of an array, in the order of tasks and of time."""

    row: np.ndarray  # the operand that is read, int64 [loads]
    record: np.ndarray
    task: np.ndarray
    to: np.ndarray  # the first byte of where it goes


def loaded_twice(touched: Touched) -> Iterator[Finding]:
    """Loads of two lines that take turns and bring the same elements to two places, other ones as they go on.

    Nothing writes the array. Of elements that are always the same two copies may be wanted.
    """
    if touched.written.any():
        return
    log, alike = touched.log, defaultdict[bytes, list[_Loads]](list)
    for mine in _by_line(touched):
        taken = log.operands[mine.row]
        if len(distinct(taken["key"])) > 1:
            alike[b"".join(column.tobytes() for column in (mine.task, taken["key"], taken["bytes"]))].append(mine)
    for first, second in (pair for group in alike.values() for pair in combinations(group, 2)):
        if _take_turns(first, second) and (first.to != second.to).all():
            row = int(second.row[0])
            said = rules.loaded_twice.twice(touched.array.name, [*_untouched(touched)])
            found = touched.at(said, row, int(log.operands["key"][row]), int(log.operands["bytes"][row]))
            yield found.but(related=log.location(int(first.record[0])), count=len(second.row))


def _by_line(touched: Touched) -> list[_Loads]:
    """The loads of each line: copies of one operand of device memory to one on the chip; the earliest line first."""
    log = touched.log
    row = distinct(touched.pieces.row)
    record = log.owners[row]
    row, record = (column[log.operand_counts[record] == 2] for column in (row, record))
    other = 2 * log.records["first"][record].astype(np.int64) + 1 - row
    spaces = [space.scope != "device" for space in log.shape.spaces.values()]
    chosen = log.operand_written[other] & np.array(spaces)[log.operand_spaces[other]]
    row, record, other = row[chosen], record[chosen], other[chosen]
    task, line = log.records["task"][record], log.records["loc"][record]
    order = np.lexsort((record, task, line))
    columns = [column[order] for column in (row, record, task, log.operands["key"][other])]
    ends = np.flatnonzero(np.diff(line[order])) + 1
    lines = [_Loads(*parts) for parts in zip(*(np.split(column, ends) for column in columns), strict=True)]
    return sorted(lines, key=lambda one: int(one.record[0]) if len(one.record) else 0)


def _untouched(touched: Touched) -> Iterator[str]:
    """The other arrays of which the launch uses nothing."""
    return (other.name for other in touched.others if not len(pieces_in(touched.all_pieces, other).row))


def _take_turns(first: _Loads, second: _Loads) -> bool:
    """Whether each load of the first is followed by one of the second, before its own next one."""
    same_task = first.task[1:] == first.task[:-1]
    after = second.record[:-1] < first.record[1:]
    return bool((first.record < second.record).all() and (after | ~same_task).all())
