"""Two launches that should leave the same: elements that both have written, and that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...findings import Finding, OtherRun, Step, rules
from ...flow import History
from ...log import Log
from ..after_run import Given
from .expectations import Expectations
from .wrong import shown, wrong_results

#: Of the elements that a launch with a smaller count writes, too, so many agree where the counts have a relation. A
#: larger share is an element at the edge, which may well differ.
_RELATED = 0.9, 0.9999


class Left(NamedTuple):
    """What a launch has left: its log, what its arrays hold (none for those that it cannot write), how it was run."""

    log: Log
    contents: Sequence[np.ndarray | None]
    said: str


def disagreements(mine: Left, theirs: Left, arrays: Sequence[Given], nearly: bool = False) -> Iterator[Finding]:
    """The arrays of which both have written elements that are further apart than rounding explains.

    That is half of the digits of a float (2.4e-4 of float32), relative to the element or, where that is more, to the
    mean of all; integers agree. ``nearly``: where fewer than nine of ten agree, the launches have no relation.
    """
    for array, here, there in zip(arrays, mine.contents, theirs.contents, strict=True):
        if here is None or there is None:
            continue
        far = Expectations(None).wrong(there, here)
        if not len(far):
            continue
        asked = np.arange(here.size) if nearly else far
        both = np.ones(len(asked), bool)
        for log in (mine.log, theirs.log):
            both &= History(log).last_writers(array.key, array.dtype.itemsize, asked) >= 0
        different = np.intersect1d(far, asked[both])
        low, high = _RELATED if nearly else (0.0, 1.0)
        if len(different) and low <= 1 - len(different) / int(both.sum()) <= high:
            one, other = _Side(mine, here), _Side(theirs, there)
            yield _difference(one, other, arrays, array, different, nearly)


class _Side(NamedTuple):
    left: Left
    values: np.ndarray  # what the array holds that differs


def _difference(
    mine: _Side, theirs: _Side, arrays: Sequence[Given], array: Given, different: np.ndarray, nearly: bool
) -> Finding:
    first, said = int(different[0]), (mine.left.said, theirs.left.said)
    found, other = (_traced(*sides, arrays, array, different) for sides in ((mine, theirs), (theirs, mine)))
    worded = rules.results.count_dependent if nearly else rules.results.split_dependent
    here, there = (shown(side.values.reshape(-1)[first]) for side in (mine, theirs))
    wording = worded(array.name, (len(different), mine.values.size), (array.element(first), here, there), said)
    writer = Step(other.instruction, other.location, other.core, other.task)
    return replace(
        wording, instruction=found.instruction, region=found.region, kernel=found.kernel, core=found.core,
        task=found.task, location=found.location, count=found.count, cores=found.cores, tasks=found.tasks,
        trail=found.trail, related=other.location if other.location != found.location else None,
        other=OtherRun(theirs.left.said, (writer, *other.trail)),
    )  # fmt: skip


def _traced(mine: _Side, theirs: _Side, arrays: Sequence[Given], array: Given, different: np.ndarray) -> Finding:
    """How the first different element came about in one of the launches."""
    masked = np.ma.masked_array(theirs.values, mask=np.ones(theirs.values.shape, bool))
    masked.mask.reshape(-1)[different] = False
    held = [replace(one, contents=mine.values.view) if one is array else one for one in arrays]
    return wrong_results([mine.left.log], held, Expectations({array.title: masked}, 0.0))[0]
