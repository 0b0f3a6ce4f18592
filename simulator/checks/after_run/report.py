"""The findings of what the pass over a log has found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from ....isa import DIALECTS, Barrier, Section
from ....isa.cached import cached_property
from ...findings import ERROR, Finding, failed, merged, merged_by, spoiled
from ...findings.rules import ENDING, bounds, empty, race, space, tiles, waits
from ...flow import Cause, Found, History, Kind, causes_of, distinct
from ...log import Location, Log, Region
from .axes import end_of_axis, end_of_tiles, end_of_two, first_place
from .banks import shared_banks
from .done_twice import done_twice
from .given import Given
from .holes import holes
from .instead import read_instead
from .left_out import left_out, untouched
from .loaded_twice import loaded_twice
from .memory_core import memory_core
from .missing_task import missing_task
from .missing_waits import missing_waits
from .not_finite import not_finite
from .of_threads import left_by_threads
from .off_grid import off_grid
from .one_part import one_part
from .slices import part_of_axis
from .touched import Touched, touched_arrays
from .unread_parts import unread_parts
from .untaken import untaken

#: The two instructions of a cause.
_ENDS = ("earlier", "later")
#: One mistake shows in several ways, of which one is told: a kind is not said where one of these of its instructions is
#: one of those of another kind.
GIVES_WAY = (
    (Kind.UNWAITED, ("later",), Kind.HAZARD, ("earlier",)),  # the wait that is missing there is missing here
    (Kind.PARTIAL, ("earlier",), Kind.LEFTOVER, _ENDS),  # what is made of the rest is said where it is stored
    (Kind.PARTIAL, ("earlier",), Kind.OVERRUN, ("earlier",)),  # or where the next tile is taken
    (Kind.OVERREAD, ("later",), Kind.OVERRUN, ("earlier",)),
    (Kind.LEFTOVER, ("earlier",), Kind.TWICE, ("earlier",)),  # what is made of the sum is said where it is added to
    (Kind.SHIFTED, _ENDS, Kind.LEFTOVER, _ENDS),
    (Kind.UNTAKEN, _ENDS, Kind.LEFTOVER, _ENDS),
    (Kind.UNUSED, ("earlier",), Kind.DEAD, ("earlier",)),  # which is so every time
    (Kind.UNUSED, ("earlier",), Kind.AGAIN, ("earlier",)),
)
#: A scalar access that may not happen ends its task: what the task would have waited for afterwards is not known.
_FAULTS, _SCALAR = (bounds.BOUNDS, space.SPACE), "scalar."

#: Instructions of two tasks that are compared, at most.
_MOST_ALIKE = 500

#: The advice on tiles that is looked for, by the kinds of what it finds.
ADVICE_ON_TILES = (Kind.PARTIAL, Kind.LEFTOVER, Kind.SHIFTED, Kind.UNTAKEN, Kind.OVERRUN, Kind.MIXED, Kind.TWICE)
#: The advice on arrays that is looked for.
ADVICE_ON_ARRAYS = (
    off_grid, first_place, end_of_tiles, end_of_two, missing_task, read_instead, left_out, holes, part_of_axis,
    unread_parts, one_part, end_of_axis, untaken, loaded_twice, not_finite,
)  # fmt: skip
#: The same of blocks of threads, which take elements where tasks take tiles.
ADVICE_OF_THREADS = (
    untouched, first_place, end_of_two, read_instead, left_by_threads, part_of_axis, end_of_axis, not_finite,
)  # fmt: skip
#: What does not speak of bytes that are left out of an array. All others do: only the first to find any is heard.
_NOT_OF_BYTES = (off_grid, untaken, loaded_twice, not_finite)
#: What is said of tiles.
_TILES = {
    Kind.PARTIAL: tiles.partial, Kind.LEFTOVER: tiles.leftover, Kind.SHIFTED: tiles.shifted,
    Kind.UNTAKEN: tiles.untaken, Kind.OVERRUN: tiles.overrun, Kind.OVERREAD: tiles.overread,
    Kind.MIXED: tiles.mixed, Kind.TWICE: tiles.twice,
}  # fmt: skip


def examine(
    log: Log, findings: Sequence[Finding], on_finding: str, given: Callable[[], Iterable[Given]] = tuple
) -> list[Finding]:
    """What the order of a launch's accesses breaks (hazards, races, copies without a wait), and lost work.

    ``findings`` are what the launch itself has reported; the arrays that were ``given`` are asked for where it has
    come to its end. Kernels that run as blocks of threads have checks of their own.
    """
    faults = [
        pair for f in findings if f.rule in _FAULTS and f.instruction.startswith(_SCALAR)
        for pair in product(f.cores or (f.core,), f.tasks or (f.task,))
    ]  # fmt: skip
    whole = came_to_end(findings, on_finding) and not log.left_out
    found = _found(log, whole, faults, ADVICE_ON_TILES)
    broken = spoiled(findings)  # an instruction that was left out has written nothing
    silent = any(finding.rule == empty.EMPTY for finding in findings)  # not to touch an array is the same then
    arrays = (
        [*touched_arrays(log, (array.in_rows for array in given()))] if not (broken or silent or log.left_out) else []
    )
    beside = [finding for array in arrays for finding in _advice_on(array)]
    beside += done_twice(arrays) if log.kind.transactions else memory_core(log)
    said = [*(_Report(log, found).findings() if found else ())]
    slow = () if broken or failed(said) else shared_banks(log)
    return merged([*said, *slow, *beside])


def _advice_on(array: Touched) -> Iterator[Finding]:
    """The advice on an array; of what is left out of it only the first that is found, and nothing if it is whole."""
    told = array.is_whole
    for advice in ADVICE_OF_THREADS if array.log.kind.transactions else ADVICE_ON_ARRAYS:
        if advice in _NOT_OF_BYTES:
            yield from advice(array)
        elif not told:
            found = list(advice(array))
            told = bool(found)
            yield from found


def came_to_end(findings: Iterable[Finding], on_finding: str) -> bool:
    """Whether a launch has come to its end, by what it has reported itself."""
    return not any(f.severity == ERROR and (on_finding == "raise" or f.rule in ENDING) for f in findings)


def dispensable(log: Log) -> list[Finding]:
    """What a launch could do without: waits that wait for nothing, and work that has no part in any result.

    None of a log that has not all of its launch.
    """
    found = None if log.left_out else _found(log, True, advice=[Kind.LOST, Kind.UNFED])
    if found is None:
        return []
    report = _Report(log, found)
    lost = [finding for finding in report.findings() if finding.rule == tiles.UNUSED]
    first = min(
        lost, key=lambda finding: bool(finding.operand), default=None
    )  # what is made in vain before what is fed
    return [*([first] if first else []), *report.redundant()]


def needed_waits(log: Log) -> frozenset[Location]:
    """The lines of waits that have had something to wait for, once at least."""
    found = None if log.left_out else _found(log, True)
    if found is None:
        return frozenset()
    needed = log.records[_is_wait(log) & (found.redundant == 0)]
    return frozenset(log.locations[place] for place in distinct(needed["loc"]).tolist())


def _is_wait(log: Log) -> np.ndarray:
    """Which records are waits that do nothing else, bool [records]."""
    return log.which(lambda op: op.waits and not op.operands and not op.barrier)


def _found(log: Log, whole: bool, faults: Sequence[tuple[int, int]] = (), advice: Collection[int] = ()) -> Found | None:
    return causes_of(log, whole, faults, advice) if len(log) and not log.kind.transactions else None


class _Report:
    def __init__(self, log: Log, found: Found) -> None:
        self.log, self.found, self.dialect = log, found, DIALECTS[log.shape.isa]

    def findings(self) -> list[Finding]:
        """One for each cause, and for all that one wait would put in order."""
        if not len(self.found.causes):
            return []
        causes = self.found.each()
        kinds = {cause.kind for cause in causes}
        ways = [way for way in GIVES_WAY if {way[0], way[2]} <= kinds]
        said = {
            (other, end): {self._place(getattr(cause, end)) for cause in causes if cause.kind == other}
            for _, _, other, ends in ways for end in ends
        }  # fmt: skip
        found: list[Finding] = []
        missing: list[Hashable] = []
        together = missing_waits(self.log, self.found.causes)
        for number, cause in enumerate(causes):
            others = (
                self._place(getattr(cause, mine)) in said[other, end]
                for first, own, other, ends in ways if first == cause.kind for mine in own for end in ends
            )  # fmt: skip
            if not any(others):
                cores, tasks = (np.flatnonzero(seen[number]).tolist() for seen in (self.found.cores, self.found.tasks))
                found.append(self._SAID[cause.kind](self, cause).but(cores=tuple(cores), tasks=tuple(tasks)))
                missing.append(together[number])
        return merged_by(found, missing)

    @cached_property
    def _history(self) -> History:
        return History(self.log)

    def _place(self, record: int) -> tuple[int, int]:
        return int(self.log.records["op"][record]), int(self.log.records["loc"][record])

    def _pipe(self, record: int) -> str:
        return self.log.pipes[int(self.log.records["pipe"][record])]

    def _wait_for(self, pipe: str) -> str:
        wait = self.dialect.wait_for(pipe)
        return f"{wait}()" if wait else ""

    def _seen(self, finding: Finding, cause: Cause) -> Finding:
        """The finding of a cause with where it was seen first."""
        return finding.at(self.log, cause.later, count=cause.times)

    def _region(self, cause: Cause) -> Region:
        return self.log.region(cause.key, cause.bytes)

    def _operand(self, cause: Cause) -> str:
        return self.log.op(cause.later).operands[cause.operand]

    def _between(self, finding: Finding, cause: Cause) -> Finding:
        """The finding of a cause in which two instructions use the same bytes."""
        related, operand = self.log.location(cause.earlier), self._operand(cause)
        return self._seen(finding, cause).but(related=related, operand=operand, region=self._region(cause))

    def _hazard(self, cause: Cause) -> Finding:
        earlier = cause.earlier
        name, pipe = self.log.op(cause.later).name, self._pipe(earlier)
        wait = self._wait_for(pipe)
        if {pipe, self._pipe(cause.later)} <= set(self.dialect.queues):  # side by side in a section
            ends = (e for e in self.dialect.instructions if isinstance(e.effect, Section) and not e.effect.opens)
            wait = f"{next(ends).name}()"
        longer = self._reaching_over(cause)
        return self._between(waits.hazard(name, self.log.op(earlier).name, pipe, wait, longer), cause)

    def _reaching_over(self, cause: Cause) -> str:
        """The instruction whose operand begins first, of two that lie in each other in part only; "" for others."""
        later, operand = cause.later, cause.operand
        mine = [region for _, _, region in self.log.regions(later)][operand]
        for _, _, other in self.log.regions(cause.earlier):
            if (other.space, other.owner, other.lanes, mine.lanes) == (mine.space, mine.owner, 0, 0):
                (first, name), (second, _) = sorted(
                    ((region.offset, region.offset + region.bytes), self.log.op(record).name)
                    for region, record in ((mine, later), (other, cause.earlier))
                )
                if first[0] < second[0] < first[1] < second[1]:
                    return name
        return ""

    def _race(self, cause: Cause) -> Finding:
        later, earlier = cause.later, cause.earlier
        records = self.log.records
        name, other = self.log.op(later).name, self.log.op(earlier).name
        who, whom = int(records["task"][later]), int(records["task"][earlier])
        mine, task = f"task {who}", f"task {whom}"
        if who == whom:  # a memory core runs the task beside the others
            mine, task = (self._core(int(records["core"][record])) for record in (later, earlier))
        shared, barrier = self._region(cause).space, self._barrier(later, earlier)
        shares = who != whom and self._place(later) == self._place(earlier) and self._written_by_both(cause)
        repeats = who != whom and self._do_the_same(who, whom, shared)
        return self._between(race.of_tasks(name, mine, other, task, shared, barrier, shares, repeats), cause)

    def _do_the_same(self, task: int, other: int, space: str) -> bool:
        """Whether two tasks run the same instructions, as far as `_MOST_ALIKE`, on the same bytes of a shared space."""
        records = self.log.records
        mine, theirs = (np.flatnonzero(records["task"] == one) for one in (task, other))
        return len(mine) == len(theirs) and all(
            self._place(one) == self._place(two) and self._shared_in(one, space) == self._shared_in(two, space)
            for one, two in zip(mine[:_MOST_ALIKE].tolist(), theirs[:_MOST_ALIKE].tolist(), strict=True)
        )

    def _shared_in(self, record: int, space: str) -> list[tuple[bool, Region]]:
        return [(written, region) for _, written, region in self.log.regions(record) if region.space == space]

    def _core(self, number: int) -> str:
        cores = self.log.shape.cores
        return f"core {number}" if number < cores else f"the memory core of cluster {number - cores}"

    def _written_by_both(self, cause: Cause) -> bool:
        """Whether both instructions of a cause write its first byte."""
        at = self._region(cause)
        return all(
            any(
                written and (own.space, own.owner) == (at.space, at.owner)
                and own.offset <= at.offset < own.offset + own.bytes
                for _, written, own in self.log.regions(getattr(cause, end))
            )
            for end in _ENDS
        )  # fmt: skip

    def _barrier(self, later: int, earlier: int) -> str:
        """A barrier at which both cores meet; "" where there is none: tasks that may run one after the other."""
        records, shape = self.log.records, self.log.shape
        tasks = self.log.kind.together(shape)
        if tasks == 1 or (tasks and records["task"][later] // tasks != records["task"][earlier] // tasks):
            return ""
        cores = [int(records["core"][record]) for record in (later, earlier)]
        clusters = {c // shape.cores_per_cluster if c < shape.cores else c - shape.cores for c in cores}
        effects = {e.name: e.effect for e in self.dialect.instructions if isinstance(e.effect, Barrier)}
        wanted = "" if max(cores) >= shape.cores else "ipu"
        for reach in ["cluster", "union"] if len(clusters) == 1 else ["union"]:
            for members in ("", wanted):
                for name, effect in effects.items():
                    if effect.reach == reach and effect.members == members:
                        return f"{name}()"
        return ""

    def _unwaited(self, cause: Cause) -> Finding:
        later = cause.later
        name, pipe = self.log.op(later).name, self._pipe(later)
        return self._seen(waits.unwaited(name, pipe, self._wait_for(pipe), bool(self.dialect.queues)), cause)

    def _unused(self, cause: Cause) -> Finding:
        name, other = (self.log.op(record).name for record in (cause.later, cause.earlier))
        return self._between(tiles.unused(name, other, cause.later != cause.earlier), cause)

    def _dead(self, cause: Cause) -> Finding:
        said, (later, earlier) = self._unused(cause), (cause.later, cause.earlier)
        # The same on the same operands, again and again, is done for the time that it takes; a default may be a habit.
        repeated = later != earlier and self._regions(later) == self._regions(earlier)
        return said if repeated or self._is_constant(earlier) else tiles.every_time(said)

    def _made_again(self, cause: Cause) -> Finding:
        said, (later, earlier) = self._unused(cause), (cause.later, cause.earlier)
        # Of the same operands, which nothing has written in between, it is done for the time that it takes.
        repeated = self._regions(later) == self._regions(earlier) and self._makers(later) == self._makers(earlier)
        return said if repeated or self._is_constant(earlier) else tiles.made_again(said)

    def _is_constant(self, record: int) -> bool:
        """Whether an instruction fills a tile, or works on fills alone."""
        if len(self.log.op(record).operands) == 1:
            return True
        makers = self._makers(record)
        read = self._history.reads(record)
        return not read or (len(makers) > 0 and all(len(self.log.op(maker).operands) == 1 for maker in makers))

    def _regions(self, record: int) -> list[tuple[str, bool, Region]]:
        return [*self.log.regions(record)]

    def _makers(self, record: int) -> list[int]:
        """The records that have written what a record reads."""
        spans = self._history.reads(record)
        return [int(self.log.owners[row]) for span in spans for row in self._history.writers.before(record, span)]

    def _lost(self, cause: Cause) -> Finding:
        name, some = self.log.op(cause.later).name, cause.later != cause.earlier
        return self._seen(tiles.lost(name, some), cause).but(region=self._region(cause))

    def _unfed(self, cause: Cause) -> Finding:
        said = self._seen(tiles.unfed(self.log.op(cause.later).name), cause)
        return said.but(operand=self._operand(cause), region=self._region(cause))

    def _wasted(self, cause: Cause) -> Finding:
        name = self.log.op(cause.later).name
        return self._seen(tiles.wasted(name), cause).but(region=self._region(cause))

    def _tile(self, cause: Cause) -> Finding:
        name, other = (self.log.op(record).name for record in (cause.later, cause.earlier))
        return self._between(_TILES[cause.kind](name, other, cause.bytes), cause)

    _SAID = {
        Kind.HAZARD: _hazard, Kind.RACE: _race, Kind.UNWAITED: _unwaited, Kind.UNUSED: _unused, Kind.DEAD: _dead,
        Kind.AGAIN: _made_again, Kind.WASTED: _wasted, Kind.LOST: _lost, Kind.UNFED: _unfed,
        **dict.fromkeys(_TILES, _tile),
    }  # fmt: skip

    def redundant(self) -> Iterator[Finding]:
        """Waits at a line that changed nothing whenever it was executed, but what a kernel has to begin with."""
        log, redundant = self.log, self.found.redundant
        if not redundant.any():
            return
        records = np.flatnonzero(_is_wait(log))
        places = log.records["loc"][records].astype(np.int64) << 16 | log.records["op"][records]
        for place in distinct(places[redundant[records] > 0]).tolist():
            mine = records[places == place]
            if not redundant[mine].all() or log.records["first"][mine[0]] == 0 or not log.location(int(mine[0])).line:
                continue
            nothing = bool((redundant[mine] == 1).all())
            yield waits.redundant(log.op(mine[0]).name, nothing).at_all(log, mine)
