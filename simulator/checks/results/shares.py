"""Arrays of which each task has a piece of its own, whose length says nothing of the number of tasks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ...flow import Accesses, Pieces, Ranges, merged
from ...log import Log
from ..after_run import Given
from .left import offset_of


def for_each_task(one: Log, other: Log, array: Given) -> bool:
    """Whether two launches with different numbers of tasks write one piece for each task, all of one length.

    The piece of a task begins at its number times that length. So it is a result of the task, such as the sum of its
    part of the inputs: with other parts, the results are others.
    """
    mine, theirs = share_of_task(one, array), share_of_task(other, array)
    return mine > 0 and mine == theirs


def of_its_part(one: Log, other: Log, array: Given) -> bool:
    """Whether two launches write one piece for each task, made of a larger part of inputs that is not the same in both.

    It is a result of that part, such as its sum. On another grid, blocks of threads have other parts, even if they are
    as many.
    """
    read, there = _of_first(one), _of_first(other)
    if read is None or there is None or np.array_equal(read, there):
        return False
    share = share_of_task(one, array)
    least = min(_length(ranges) for ranges in (read, there))
    return 0 < share < least and share == share_of_task(other, array)


def by_blocks(one: Log, other: Log, array: Given) -> bool:
    """Whether the first blocks of two launches read, and write of an array, as much as they have threads.

    Each block may then work on a part of its own, such as a scan of it, which is another part with other threads.
    """
    threads = [math.prod(log.launch.get("block", ())) for log in (one, other)]
    if threads[0] == threads[1]:
        return False
    for written in (None, array):
        mine, theirs = (_of_first(log, written) for log in (one, other))
        if mine is None or theirs is None or _length(mine) * threads[1] != _length(theirs) * threads[0]:
            return False
    return True


def grows_with_tasks(fewer: Log, more: Log, array: Given) -> bool:
    """Whether what two launches write of an array goes with their numbers of tasks, as a result of each task does.

    Either the tasks that both launches have write the same bytes in both, or each task of the larger launch writes as
    much on average, or more. If tasks share an array instead, its length is the same for any number of them.
    """
    mine, theirs = _by_tasks(fewer, array), _by_tasks(more, array)
    if mine is None or theirs is None:
        return True
    amounts = [_length(ranges) for ranges in (mine, theirs)]
    of_both = theirs[theirs[:, 0] < fewer.tasks * (array.bytes + 1)]
    return np.array_equal(mine, of_both) or amounts[0] * more.tasks <= amounts[1] * fewer.tasks


def written_by_several(log: Log, array: Given) -> bool:
    """Whether tasks of a launch write the same bytes of an array."""
    found = _by_tasks(log, array)
    return found is not None and _length(found) > _length(merged(found % (array.bytes + 1)))


def _length(ranges: Ranges) -> int:
    return int((ranges[:, 1] - ranges[:, 0]).sum())


def _by_tasks(log: Log, array: Given) -> Ranges | None:
    """What tasks write of an array, by offsets in it, those of the next task behind its end; None if it is too much."""
    pieces = _pieces(log, array, True)
    if pieces is None:
        return None
    begin = log.records["task"][log.owners[pieces.row]].astype(np.int64) * (array.bytes + 1) + pieces.begin - array.key
    return merged(np.stack([begin, begin + pieces.end - pieces.begin], axis=1))


def _pieces(log: Log, array: Given, written: bool) -> Pieces | None:
    """What is written of an array, or read, in pieces; None if there are too many."""
    accesses = Accesses(log)
    key = log.operands["key"]
    within = (key >= array.key) & (key < array.end)
    return accesses.pieces(np.flatnonzero(accesses.on_device & (log.operand_written == written) & within))


def _of_first(log: Log, written: Given | None = None) -> Ranges | None:
    """What the first task reads of device memory, or writes of an array, by keys; None where it is too much to say."""
    accesses = Accesses(log)
    taken = accesses.on_device & (log.records["task"][log.owners] == 0) & (log.operand_written == bool(written))
    if written:
        key = log.operands["key"]
        taken &= (key >= written.key) & (key < written.end)
    pieces = accesses.pieces(np.flatnonzero(taken))
    return None if pieces is None else merged(np.stack([pieces.begin, pieces.end], axis=1))


def rooms_for(tasks: int, log: Log, arrays: Sequence[Given]) -> Iterator[range]:
    """Where the parts of so many tasks would lie, of each array that is full of those of a launch."""
    for array in arrays:
        shares = (share_of_task(log, array, written) for written in (True, False))
        if array.bytes and any(share * log.tasks == array.bytes for share in shares):
            begin = offset_of(array)
            yield range(begin, begin + array.bytes // log.tasks * tasks)


def share_of_task(log: Log, array: Given, written: bool = True) -> int:
    """The bytes that every task writes of an array, each at its number times as many; 0 where it is otherwise.

    If not ``written``, the bytes that it reads.
    """
    pieces = _pieces(log, array, written)
    if pieces is None or not len(pieces.row):
        return 0
    task = log.records["task"][log.owners[pieces.row]].astype(np.int64)
    tasks = log.tasks
    begin, end = np.full(tasks, array.end), np.full(tasks, array.key)
    np.minimum.at(begin, task, pieces.begin)
    np.maximum.at(end, task, pieces.end)
    share = int(end[0] - begin[0])
    alike = (begin == array.key + share * np.arange(tasks)) & (end - begin == share)
    return share if share > 0 and bool(alike.all()) else 0
