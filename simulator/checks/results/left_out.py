"""Elements that one of two launches writes, and that the other leaves out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...findings import ADVICE, Finding, rules
from ...flow import Ranges, Writers, common
from ..after_run import Given
from .left import Left, within
from .shares import grows_with_tasks


def left_out(mine: Left, theirs: Left, array: Given, asked: bool) -> Finding | None:
    """What one of two launches has written of an array and the other has not.

    If the other number of tasks was not ``asked`` for, the kernel may not be written for it: what it lacks is advice.
    """
    if found := lacking(mine, theirs, array):
        return found
    found = lacking(theirs, mine, array, asked)
    return found if asked or not found else replace(found, severity=ADVICE)


def lacking(one: Left, other: Left, array: Given, gaps: bool = True) -> Finding | None:
    """What one launch lacks of what another has written.

    Behind the end of what a launch with fewer tasks has written, the results of further tasks may follow: these are
    nothing that it lacks, and nor are ``gaps`` between its own then, unless they count.
    """
    if not (one.accesses.is_known and other.accesses.is_known):
        return None
    here, there = one.written(array), other.written(array)
    if not len(here):
        return None
    missing = _outside(there, here, array.bytes)
    if len(missing) and one.log.tasks < other.log.tasks and grows_with_tasks(one.log, other.log, array):
        missing = within(missing, 0, int(here[-1, 1]) if gaps else 0)
    return _worded(one, other, array, missing) if len(missing) else None


def _outside(ranges: Ranges, others: Ranges, end: int) -> Ranges:
    """What lies in ranges and not in others, which end before an end."""
    gaps = np.stack([np.append(0, others[:, 1]), np.append(others[:, 0], end)], axis=1)
    return common(ranges, gaps[gaps[:, 0] < gaps[:, 1]])


def _worded(one: Left, other: Left, array: Given, missing: Ranges) -> Finding:
    """The finding, at the instruction of the other launch that wrote the first element."""
    size, begin = array.dtype.itemsize, int(missing[0, 0])
    count, first = int((missing[:, 1] - missing[:, 0]).sum()) // size, begin // size
    log = other.log
    row = Writers(other.accesses).last_of(array.key, size, first)
    record = int(log.owners[row])
    said = rules.results.split_unwritten(array.name, (count, array.count), array.element(first), (one.said, other.said))
    region = log.region(array.key + begin, int(missing[0, 1]) - begin)
    return said.at(log, record, instruction=log.op(record).title, region=region)
