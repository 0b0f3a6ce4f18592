"""Arrays of which each task has a piece of its own, whose length says nothing of the number of tasks."""

from __future__ import annotations

import numpy as np

from ...flow import Accesses, Ranges, merged
from ...log import Log
from ..after_run import Given


def for_each_task(one: Log, other: Log, array: Given) -> bool:
    """Whether two launches with different numbers of tasks write one piece for each task, all of one length.

    The piece of a task is at its number times that length. It is a result for each task, such as the sum of its part,
    which is another one if the parts are.
    """
    mine, theirs = share_of_task(one, array), share_of_task(other, array)
    return mine > 0 and mine == theirs


def of_its_part(one: Log, other: Log, array: Given) -> bool:
    """Whether two launches write one piece for each task, made of a larger part of inputs that is not the same in both.

    It is a result of a part, such as its sum: the blocks of threads of another grid have other parts, though they may
    be as many.
    """
    read, there = _read_by_first(one), _read_by_first(other)
    if read is None or there is None or np.array_equal(read, there):
        return False
    share = share_of_task(one, array)
    least = min(int((ranges[:, 1] - ranges[:, 0]).sum()) for ranges in (read, there))
    return 0 < share < least and share == share_of_task(other, array)


def _read_by_first(log: Log) -> Ranges | None:
    """What the first task reads of device memory, by keys; None where there is too much of it to say."""
    accesses = Accesses(log)
    first = log.records["task"][log.owners] == 0
    pieces = accesses.pieces(np.flatnonzero(accesses.on_device & ~log.operand_written & first))
    return None if pieces is None else merged(np.stack([pieces.begin, pieces.end], axis=1))


def share_of_task(log: Log, array: Given, written: bool = True) -> int:
    """The bytes that every task writes of an array, each at its number times as many; 0 where it is otherwise.

    If not ``written``, the bytes that it reads.
    """
    accesses = Accesses(log)
    key = log.operands["key"]
    within = (key >= array.key) & (key < array.key + array.bytes)
    pieces = accesses.pieces(np.flatnonzero(accesses.on_device & (log.operand_written == written) & within))
    if pieces is None or not len(pieces.row):
        return 0
    task = log.records["task"][log.owners[pieces.row]].astype(np.int64)
    tasks = log.tasks
    begin, end = np.full(tasks, array.key + array.bytes), np.full(tasks, array.key)
    np.minimum.at(begin, task, pieces.begin)
    np.maximum.at(end, task, pieces.end)
    share = int(end[0] - begin[0])
    alike = (begin == array.key + share * np.arange(tasks)) & (end - begin == share)
    return share if share > 0 and bool(alike.all()) else 0
