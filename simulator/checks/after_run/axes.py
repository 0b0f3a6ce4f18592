"""Axes of arrays that a launch walks along too little: its first place alone is touched, or not to an end."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...findings import Finding, rules
from .given import Given
from .touched import Touched, depends_on_data
from .touched_elements import along_axes, elements_of

#: Elements of an array that are looked at, at most; places along an axis, at least, of which one is an end.
_MOST, _LEAST = 1 << 20, 3
#: Places along an axis over which two inputs are added up, at least: fewer are fields, of which some have no use.
_SUMMED = 8


def first_place(touched: Touched) -> Iterator[Finding]:
    """An array of which the first place along an axis is all that is touched, as where an index is not added.

    The launch passes how long the axis is, and all places of an axis as long are touched of another array. What scalar
    code reads once in each task may say what the others are.
    """
    for axis, there, made in _axes(touched):
        if there[0] and not there[1:].any() and _is_walked(touched, len(there)) and not _is_flag(touched):
            yield _at(touched, rules.left_out.first_place(made, touched.array.name, axis, len(there)))
            return


def end_of_axis(touched: Touched) -> Iterator[Finding]:
    """An array of which the last, or the first, place along an axis is all that is not touched.

    The launch passes how long the axis is, and all places of an axis as long are touched the other way of another
    array: what comes out has a place there that is made of nothing, or what goes in has no result.
    """
    for axis, there, made in _axes(touched):
        if len(there) < _LEAST or there.sum() != len(there) - 1 or (there[0] and there[-1]):
            continue
        if _is_walked(touched, len(there), not made):
            place = int(np.argmin(there))
            yield _at(touched, rules.left_out.end_of_axis(made, touched.array.name, axis, place, len(there)))
            return


def end_of_two(touched: Touched) -> Iterator[Finding]:
    """An end that is left out along axes of one length, the same places of two inputs, as where a sum ends.

    Or of each row of an output and an input, as where a loop takes a tile too few: less than half, and no task has
    looked at data before. The launch passes how long the axes are, and not how many places are touched or left. No
    array of whole numbers is read that may say what is taken.
    """
    array, made = touched.array, touched.made
    if made is None or (made and depends_on_data(touched)):
        return
    for axis, there in _cut_axes(touched, array, made):
        if made and (axis == 0 or 2 * there.sum() <= len(there)):
            continue
        others = (theirs for other in touched.others for _, theirs in _cut_axes(touched, other, False))
        if not any(np.array_equal(there, theirs) for theirs in others):
            continue
        if any(_may_choose(other) and elements_of(touched, other, False).any() for other in touched.arrays):
            return
        yield _at(touched, rules.left_out.end_of_two(made, array.name, axis, there.tolist()))
        return


def _may_choose(array: Given) -> bool:
    """Whether an array may hold indices or lengths: bytes with a sign are numbers to compute with."""
    return array.dtype.kind == "u" or (array.dtype.kind == "i" and array.dtype.itemsize > 1)


def end_of_tiles(touched: Touched) -> Iterator[Finding]:
    """An array of whose axis what tiles leave over is not touched, as where the remainder of a division is dropped.

    All that is touched lies in tiles of the same number of places, two or more of them one behind the other, and every
    place before the end is touched wherever one is. The launch passes how long the axis is, and not how many places are
    touched or left.
    """
    array, made = touched.array, touched.made
    if made is None or array.count > _MOST:
        return
    for axis, length in enumerate(array.shape):
        outer, inner = math.prod(array.shape[:axis]), math.prod(array.shape[axis + 1 :])
        tile = _tile(touched, inner)
        left = length % tile if tile else 0
        if length not in array.counts or not left or length < 2 * tile or {left, length - left} & array.counts:
            continue
        rows = elements_of(touched, array, made).reshape(outer, length, inner)
        rows = rows[rows.any(axis=(1, 2))]
        if rows[:, : length - left].all() and not rows[:, length - left :].any():
            yield _at(touched, rules.left_out.end_of_tiles(made, array.name, axis, (length, tile)))
            return


def _tile(touched: Touched, inner: int) -> int:
    """How many places along an axis each piece of an array has; 0 if they differ, or are parts of places.

    ``inner``: elements of one place that lie one after the other.
    """
    sizes = touched.pieces.end - touched.pieces.begin
    tile, rest = divmod(int(sizes[0]), inner * touched.array.dtype.itemsize)
    return tile if tile > 1 and not rest and bool((sizes == sizes[0]).all()) else 0


def _cut_axes(touched: Touched, array: Given, made: bool) -> Iterator[tuple[int, np.ndarray]]:
    """The axes of an output, or an input, that are used but for an end, with which places; their length is passed.

    Not how many are used or left, nor the last place that is left at the beginning.
    """
    if array.count > _MOST or touched.writes(array) != made or (not made and array.dtype.kind not in "fi"):
        return
    if _may_choose(array) or array.counts.isdisjoint(array.shape):
        return
    for axis, there in enumerate(_places(touched, array, made)):
        if len(there) < _SUMMED or len(there) not in array.counts or np.count_nonzero(np.diff(there)) != 1:
            continue
        used, left = int(there.sum()), int((~there).sum())
        if array.counts.isdisjoint((used, left)) and (there[0] or not array.passes_begin(left)):
            yield axis, there


def _axes(touched: Touched) -> Iterator[tuple[int, np.ndarray, bool]]:
    """The axes of an array of several whose length is passed, with which places are touched; whether by writes.

    Not the first of an output: how many results come out may depend on data.
    """
    array = touched.array
    if len(array.shape) < 2 or not len(touched.pieces.row) or array.count > _MOST:
        return
    made = touched.writes(array)
    if made and not array.output:
        return
    for axis, there in enumerate(_places(touched, array, made)):
        if len(there) > 1 and len(there) in array.counts and (axis or not made):
            yield axis, there, made


def _places(touched: Touched, array: Given, written: bool) -> Iterator[np.ndarray]:
    """Of each axis, at which of its places an element is written, or read, bool [places]."""
    return along_axes(elements_of(touched, array, written).reshape(array.shape))


def _is_walked(touched: Touched, length: int, written: bool | None = None) -> bool:
    """Whether all places of an axis so long are touched of another array, in one way or as ``written`` says."""
    others = (other for other in touched.others if length in other.shape)
    return any(
        len(there) == length and bool(there.all())
        for other in others if other.count <= _MOST
        for made in ((False, True) if written is None else (written,))
        for there in _places(touched, other, made)
    )  # fmt: skip


def _is_flag(touched: Touched) -> bool:
    """Whether scalar code alone reads an array, once in each task at most."""
    return touched.made is False and 0 < touched.times_by_scalars <= touched.log.tasks


def _at(touched: Touched, said: Finding) -> Finding:
    return touched.at(said, int(touched.pieces.row[-1]), touched.array.key, touched.array.bytes)
