"""Elements that no thread of a grid has touched, where what is left out has a shape that a slip has."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from ...chip.launch_kinds import WARP
from ...findings import WARNING, Finding, rules
from .given import Given
from .touched import Touched
from .touched_elements import along_axes, elements_in, elements_of, runs_of, times_of

#: Elements of an array that are looked at, at most.
_MOST = 1 << 24
#: A part of an output that is left out of an input, too, is a slip where it is so small.
_SMALL = 1 / 8
#: Holes that may take turns, as the columns of a row do, and how often each does at least.
_MOST_IN_TURN, _TURNS = 4, 3
#: The share of an input that is left unread, at least, in however many holes.
_MOST_OF_IT = 2 / 3
#: Parts that the used beginning of a row may have, each as long as a number that is passed; that number, at least.
_MOST_PARTS, _PART = 8, 8
#: What lies between rows, as a share of them, at most.
_PITCH = 1 / 4
#: Parts of an input that are used beside the one that is left, at least.
_OTHERS = 3
#: Holes of an input, more of which tell that other elements are read instead of them.
_INSTEAD = 2


def left_by_threads(touched: Touched) -> Iterator[Finding]:
    """What threads leave out of an output, or of an input, as a wrong bound, index or number of blocks does.

    The elements lie together, or are equally many at equal distances, beside those before the first and behind the last
    that are touched; a border that is as wide at both ends is meant, and what has no such order depends on data. The
    launch is told how many elements the array has; or an input with as many that is read in full says that all of an
    output was meant, or, where they do not lie together, one that is read but for as large a part. It is a warning
    where the same few elements of an input are left out and not worked on. Of an input that is all there is
    to say, where they lie together, are most of it, or of the share of each block, see `_is_of_each_block`, or are one
    of several parts of rows. Of an output it is advice where they may be meant, as more than a few elements may be of
    what is updated in place, see
    `_is_of_a_part`.
    """
    array, count = touched.array, touched.array.count
    if not len(touched.written) or not 1 < count <= _MOST:
        return
    made = bool(touched.written.any())
    if made and not array.output:
        return
    left = ~elements_of(touched, array, made)
    low, high = runs_of(left)
    if not len(low) or not _is_regular(low, high, count):
        return
    missing, alike, sure = int(left.sum()), False, False
    in_place = made and _takes_what_it_held(touched)
    if (
        _is_of_a_step(array, left)
        or (in_place and _is_of_a_part(array, left))
        or (made and _is_pitch(array, low, high))
    ):
        return
    if made:
        for other in touched.others:
            theirs = None if touched.writes(other) else ~elements_of(touched, other, False)
            if theirs is None or theirs.all():
                continue
            share = len(low) > 1 and theirs.sum() * count == missing * theirs.size
            alike = alike or share or (theirs.size == count and not theirs.any())
            sure = sure or (bool(np.array_equal(theirs, left)) and missing <= count * _SMALL)
    told = _is_told(touched, count)
    instead = not made and len(low) > _INSTEAD and _others_instead(touched, left)
    most = told and (len(low) == 1 or missing >= count * _MOST_OF_IT)
    if not made and not (instead or most or _is_of_each_block(touched, low, high) or _is_one_of_parts(array, left)):
        return
    if made and not (told or alike):
        return
    size, pieces = array.dtype.itemsize, touched.pieces
    begin = int(low[0]) * size
    row = int(pieces.row[max(int(np.count_nonzero(pieces.begin <= array.key + begin)) - 1, 0)])
    meant = made and (_is_meant(touched, left, in_place) or _ends_as_told(array, low, high))
    sure = told and (sure or not touched.log.has_atomics) and not meant
    said = touched.left_out(made, sure, begin, missing * size, len(low), row)
    if instead:
        said = rules.left_out.repeated(said)
    elif not made and _is_end_of_list(touched, left):
        said = replace(said, severity=WARNING)
    yield said


def _others_instead(touched: Touched, left: np.ndarray) -> bool:
    """Whether elements that lie equally far from those that are left out are read twice as often as all others.

    Blocks and places of the source count, which is where an element may be read again.
    """
    times = times_of(touched, touched.array, False)
    usual = np.median(times[~left])
    again = np.flatnonzero(times > usual)
    holes = np.flatnonzero(left)
    if len(again) != len(holes) or (times[again] != 2 * usual).any() or (times[~left] < usual).any():
        return False
    return bool((again - holes == again[0] - holes[0]).all())


def _is_of_each_block(touched: Touched, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether each block, but perhaps the last, leaves as much of its share of an input: a warp's elements or more.

    No number that the launch passes says how long such a share is, nor either part of it.
    """
    blocks, starts = touched.log.tasks, np.unique(np.diff(low))
    if not max(2, blocks - 1) <= len(low) <= blocks or len(starts) != 1:
        return False
    share, left = int(starts[0]), int(high[0] - low[0])
    return left >= WARP and touched.array.counts.isdisjoint((share, left, share - left))


