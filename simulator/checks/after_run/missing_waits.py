"""Which hazards and races one wait, or one barrier, would put in order."""

from __future__ import annotations

import numpy as np

from ...flow import Kind
from ...log import Log


def missing_waits(log: Log, causes: np.ndarray) -> list[tuple[int, ...]]:
    """A number for each cause: equal for those that one wait would put in order, if it stood in the right place.

    That is a point in a task's own sequence of records between the earlier and the later one of each. Two instructions
    that have the same place in theirs are in no order whatever is between.
    """
    numbers: list[tuple[int, ...]] = [(number,) for number in range(len(causes))]
    for kind, same in ((Kind.HAZARD, "pipe"), (Kind.RACE, "")):
        chosen = np.flatnonzero(causes["kind"] == kind)
        if len(chosen) < 2:
            continue
        place = _places(log)
        ends = np.sort(place[np.stack([causes["earlier"][chosen], causes["later"][chosen]])], axis=0)
        of = log.records[same][causes["earlier"][chosen]] if same else np.zeros(len(chosen), int)
        points: dict[int, tuple[int, int]] = {}  # of a pipe: where the wait would stand, and the first that lacks it
        for at in np.lexsort((ends[0], ends[1])).tolist():
            begin, end, pipe = int(ends[0][at]), int(ends[1][at]), int(of[at])
            point, first = points.get(pipe, (-1, -1))
            if begin == end:
                continue
            if begin >= point:
                points[pipe] = point, first = end, int(chosen[at])
            numbers[chosen[at]] = (first,)
    return numbers


def _places(log: Log) -> np.ndarray:
    """Of each record how many its task has had before it on the core."""
    records = log.records
    order = np.lexsort((np.arange(len(records)), records["core"], records["task"]))
    core, task = records["core"][order], records["task"][order]
    begins = np.flatnonzero(np.append(True, (core[1:] != core[:-1]) | (task[1:] != task[:-1])))
    place = np.empty(len(records), np.int64)
    place[order] = np.arange(len(records)) - np.repeat(begins, np.diff(np.append(begins, len(records))))
    return place
