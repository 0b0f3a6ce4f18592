"""Elements that make no difference: a launch of thread blocks repeated with other numbers in parts of its inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..checks.after_run import Given, Touched, elements_of, touched_arrays
from ..engines.engine import Outcome
from ..findings import Finding, failed, rules
from ..log import Log
from .contents import Reruns

#: Elements of a part that are read, at least: fewer may all be such that the data itself leaves them out.
_LEAST = 8
#: And the least share of an array of whole numbers: what a few indices or labels choose may well be alike.
_SHARE = 8
#: Elements that a thread loads at once, at most; blocks along an axis have at least as many threads.
_VECTOR = 4
#: Further runs of a launch, at most.
_MOST_RUNS = 40
#: Elements of an array, at most.
_MOST = 1 << 22


def ignored_elements(
    execute: Callable[[], Outcome], reruns: Reruns, arrays: Sequence[Given], log: Log
) -> Iterator[Finding]:
    """The elements of inputs that are read, and of which nothing is seen in what the launch leaves, with their line.

    Each part of an array that a slip in an index leaves out everywhere is given larger numbers than the array has, and
    smaller ones; the largest and the smallest that it has, of whole numbers, which may be indices. It is said of an
    array other parts of which make a difference.
    """

    def leaves_the_same(array: Given, chosen: np.ndarray, number: np.ndarray) -> bool:
        def changed() -> Outcome:
            held = array.contents().reshape(-1)
            own = held[chosen]
            held[chosen] = number
            try:
                return execute()
            finally:
                held[chosen] = own

        _, findings = reruns.run(changed)
        return not failed(findings) and not any(reruns.after.differs(other) for other in arrays if other.output)

    runs = 0
    threads = {int(n) for n in log.launch.get("block", ()) if n >= _VECTOR}
    for touched in touched_arrays(log, arrays):
        array = touched.array
        if touched.writes(array) or array.dtype.kind not in "iuf" or not 0 < math.prod(array.shape) <= _MOST:
            continue
        read = elements_of(touched, array, False)
        numbers = _extremes(array)
        least = _LEAST if array.dtype.kind == "f" else max(_LEAST, -(-len(read) // _SHARE))
        dead, alive = np.zeros_like(read), False
        for part in _parts(array.shape, threads):
            chosen = part & read
            if np.count_nonzero(chosen) < least or runs >= _MOST_RUNS:
                continue
            runs += len(numbers)
            if numbers and all(leaves_the_same(array, chosen, other) for other in numbers):
                dead |= chosen
            else:
                alive = True
        if alive and dead.any():
            yield _said(touched, dead)


def _extremes(array: Given) -> list[np.ndarray]:
    """Numbers for elements of an array: above all, and below all; of whole numbers the largest and the smallest."""
    held = array.contents()
    if array.dtype.kind != "f":
        low, high = held.min(), held.max()
        return [high, low] if low != high else []
    known = held[np.isfinite(held)].astype(np.float64)
    most = 2 * float(np.max(np.abs(known), initial=0)) + 1
    most = min(most, float(np.finfo(array.dtype).max) / 2)
    return [np.array(most, array.dtype), np.array(-most, array.dtype)]


def _parts(shape: tuple[int, ...], threads: set[int]) -> Iterator[np.ndarray]:
    """Parts of an array, bool [elements]: those of a vector, every other row, both ends of what a block takes."""
    count = math.prod(shape)
    places = np.unravel_index(np.arange(count), shape)
    for at in range(_VECTOR):
        yield np.arange(count) % _VECTOR == at
    for axis, place in enumerate(places):
        if axis < len(shape) - 1:
            yield place % 2 == 0
            yield place % 2 == 1
        for period in sorted(n for n in threads if n < shape[axis]):
            yield place % period == 0
            yield place % period == period - 1


def _said(touched: Touched, dead: np.ndarray) -> Finding:
    array, numbers = touched.array, np.flatnonzero(dead)
    size = array.dtype.itemsize
    first, last = int(numbers[0]), int(numbers[-1])
    begin = array.key + first * size
    row = int(touched.pieces.row[np.searchsorted(touched.pieces.begin, begin, "right") - 1])
    shown = [array.element(int(number)) for number in numbers[:3]]
    said = rules.results.ignored_elements(array.name, len(numbers), shown)
    return touched.at(said, int(touched.log.owners[row]), begin, (last + 1 - first) * size)