def _is_one_of_parts(array: Given, left: np.ndarray) -> bool:
    """Whether one of several parts of the places along an axis is all that is left, with used ones on both sides.

    Each part is as long as a number that the launch passes; three others or more are used.
    """
    for places in along_axes((~left).reshape(array.shape)):
        low, high = runs_of(~places)
        inner = (low > 0) & (high < len(places))
        if np.count_nonzero(inner) == 1:
            begin, part = int(low[inner][0]), int((high - low)[inner][0])
            if part >= _PART and part in array.counts and begin % part == 0 and places.sum() >= _OTHERS * part:
                return True
    return False


def _takes_what_it_held(touched: Touched) -> bool:
    """Whether an element of an array is read before the launch writes it: what it leaves then is not lost."""
    if touched.written.all():
        return False
    first = np.full((2, touched.array.count), len(touched.log), np.int64)
    records = touched.records
    ranges = elements_in(touched.pieces, touched.array)
    for begin, end, made, record in zip(*ranges, touched.written, records, strict=True):
        row = first[int(made), begin:end]
        np.minimum(row, record, out=row)
    read, written = first
    return bool(((read < written) & (written < len(touched.log))).any())


def _is_of_a_part(array: Given, left: np.ndarray) -> bool:
    """Whether a kernel that leaves such elements as they are works on a part of an array.

    They are most of it. Or the launch passes where the part begins and ends along each axis. Or it is the one element
    in the middle, where all others change places with those opposite.
    """
    missing = int(left.sum())
    middle = missing == 1 and left.size % 2 == 1 and bool(left[left.size // 2])
    return 2 * missing > left.size or middle or _is_passed(array, left)


def _is_of_a_step(array: Given, left: np.ndarray) -> bool:
    """Whether a kernel uses a part of an array of several axes as a step of an algorithm does.

    It has one place along an axis, or all from one on, and the launch passes that place. One of them is not the first.
    """
    axes = [*along_axes((~left).reshape(array.shape))]
    if left.all() or sum(len(places) > 1 for places in axes) < 2 or all(places[0] for places in axes):
        return False
    steps = (places.all() or (not places[0] and (places[-1] or places.sum() == 1)) for places in axes)
    return all(steps) and _is_passed(array, left)


def _is_passed(array: Given, left: np.ndarray) -> bool:
    """Whether what is not left is a block, and the launch passes where it begins and ends along each axis."""
    axes = [*along_axes((~left).reshape(array.shape))]
    block = math.prod(int(places.sum()) for places in axes) == np.count_nonzero(~left)
    return block and all(_is_passed_along(array, places) for places in axes)


def _is_passed_along(array: Given, places: np.ndarray) -> bool:
    """Whether a launch passes where places of an axis begin and end, unless these are the ends of the axis.

    A bound may be that of the last place, or of the first, and how many there are says as much as the end.
    """
    at = np.flatnonzero(places)
    begin, end, said = int(at[0]), int(at[-1]) + 1, {number for number in array.passed if number > 1}
    begins = begin == 0 or array.passes_begin(begin)
    ends = end == len(places) or not said.isdisjoint((end - 1, end, end - begin))
    return begins and ends and len(at) == end - begin


def _is_end_of_list(touched: Touched, left: np.ndarray) -> bool:
    """Whether an end of a list of floating-point numbers is left out, whose length is passed, and that of no part.

    It is more than windows that step on by some elements leave, and no array of whole numbers says what is taken.
    """
    array, missing = touched.array, int(left.sum())
    if array.shape != (len(left),) or array.dtype.kind != "f" or missing < WARP or not (left[0] or left[-1]):
        return False
    told = len(left) in array.counts and array.counts.isdisjoint((missing, len(left) - missing))
    return told and not any(
        other.dtype.kind in "iu" and elements_of(touched, other, False).any() for other in touched.arrays
    )


def _is_meant(touched: Touched, left: np.ndarray, in_place: bool) -> bool:
    """Whether what is left out of an output may be what the kernel is to leave.

    More than a few elements may be so of what is updated in place.
    Holes only begin behind others of its rows: blocks of a triangle have none of them. Or the launch passes how long
    rows are, and how much of each is written. Or each block writes one element of what it reads in full: its result.
    Or an array of indices says which places along an axis are written: it has as many.
    """
    array, (low, high) = touched.array, runs_of(left)
    if in_place and left.sum() > left.size * _SMALL:
        return True
    if len(low) > 1:
        made, row = int(low[0]), int(high[0])
        if made > int(np.diff(low).max()) + row - made or _are_ends_of_rows(array, low, high):
            return True
    for there in along_axes((~left).reshape(array.shape)):
        places = int(np.count_nonzero(there))
        if places < len(there) and any(_chooses(touched, other, places) for other in touched.arrays):
            return True
    blocks = np.unique(touched.tasks[touched.written])
    return len(blocks) == np.count_nonzero(~left) and bool(elements_of(touched, array, False).all())


def _are_ends_of_rows(array: Given, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether the end of each row is left out, and the launch passes how long rows are and how much of each is used.

    That may be one number, or the length of each of a few parts.
    """
    made, row = int(low[0]), int(high[0])
    told = any(made % part == 0 and made // part <= (_MOST_PARTS if part >= _PART else 1) for part in array.counts)
    alike = (high % row == 0).all() and (high - low == row - made).all()
    return len(low) > 1 and made > 0 and row in array.counts and told and bool(alike)


def _is_pitch(array: Given, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether rows are a bit further apart than they are long."""
    return int(high[0] - low[0]) <= int(low[0]) * _PITCH and _are_ends_of_rows(array, low, high)


def _chooses(touched: Touched, array: Given, places: int) -> bool:
    """Whether an array of so many indices, or of a few more, is read in full."""
    few = array.dtype.kind in "iu" and places <= array.count < 2 * places
    return few and not touched.writes(array) and bool(elements_of(touched, array, False).all())


def _is_regular(low: np.ndarray, high: np.ndarray, count: int) -> bool:
    """Whether runs are equally long at equal distances, or a few in turn, but for those at both ends.

    As much at both ends is a border, and so meant, if what lies between is that of each row.
    """
    first = int(high[0]) if low[0] == 0 else 0
    last = count - int(low[-1]) if high[-1] == count else 0
    if first == count:
        return False
    inner = slice(1 if first else 0, -1 if last else None)
    lengths, starts = (high - low)[inner], low[inner]
    if first == last and first and _repeats(lengths, starts, 1):
        return False
    periods = (every for every in range(1, _MOST_IN_TURN + 1) if every == 1 or len(lengths) >= _TURNS * every)
    return any(_repeats(lengths, starts, every) for every in periods)


def _repeats(lengths: np.ndarray, starts: np.ndarray, every: int) -> bool:
    """Whether what comes so many runs later is as long, and as far away each time."""
    steps = starts[every:] - starts[:-every]
    return bool((lengths[every:] == lengths[:-every]).all() and (steps == steps[:1]).all())


def _ends_as_told(array: Given, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether a launch passes how many elements it touches, the first ones, and not how many the array has."""
    alone = len(low) == 1 and int(high[0]) == array.count
    return alone and int(low[0]) in array.passed and not array.told


def _is_told(touched: Touched, count: int) -> bool:
    """Whether the launch says how many elements an array has.

    It passes their number, or that of its blocks times one; or those of all axes, perhaps as threads along an axis.
    """
    array, launch = touched.array, touched.log.launch
    grid, block = ([int(number) for number in launch.get(name, ())] for name in ("dim", "block"))
    threads = {*block, *(blocks * one for blocks, one in zip(grid, block, strict=False))}
    axes = [length for length in array.shape if length > 1]
    if array.told or (len(axes) > 1 and (array.counts | threads).issuperset(axes)):
        return True
    blocks = {1, math.prod(grid), *grid}
    return any(passed * some == count for passed, some in product({1, *array.counts}, blocks))
