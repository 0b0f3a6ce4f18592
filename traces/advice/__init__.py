"""What would make a run faster: a log is changed as the kernel would be, and timed again."""

from __future__ import annotations

from collections.abc import Iterator

from ...simulator.timing import Timeline
from .copies import fewer_copies, kept_copies, shared_copies, strided_copies
from .dealing import idle_cores, uneven_work
from .instructions import far_scalars, scalar_code, short_instructions
from .question import Advice, Question
from .waiting import overlaps, waits

__all__ = ["Advice", "advise"]

#: Advice has to save at least this share of the time. Advice that changes more lines than another one has to save more
#: by this share.
_WORTH = 0.02


def advise(timeline: Timeline) -> list[Advice]:
    """All changes that are worth it, the greatest gain first, and of those alike the one that changes fewer lines."""
    if not len(timeline.log):
        return []
    left = [entry for entry in _all(Question(timeline)) if entry.gain >= _WORTH]
    found = []
    while left:
        most = max(entry.gain for entry in left)
        alike = [entry for entry in left if entry.gain > most - _WORTH]
        found.append(min(alike, key=lambda entry: (entry.lines, -entry.gain)))
        left = [entry for entry in left if entry is not found[-1] and not _same_change(entry, found[-1])]
    return found


def _same_change(one: Advice, other: Advice) -> bool:
    """Whether two pieces of advice are the same change to one line and to several."""
    return one.kind == other.kind and (one.lines > 1) != (other.lines > 1)


def _all(question: Question) -> Iterator[Advice]:
    yield from idle_cores(question)
    yield from uneven_work(question)
    if question.log.kind.transactions:  # what blocks of threads do has no order
        return
    yield from overlaps(question)
    yield from waits(question)
    yield from fewer_copies(question)
    yield from kept_copies(question)
    yield from shared_copies(question)
    yield from strided_copies(question)
    yield from short_instructions(question)
    yield from scalar_code(question)
    yield from far_scalars(question)
