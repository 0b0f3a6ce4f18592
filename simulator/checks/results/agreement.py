"""Two launches that should leave the same: elements that both have written, and that differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...findings import ADVICE, WARNING, Differing, Finding, OtherRun, Step, rules
from ...flow import History, Span, Writers, common
from ...log import Log
from ...structures import same_bytes
from ..after_run import Given
from .expectations import Expectations
from .left import Left, offset_of, within
from .left_out import lacking, left_out
from .shares import by_blocks, for_each_task, of_its_part, written_by_several
from .wrong import differing, wrong_results

#: Of the elements that a launch with a smaller count writes, too, so many agree where the counts have a relation. A
#: larger share is an element at the edge, which may well differ.
_RELATED = 0.9, 0.9999
#: Elements that agree there are as good as equal: they are further apart than so many roundings where a sum has fewer.
_ROUNDINGS = 4
#: Of a constant that may be the length of a row, so many elements agree where it is that of a tile.
_MOSTLY = 0.5
#: Elements of an array of which one can say that most differ.
_LARGER = 8
#: Pieces of an array that are compared one by one.
_MOST_PIECES = 1 << 12


class Count(NamedTuple):
    """A count that a launch passes, and the smaller one of another launch, which does a part of the same work."""

    value: int
    less: int

    @property
    def portion(self) -> float:
        """Less than 1."""
        return self.less / self.value

    def leaves_out(self, numbers: np.ndarray) -> np.ndarray:
        """Which elements are whole numbers that count what is left out, such as the index of a box, bool."""
        if numbers.dtype.kind not in "iu":
            return np.zeros(numbers.shape, bool)
        found: np.ndarray = (numbers >= self.less) & (numbers < self.value)
        return found


class TileSize(NamedTuple):
    """A constant that may say how large tiles are: its name, its number and a smaller one; ``sure``: it does."""

    name: str
    value: int | str
    less: int | str
    sure: bool = False


def disagreements(
    mine: Left,
    theirs: Left,
    arrays: Sequence[Given],
    count: Count | None = None,
    tile: TileSize | None = None,
    asked: bool = True,
) -> Iterator[Finding]:
    """The arrays of which both have written elements that are further apart than rounding explains.

    Rounding explains half of the digits of a float (2.4e-4 of float32), relative to the element or, where that is more,
    to the mean of all; integers have to agree.

    - With a smaller ``count``, nine of ten elements have to agree, and the first that does not must not be made of what
      lies behind that part of any array. Whole numbers that count what is left out, such as indices, may differ. It is
      advice if it is the only one.
    - With a smaller ``tile``, both launches have to touch the same bytes: else the constant is no size of tiles.
    - Without either, what one launch has written and the other has not is a finding, too.

    Unless this number of tasks was ``asked`` for, arrays with one result for each task are passed over. Findings are
    then advice where tasks read again what they have written, such as sums of their parts, and other results agree; and
    for a launch of one task, or of the tasks of one cluster, if several of the other's tasks write the same elements.
    """
    found = list(_disagreements(mine, theirs, arrays, count, tile, asked))
    few = found and not (asked or tile or count)
    vague = _read_again(mine, arrays, {one.operand for one in found}) if few else set()
    if few and _is_of_one(mine.log):  # it may be written for one
        vague |= {array.name for array in arrays if written_by_several(theirs.log, array)}
    for one in found:
        yield replace(one, severity=ADVICE) if one.operand in vague else one


def _is_of_one(log: Log) -> bool:
    """Whether a launch has one task, or those of one cluster."""
    return log.tasks <= max(1, min(log.kind.together(log.shape), log.shape.cores_per_cluster))


def _read_again(launch: Left, arrays: Sequence[Given], differ: set[str]) -> set[str]:
    """The arrays of which a launch reads what it has written, if it also writes one that it does not, which agrees."""
    written = {array.name: launch.written(array) for array in arrays}
    again = {name for array in arrays if len(common(written[name := array.name], launch.read(array)))}
    results = {name for name, ranges in written.items() if len(ranges)} - again
    return again if results - differ else set()


def _disagreements(
    mine: Left, theirs: Left, arrays: Sequence[Given], count: Count | None, tile: TileSize | None, asked: bool
) -> Iterator[Finding]:
    """The same, array by array."""
    if tile and not touch_the_same(mine, theirs):
        return
    for array, here, there in zip(arrays, mine.contents, theirs.contents, strict=True):
        if here is None or there is None or (not asked and for_each_task(mine.log, theirs.log, array)):
            continue
        if not count and not tile and (found := left_out(mine, theirs, array, asked)):
            yield found
        if _alike(mine, theirs, array, here, there):
            continue
        changed = _changed(here, there)
        both = written_of(mine, array, here) & written_of(theirs, array, there)
        if not (both & changed).any():
            continue
        far = Expectations(None).wrong(there, here)
        different = far[both[far]]
        if count:
            different = different[~count.leaves_out(here.reshape(-1)[different])]
        sure = not tile or _is_tile(tile, array)
        low, high = _RELATED if count else (0.0 if sure else _MOSTLY, 1.0)
        if len(different) and (not low or low <= _agreeing(here, there, both, different) <= high):
            one, other = Side(mine, here), Side(theirs, there)
            key = array.key + int(different[0]) * array.dtype.itemsize
            if not count or not _takes_more(mine, arrays, array, key, count.portion):
                of_splits = rules.results.tile_dependent if tile else rules.results.split_dependent
                worded = rules.results.count_dependent if count else of_splits
                found = difference(one, other, arrays, array, different, worded)
                moved = count and (len(different) == 1 or _moved(mine, theirs, key, found))
                yield found if sure and not moved else replace(found, severity=ADVICE)


def of_grids(mine: Left, theirs: Left, arrays: Sequence[Given], fewer: bool, fixed: bool = False) -> Iterator[Finding]:
    """The arrays in which launches on two grids of thread blocks leave something else, which they should not.

    If both touch the same bytes, the threads share the work, however many there are: all that both have written has to
    agree, but for results that each block makes of its part of the inputs. Else the kernel may not be written for the
    other grid, and only one thing is known: with ``fewer`` threads, it has nothing to write that the launch has not. If
    a grid that has not fewer stores more, its blocks repeat each other's work, and nothing is said.

    It is advice if atomics decide whose turn it is; if most of a larger array differs, as random numbers of each thread
    do; if the source has ``fixed`` another number of threads for a block; if each block has a part of its own; and if
    the launch has one block, in which all threads may work together, and the other grid has more.
    """
    if not fewer and theirs.accesses.stored > mine.accesses.stored:
        return
    if not touch_the_same(mine, theirs):
        for array in arrays:
            if fewer and array.output and (found := lacking(mine, theirs, array)):
                yield replace(found, severity=ADVICE if fixed else WARNING)
        return
    sides = zip(arrays, mine.contents, theirs.contents, strict=True)
    drawn = {
        array.name for array, here, there in sides if here is not None and there is not None
        and here.size >= _LARGER and len(Expectations(None).wrong(there, here)) > here.size * _MOSTLY
    }  # fmt: skip
    by_name = {array.name: array for array in arrays}
    for one in disagreements(mine, theirs, arrays):
        array = by_name[one.operand]
        if of_its_part(mine.log, theirs.log, array):
            continue
        alone = math.prod(mine.log.launch["dim"]) == 1 < math.prod(theirs.log.launch["dim"])
        vague = fixed or alone or one.operand in drawn or mine.log.is_by_turns(one.instruction)
        if one.region and not vague and by_blocks(mine.log, theirs.log, array):
            vague = _moved(mine, theirs, array.key + one.region.offset - offset_of(array), one)
        yield replace(one, severity=ADVICE if vague else WARNING)


def of_locals(mine: Left, theirs: Left, arrays: Sequence[Given]) -> Iterator[Finding]:
    """The arrays that hold something else when local variables that nothing sets hold other bytes."""
    for array, here, there in zip(arrays, mine.contents, theirs.contents, strict=True):
        if here is None or there is None or not _changed(here, there).any():
            continue
        different = Expectations(None).wrong(there, here)
        if len(different):
            one, other = Side(mine, here), Side(theirs, there)
            found = difference(one, other, arrays, array, different, rules.uninitialized.reaching)
            yield replace(found, other=None, related=None)  # they have gone the same way


def of_places(
    mine: Left, arrays: Sequence[Given], array: Given, values: tuple[np.ndarray, np.ndarray], different: np.ndarray,
    places: tuple[int, int, Sequence[int]],
) -> Finding:  # fmt: skip
    """Elements of an array that are others with two places along an axis exchanged.

    ``values``: what it holds without and with that; ``places``: how many there are, a usual one, and the odd ones.
    """
    one, other = (Side(mine, held) for held in values)
    found = _traced(one, other, arrays, array, different)
    return _at(found, rules.results.place_dependent(differing(array, different, *values), places))


def _agreeing(here: np.ndarray, there: np.ndarray, both: np.ndarray, different: np.ndarray) -> float:
    """The share of elements that are as good as equal, of those that both write and that say something.

    One that is 0 in both says nothing.
    """
    mine, theirs = here.reshape(-1)[both], there.reshape(-1)[both]
    telling = mine.astype(bool) | theirs.astype(bool)
    near = _ROUNDINGS * Expectations({}).limit(here.dtype) ** 2
    apart = Expectations({}, near).wrong(theirs, mine)
    return 1 - max(len(different), len(apart)) / max(1, int(telling.sum()))


def _moved(mine: Left, theirs: Left, key: int, found: Finding) -> bool:
    """Whether an element is made of other elements in the other launch."""
    if mine.made_of and theirs.made_of:
        return not np.array_equal(mine.made_of(key), theirs.made_of(key))
    return _given_to(found.trail) != _given_to(found.other.steps if found.other else ())


def _given_to(steps: Sequence[Step]) -> set[str]:
    """The elements of arrays of the launch that steps have taken."""
    return {taken for step in steps for taken in step.taken}


def touch_the_same(one: Left, other: Left) -> bool:
    """Whether two launches read the same bytes of the device, and write the same."""
    return all(
        np.array_equal(mine, theirs) for mine, theirs in zip(one.accesses.touched, other.accesses.touched, strict=True)
    )


def _is_tile(tile: TileSize, array: Given) -> bool:
    """Whether a constant is no length of rows: it does not divide the elements of an array that is written."""
    return tile.sure or (isinstance(tile.value, int) and array.count % tile.value != 0)


def _alike(one: Left, other: Left, array: Given, here: np.ndarray, there: np.ndarray) -> bool:
    """Whether what both launches have written of an array is the same to the byte, as it is most often."""
    if not (one.accesses.is_known and other.accesses.is_known and here.flags.c_contiguous and there.flags.c_contiguous):
        return False
    both = common(one.written(array), other.written(array))
    mine, theirs = (values.reshape(-1).view(np.uint8) for values in (here, there))
    pieces = (slice(*piece) for piece in both.tolist())
    return len(both) <= _MOST_PIECES and all(same_bytes(mine[piece], theirs[piece]) for piece in pieces)


def _changed(here: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Of every element of an array whether its bytes are others, bool."""
    alike = here.itemsize in (1, 2, 4, 8)
    whole = np.dtype(f"u{here.itemsize}") if alike else np.dtype(np.uint8)
    mine, theirs = (np.ascontiguousarray(part).reshape(-1).view(whole) for part in (here, there))
    changed: np.ndarray = mine != theirs
    return changed if alike or not here.size else np.any(changed.reshape(here.size, -1), axis=1)


