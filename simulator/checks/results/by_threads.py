"""How elements came about in a kernel of thread blocks: what single threads have read and stored for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ...findings import OtherRun, Step
from ...flow import ThreadHistory, ThreadPart, merged
from ...log import Location, Log
from ..after_run import Given
from .scalar_code import Code

#: Elements of arrays that are named of each step.
_MOST_TAKEN = 4
#: What a step is called that no access is of.
SCALAR_CODE = "scalar code"

#: Gives the log of what the blocks do, access by access, that write the byte of device memory with a key.
Follow = Callable[[int], Log]
#: Gives the text of a source, "" where it cannot be read.
Text = Callable[[str], str]


@dataclass(frozen=True)
class _Line:
    """What one line has done for an element: its accesses, how often, and what of the launch's arrays it has read."""

    location: Location
    accesses: tuple[str, ...]
    times: int
    task: int
    read: np.ndarray  # first keys of bytes, and those behind their last


class ThreadTrails:
    """What single threads have done for elements of arrays of a launch."""

    def __init__(self, follow: Follow, text: Text) -> None:
        self._follow, self._text = follow, text
        self._codes: dict[str, Code] = {}
        self._threads: dict[int, ThreadHistory] = {}

    def steps(self, arrays: Sequence[Given], key: int, size: int, core: int) -> tuple[Step, ...]:
        """The lines that have had a part in an element, the last first, then the scalar code behind them.

        The one that has written it is among them if it has read something, too. ``core`` is where its block ran.
        """
        lines = self._lines(key, size)
        if not lines:
            return ()
        found = [
            Step(" and ".join(line.accesses), line.location, core, line.task, _named(arrays, line.read))
            for line in lines
        ]
        found = found if len(lines[0].accesses) > 1 or len(lines[0].read) else found[1:]  # the finding names it
        named = [line.location for line in lines]
        return (*found, *(Step(SCALAR_CODE, place, core, lines[0].task) for place in self.behind(named)))

    def behind(self, named: Sequence[Location]) -> Iterator[Location]:
        """The scalar code behind lines that are named; then stores to the same arrays, and the code behind these.

        That they had no part may be what is wrong.
        """
        stores = [Location(place.file, line) for place in named for line in self._code(place.file).stores(place.line)]
        known = set(named)
        for places in (named, stores):
            behind = [[Location(p.file, line) for line in self._code(p.file).behind(p.line)] for p in places]
            for nearest in zip_longest(*behind):  # what is nearest to any of them comes first
                for place in nearest:
                    if place is not None and place not in known:
                        known.add(place)
                        yield place

    def apart(self, key: int, right: int, size: int, name: str, core: int) -> OtherRun | None:
        """The lines that have had another part in a right element than in a wrong one."""
        mine, its = ({line.location: line for line in self._lines(one, size)} for one in (key, right))
        found = []
        for place in dict.fromkeys([*its, *mine]):
            here, there = (lines[place].times if place in lines else 0 for lines in (mine, its))
            if here != there:
                line = its.get(place) or mine[place]
                said = f"{' and '.join(line.accesses)} ({_times(there)}, here {_times(here)})"
                found.append(Step(said, place, core, line.task))
        return OtherRun(f"{name} is right, and differs", tuple(found)) if found else None

    def _lines(self, key: int, size: int) -> list[_Line]:
        threads = self._of(key)
        places = threads.log.locations

        def feeds(written: int, read: int) -> bool:
            to, of = places[written], places[read]
            return to.file != of.file or self._code(to.file).feeds(to.line, of.line)

        part = threads.part(key, size, feeds)
        return list(_by_line(threads, part))

    def _of(self, key: int) -> ThreadHistory:
        """The threads of the blocks that write an element, up to where they do so last."""
        if key not in self._threads:
            self._threads[key] = ThreadHistory(self._follow(key))
        return self._threads[key]

    def _code(self, file: str) -> Code:
        if file not in self._codes:
            self._codes[file] = Code(self._text(file))
        return self._codes[file]


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _by_line(threads: ThreadHistory, part: ThreadPart) -> Iterator[_Line]:
    """What had a part by its lines, the last first."""
    log, events = threads.log, part.events[::-1]
    numbers = log.records["loc"][events]
    given = np.isin(events, part.given)
    _, firsts = np.unique(numbers, return_index=True)
    for first in np.sort(firsts).tolist():
        mine = numbers == numbers[first]
        titles = [log.ops[number].title for number in log.records["op"][events[mine]].tolist()]
        read = events[mine & given]
        ranges = merged(np.stack([threads.begin[read], threads.begin[read] + threads.size[read]], axis=1))
        task = int(log.records["task"][events[first]])
        yield _Line(
            log.locations[int(numbers[first])], tuple(dict.fromkeys(titles)), titles.count(titles[0]), task, ranges
        )


def _named(arrays: Sequence[Given], ranges: np.ndarray) -> tuple[str, ...]:
    """The elements of arrays that bytes are of."""
    found = []
    for begin, end in ranges[:_MOST_TAKEN].tolist():
        for array in arrays:
            if array.key <= begin < array.end:
                size = array.dtype.itemsize
                first, last = (begin - array.key) // size, min(end - 1 - array.key, array.bytes - 1) // size
                found.append(array.element(first) + (f" to {array.element(last)}" if last > first else ""))
                break
    return tuple(found)
