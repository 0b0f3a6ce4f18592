"""The findings of results that are not what was expected: which elements, who wrote them, of what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.memory import holds_constants
from ...findings import Differing, Finding, OtherRun, Step, rules
from ...flow import History, Span
from ...log import NOWHERE, Location, Log, joined
from ..after_run import Given
from .by_threads import SCALAR_CODE, Follow, ThreadTrails
from .expectations import Expectations
from .scalar_code import lines_behind

#: Causes of one array that are told apart, steps that are kept of each, elements that are kept of each step.
_MOST_CAUSES, _MOST_STEPS, _MOST_TAKEN = 16, 128, 4
#: Wrong elements that are compared with what is expected elsewhere, and the least that make a pattern.
_SAMPLE, _PATTERN = 256, 4
#: Right elements that are looked at for one that comes from the same line, the nearest.
_NEAR = 256
#: Instructions of a trail whose places and sizes are followed, bytes of a source that is read for them.
_FOLLOWED, _MOST_SOURCE = 4, 1 << 24


def wrong_results(
    logs: Sequence[Log], arrays: Sequence[Given], expected: Expectations, in_source: bool = True,
    follow: Follow | None = None,
) -> list[Finding]:  # fmt: skip
    """A finding for every line whose instruction was the last to write wrong elements of an array.

    ``logs`` are those of the launches that may have written them, in order. The trail says what had a part in the first
    element, up to the arrays that were given; of blocks of threads it is known where ``follow`` runs the launch again.
    With ``in_source`` it ends with the lines that its instructions have their places and sizes from, as far as the text
    of the source says so.
    """
    log, ends = joined(logs), np.cumsum([len(one) for one in logs])
    history, found = None, []
    followed = ThreadTrails(follow, _source) if follow else None
    for array, right in expected.matched(arrays):
        got = array.contents().copy() if follow else array.contents()
        wrong, limit = expected.wrong(got, right), expected.limit(array.dtype)
        if not len(wrong):
            continue
        history = history or History(log)
        writers = history.writers.last(array.key, array.dtype.itemsize, wrong)
        if not log.exact:  # what each line of a block has touched is not known to the byte
            writers[:] = writers.max()
        records = np.where(writers < 0, -1, log.owners[writers] if len(log.owners) else -1)
        places = _places(log, records)
        _, firsts = np.unique(places, return_index=True)
        for first in np.sort(firsts)[:_MOST_CAUSES].tolist():
            mine = np.flatnonzero(places == places[first])
            values = got.ravel(), np.ma.getdata(right).ravel()
            cause = _Cause(log, history, array, *values, wrong[mine], wrong, limit, followed)
            launched = logs[min(int(np.searchsorted(ends, records[first], "right")), len(logs) - 1)]
            said = cause.finding(arrays, int(writers[first]), records[mine], launched.kernel)
            found.append(_with_scalar_code(said) if in_source and not log.kind.transactions else said)
    return found


def _with_scalar_code(finding: Finding) -> Finding:
    """A finding with the lines that say where its instructions work, and on how much."""
    own = finding.location
    if not own.line or own.file.endswith(".py"):
        return finding
    places = dict.fromkeys([own, *(step.location for step in finding.trail)])
    at = [place.line for place in places if place.file == own.file][:_FOLLOWED]
    known = {place.line for place in places if place.file == own.file}
    lines = [line for line in lines_behind(_source(own.file), at) if line not in known]
    steps = (Step(SCALAR_CODE, Location(own.file, line), finding.core, finding.task) for line in lines)
    return replace(finding, trail=(*finding.trail, *steps))


def _source(file: str) -> str:
    """The text of a source; "" where it cannot be read."""
    path = Path(file)
    try:
        return path.read_text("utf-8", "replace") if path.stat().st_size <= _MOST_SOURCE else ""
    except (OSError, ValueError):
        return ""


def _places(log: Log, records: np.ndarray) -> np.ndarray:
    """A number for the instruction and the line of each record; -1 for no record."""
    if not len(log):
        return records
    rows = log.records[records]
    return np.where(records < 0, -1, rows["op"].astype(np.int64) << 32 | rows["loc"].astype(np.int64))


class _Cause:
    """Wrong elements of an array that one line has written."""

    def __init__(
        self, log: Log, history: History, array: Given, got: np.ndarray, right: np.ndarray, wrong: np.ndarray,
        all_wrong: np.ndarray, limit: float, followed: ThreadTrails | None,
    ) -> None:  # fmt: skip
        self._followed = followed
        self._log, self._history, self._array, self._limit = log, history, array, limit
        self._got, self._right, self._wrong, self._all_wrong = got, right, wrong, all_wrong

    def finding(self, arrays: Sequence[Given], row: int, records: np.ndarray, kernel: str) -> Finding:
        """What there is to say of them; ``row`` is the operand that has written the first."""
        log, array, first = self._log, self._array, int(self._wrong[0])
        size, key = array.dtype.itemsize, array.key + first * array.dtype.itemsize
        span = Span(key, key + size)
        region = log.region(key, (int(self._wrong[-1]) - first + 1) * size)
        one = array.element(first), shown(self._got[first]), shown(self._right[first])
        counts = len(self._wrong), len(self._all_wrong), self._right.size
        if row < 0:
            beside = self._written_beside()
            pattern = "never written" + ", only what lies beside it" * bool(beside)
            return rules.results.wrong(counts, array.name, one, pattern, self._limit, written=False).but(
                kernel=kernel, region=region, location=(*beside, NOWHERE)[0],
                related=beside[1] if len(beside) > 1 else None, trail=self._steps_beside(beside),
            )  # fmt: skip
        steps = self._steps(arrays, row, span)
        return rules.results.wrong(counts, array.name, one, self._pattern(), self._limit, written=True).at_all(
            log, [*dict.fromkeys(records.tolist())], kernel=kernel, instruction=log.op(int(records[0])).title,
            region=region, trail=steps, other=self._otherwise(arrays, (row, span), steps),
        )  # fmt: skip

    def _written_beside(self) -> list[Location]:
        """The lines that have written the elements before the first wrong ones and behind them, if they differ."""
        array, wrong = self._array, self._wrong
        together = int(np.argmax(np.append(np.diff(wrong) > 1, True)))
        beside = np.array([at for at in (int(wrong[0]) - 1, int(wrong[together]) + 1) if 0 <= at < self._right.size])
        rows = self._history.writers.last(array.key, array.dtype.itemsize, beside) if len(beside) else beside
        return list(dict.fromkeys(self._log.location(int(self._log.owners[row])) for row in rows.tolist() if row >= 0))

    def _steps_beside(self, beside: Sequence[Location]) -> tuple[Step, ...]:
        """The scalar code behind the lines that have written beside elements that were never written, of threads."""
        behind = self._followed.behind(beside) if self._followed else ()
        return tuple(Step(SCALAR_CODE, place, -1, -1) for place in behind)

    def _otherwise(self, arrays: Sequence[Given], wrong: tuple[int, Span], steps: Sequence[Step]) -> OtherRun | None:
        """The steps that the nearest right element has had and the first wrong one has not."""
        array, size = self._array, self._array.dtype.itemsize
        right = np.setdiff1d(np.arange(self._right.size), self._all_wrong, assume_unique=True)
        if not len(right):
            return None
        near = np.sort(right[np.argsort(np.abs(right - int(self._wrong[0])), kind="stable")[:_NEAR]])
        rows = self._history.writers.last(array.key, size, near)
        if self._followed:  # one that comes from somewhere else says nothing
            same = (rows >= 0) & (self._place_of(rows) == self._place_of(np.array([wrong[0]])))
            near, rows = near[same], rows[same]
        if not len(near):
            return None
        at = int(np.argmin(np.abs(near - int(self._wrong[0]))))
        nearest, row = int(near[at]), int(rows[at])
        if row < 0:
            return None
        key = array.key + nearest * size
        if self._followed:
            core = int(self._log.records["core"][self._log.owners[row]])
            return self._followed.apart(wrong[1].begin, key, size, array.element(nearest), core)
        if self._log.kind.transactions:
            return None
        mine = {step.place for step in (self._step_of(wrong[0]), *steps)}
        its = {step.place: step for step in (self._step_of(row), *self._steps(arrays, row, Span(key, key + size)))}
        missing = tuple(step for place, step in its.items() if place not in mine)
        return OtherRun(f"{array.element(nearest)} is right, and has had this part", missing) if missing else None

    def _place_of(self, rows: np.ndarray) -> np.ndarray:
        """The lines of rows of the operand table, by their numbers."""
        places: np.ndarray = self._log.records["loc"][self._log.owners[rows]]
        return places

    def _step_of(self, row: int) -> Step:
        number = int(self._log.owners[row])
        record = self._log.records[number]
        name, location = self._log.op(number).title, self._log.location(number)
        return Step(name, location, int(record["core"]), int(record["task"]))

    def _steps(self, arrays: Sequence[Given], row: int, span: Span) -> tuple[Step, ...]:
        """The lines that have had a part in some bytes, the last first, without the one that wrote them."""
        log = self._log
        if self._followed:
            core = int(log.records["core"][log.owners[row]])
            return self._followed.steps(arrays, span.begin, span.end - span.begin, core)
        steps: dict[tuple[str, Location], Step] = {}
        for made in self._history.trail(row, span):
            record = log.records[made.record]
            taken = tuple(self._named(arrays, part) for part in made.taken)
            name, location = log.op(made.record).title, log.location(made.record)
            step = steps.setdefault(
                (name, location), Step(name, location, int(record["core"]), int(record["task"]), ())
            )
            together = tuple(dict.fromkeys((*step.taken, *taken)))[:_MOST_TAKEN]
            steps[name, location] = replace(step, taken=together)
            if len(steps) > _MOST_STEPS:
                break
        writer, *others = steps.values()
        return (writer, *others) if writer.taken else tuple(others)

    def _named(self, arrays: Sequence[Given], span: Span) -> str:
        """Bytes that no instruction has written: elements of an array of the launch, or where they lie."""
        for array in arrays:
            if array.key <= span.begin < array.end:
                size = array.dtype.itemsize
                first, last = (span.begin - array.key) // size, min(span.end - 1 - array.key, array.bytes - 1) // size
                return array.element(first) + (f" to {array.element(last)}" if last > first else "")
        region = self._log.region(span.begin, span.end - span.begin, span.lane, span.lanes)
        space = self._log.shape.spaces[region.space]
        return "a constant of the code" if holds_constants(space, region.offset) else f"uninitialized {region}"

    def _pattern(self) -> str:
        """What the wrong elements have in common; "" if nothing is seen."""
        got, right, wrong = self._got, self._right, self._wrong
        values = got[wrong]
        with np.errstate(all="ignore"):
            if np.isnan(values.astype(np.complex128)).all():
                return "all of them are NaN" if len(wrong) > 1 else ""
        if not values.astype(bool).any() and len(wrong) > 1:
            return "all of them are 0"
        if len(wrong) < _PATTERN or not np.isfinite(values.astype(np.complex128)).all():
            return ""
        sample = wrong[np.linspace(0, len(wrong) - 1, min(len(wrong), _SAMPLE)).astype(np.int64)]
        if len(np.unique(got[sample])) < _PATTERN:
            return ""
        middle = int(sample[len(sample) // 2])
        same = np.flatnonzero(_near(right, got[middle], self._limit)) - middle
        for shift in same[np.argsort(np.abs(same), kind="stable")][:_SAMPLE].tolist():
            there = sample + shift
            inside = (there >= 0) & (there < len(right))
            alike = _near(right[there[inside]], got[sample[inside]], self._limit)
            if alike.sum() * 10 >= 9 * len(sample):
                where = "further on" if shift > 0 else "before"
                return f"they are what is expected {abs(shift)} element{'s' * (abs(shift) > 1)} {where}"
        return ""


def _near(right: np.ndarray, got: Any, limit: float) -> np.ndarray:
    right, got = (part.astype(np.complex128) for part in (right, got))
    near: np.ndarray = np.abs(right - got) <= limit * np.abs(right)
    return near


def differing(array: Given, numbers: np.ndarray, here: np.ndarray, there: np.ndarray) -> Differing:
    """The elements of an array that differ, by their numbers, with what two runs have left of the first."""
    first = int(numbers[0])
    one, other = (shown(values.reshape(-1)[first]) for values in (here, there))
    return Differing(array.name, len(numbers), array.count, array.element(first), one, other)


def shown(value: Any) -> str:
    """A value of NumPy as messages show it."""
    if value.dtype.kind in "iub":
        return str(value)
    return f"{complex(value) if value.dtype.kind == 'c' else float(value):.9g}"