def written_of(left: Left, array: Given, held: np.ndarray) -> np.ndarray:
    """Of every element of an array that holds this now whether it has been written, bool.

    Where a record of scalar stores does not say which bytes, those are that hold something else than before.
    """
    size, count = array.dtype.itemsize, array.count
    if not left.accesses.is_known:
        rows = Writers(left.accesses).last(array.key, size, np.arange(count))
        written: np.ndarray = rows >= 0
        if left.begun:
            vague = np.isin(rows, left.log.runs["operand"][left.log.runs["run"] == 0])
            written &= ~vague | _changed(held, left.begun(array))
        return written
    made = np.zeros(count, bool)
    for low, high in left.written(array).tolist():
        made[low // size : -(-high // size)] = True
    return made


def _takes_more(mine: Left, arrays: Sequence[Given], array: Given, key: int, portion: float) -> bool:
    """Whether the element at a key is made of what lies behind the first part of an array that was given."""
    others = [one for one in arrays if one is not array]
    if mine.made_of:
        taken = mine.made_of(key)
        behind = ((offset_of(one) + math.ceil(one.bytes * portion), offset_of(one) + one.bytes) for one in others)
        return any(len(within(taken, low, high)) > 0 for low, high in behind)
    size, history = array.dtype.itemsize, History(mine.log)
    row = history.writers.last_of(array.key, size, (key - array.key) // size)
    spans = (span for made in history.trail(row, Span(key, key + size)) for span in made.taken)
    ends = [(one.key, one.end, one.key + math.ceil(one.bytes * portion)) for one in others]
    return any(low <= span.begin < high and span.end > end for span in spans for low, high, end in ends)


class Side(NamedTuple):
    left: Left
    values: np.ndarray  # what the array holds that differs


def difference(
    mine: Side, theirs: Side, arrays: Sequence[Given], array: Given, different: np.ndarray,
    worded: Callable[[Differing, tuple[str, str]], Finding],
) -> Finding:  # fmt: skip
    found, other = (_traced(*sides, arrays, array, different) for sides in ((mine, theirs), (theirs, mine)))
    said = mine.left.said, theirs.left.said
    wording = worded(differing(array, different, mine.values, theirs.values), said)
    writer = Step(other.instruction, other.location, other.core, other.task)
    related = other.location if other.location != found.location else None
    return replace(_at(found, wording), related=related, other=OtherRun(theirs.left.said, (writer, *other.trail)))


def _at(found: Finding, wording: Finding) -> Finding:
    """A finding with other words, where another one is."""
    return replace(
        wording, instruction=found.instruction, region=found.region, kernel=found.kernel, core=found.core,
        task=found.task, location=found.location, count=found.count, cores=found.cores, tasks=found.tasks,
        trail=found.trail,
    )  # fmt: skip


def _traced(mine: Side, theirs: Side, arrays: Sequence[Given], array: Given, different: np.ndarray) -> Finding:
    """How the first different element came about in one of the launches."""
    masked = np.ma.masked_array(theirs.values, mask=np.ones(theirs.values.shape, bool))
    masked.mask.reshape(-1)[different] = False
    held = [replace(one, contents=mine.values.view) if one is array else one for one in arrays]
    return wrong_results([mine.left.log], held, Expectations({array.title: masked}, 0.0), in_source=False)[0]
