"""Elements of a row of an input that change one result, where others of that row change most of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from ..checks.after_run import Touched
from ..chip.launch_kinds import WARP
from ..findings import Finding, rules

#: Elements of a row, at least.
_LEAST = 8
#: Inputs that are tried, at most, and rows that have to agree.
_MOST, _ROWS = 2, 3
#: Results that an element changes which has no part in what the others of its row have, at most.
_ALONE = 2
#: Places at the beginning of a row, one after the other, of which each second may differ.
_FIRST = range(1, 6)

#: Gives how many results change with another number in one element; None where the launch then breaks a rule.
Changed = Callable[[Touched, int], "int | None"]


def uneven(inputs: Sequence[Touched], changed: Changed, told: bool) -> Iterator[Finding]:
    """The inputs in whose rows some elements change fewer results than others.

    Only inputs with as many elements as an output are tried. At places along the last axis, one element at a time is
    given another number. Either some elements change one result or two, and all others most of a row; or every second
    one changes fewer than those between. The median of three rows counts, so that the data of one row does not decide.
    Nothing is said if elements change no result, or are of more than two kinds: they may be masked, or lie at an end.
    It is advice unless the two kinds alternate and the launch passes no 0 (``told``): a number that is passed may say
    where one of them begins.
    """
    tried = 0
    for touched in inputs:
        shape = touched.array.shape
        if len(shape) < 2 or shape[-1] < _LEAST or math.prod(shape[:-1]) < _ROWS or not _like_an_output(touched):
            continue
        if not np.isfinite(touched.array.contents()).all():
            continue
        if tried == _MOST:
            return
        tried += 1
        length, rows = shape[-1], math.prod(shape[:-1])
        places = _places(length)
        counts = np.stack([_counts(touched, rows // 2 * length, places, changed)])
        if not _is_odd(counts, places, length):
            continue
        more = [_counts(touched, row * length, places, changed) for row in (0, rows - 1)]
        counts = np.stack([*counts, *more])
        if _is_odd(counts, places, length):
            usual = np.median(counts, axis=0).astype(int)
            low, high = int(np.argmin(usual)), int(np.argmax(usual))
            first = rows // 2 * length
            names = [touched.array.element(first + places[at]) for at in (low, high)]
            often = int(np.count_nonzero(np.diff(usual > (usual[low] + usual[high]) / 2))) > 1
            said = rules.results.uneven(touched.array.name, names, (int(usual[low]), int(usual[high])), told and often)
            yield touched.at(said, int(touched.pieces.row[0]), touched.array.key, touched.array.bytes)


def _like_an_output(touched: Touched) -> bool:
    return any(
        other.output and touched.writes(other) and other.count == touched.array.count for other in touched.arrays
    )


def _places(length: int) -> list[int]:
    """Places of a row: at its beginning, on both sides of a half and of what a warp takes, the last."""
    chosen = {*_FIRST, length // 2 - 1, length // 2, length - 1, length - 2}
    chosen |= {WARP - 1, WARP} if length > WARP + 1 else set()
    return sorted(chosen)


def _counts(touched: Touched, first: int, places: Sequence[int], changed: Changed) -> np.ndarray:
    """How many results the elements at places of a row change; -1 for one with which the launch breaks a rule."""
    found = (changed(touched, first + place) for place in places)
    return np.array([-1 if count is None else count for count in found])


def _is_odd(counts: np.ndarray, places: Sequence[int], length: int) -> bool:
    """Whether counts, int [rows, places], are of two kinds, in most rows of the same kind at each place but one."""
    usual = np.median(counts, axis=0)
    if usual.min() < 1:
        return False
    alone, most = (2 * chosen.sum(axis=0) > len(counts) for chosen in (counts <= _ALONE, 2 * counts > length))
    if alone.any() and most.any():
        return int((alone | most).sum()) >= len(places) - 1
    begin = [count for place, count in zip(places, usual.tolist(), strict=True) if place in _FIRST]
    return len(set(usual.tolist())) == 2 and all(one != other for one, other in pairwise(begin))
