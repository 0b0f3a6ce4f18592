"""Axes of arrays that a launch walks along too little: its first place alone is touched, or all but an end."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...findings import Finding, rules
from .given import Given
from .of_threads import elements_of
from .touched import Touched

#: Elements of an array that are looked at, at most; places along an axis, at least, of which one is an end.
_MOST, _LEAST = 1 << 20, 3


def first_place(touched: Touched) -> Iterator[Finding]:
    """An array of which the first place along an axis is all that is touched, as where an index is not added.

    The launch passes how long the axis is, and all places of an axis as long are touched of another array.
    """
    for axis, there, made in _axes(touched):
        if there[0] and not there[1:].any() and _is_walked(touched, len(there)):
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


def _axes(touched: Touched) -> Iterator[tuple[int, np.ndarray, bool]]:
    """The axes of an array of several whose length is passed, with which places are touched; whether by writes.

    Not the first of an output: how many results come out may depend on data.
    """
    array = touched.array
    if len(array.shape) < 2 or not len(touched.pieces.row) or math.prod(array.shape) > _MOST:
        return
    made = touched.writes(array)
    if made and not array.output:
        return
    for axis, there in enumerate(_places(touched, array, made)):
        if len(there) > 1 and len(there) in array.counts and (axis or not made):
            yield axis, there, made


def _places(touched: Touched, array: Given, written: bool) -> Iterator[np.ndarray]:
    """Of each axis, at which of its places an element is written, or read, bool [places]."""
    elements = elements_of(touched, array, written).reshape(array.shape)
    for axis in range(elements.ndim):
        yield np.asarray(elements.any(axis=tuple(other for other in range(elements.ndim) if other != axis)))


def _is_walked(touched: Touched, length: int, written: bool | None = None) -> bool:
    """Whether all places of an axis so long are touched of another array, in one way or as ``written`` says."""
    others = (other for other in touched.arrays if other.key != touched.array.key and length in other.shape)
    return any(
        len(there) == length and bool(there.all())
        for other in others if math.prod(other.shape) <= _MOST
        for made in ((False, True) if written is None else (written,))
        for there in _places(touched, other, made)
    )  # fmt: skip


def _at(touched: Touched, said: Finding) -> Finding:
    record = int(touched.log.owners[touched.pieces.row[-1]])
    return touched.at(said, record, touched.array.key, touched.array.bytes)
