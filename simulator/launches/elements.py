"""Inputs that make no difference: a launch repeated with other numbers in all, or in parts, of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..checks.after_run import Given, Touched, elements_of, holds_numbers, touched_arrays
from ..chip.launch_kinds import WARP
from ..findings import ADVICE, Finding, rules
from .influence import uneven
from .lone_elements import LoneElements
from .places import axes_of
from .repeatable import RepeatableLaunch
from .repeats import passes_zero

#: Elements of a part that are read, at least: with fewer, the data alone may be why none makes a difference.
_LEAST = 8
#: A part of whole numbers is one in so many of the array, at least: what a few indices or labels choose may be alike.
_SHARE = 8
#: Elements that a thread loads at once, at most; blocks along an axis have at least as many threads.
_VECTOR = 4
#: Further runs of a launch, at most.
_MOST_RUNS = 40
#: Elements of an array, at most; inputs of a launch that are tried, each in runs of its own.
_MOST, _MOST_INPUTS = 1 << 22, 8
#: What says of places that they are left out.
LEFT_OUT = rules.left_out.UNREAD, rules.left_out.UNWRITTEN


class Parts(NamedTuple):
    """Which elements of an input make a difference."""

    dead: np.ndarray  # those that are read and make none, bool [elements]
    alive: bool  # others make one
    sure: bool  # those that make none are the elements of certain threads


class _Trials:
    """A launch repeated with other numbers in an input."""

    def __init__(self, launched: RepeatableLaunch) -> None:
        self._launched, self.outputs = launched, launched.outputs
        self._runs = 0  # of parts

    def leaves_the_same(self, array: Given, chosen: np.ndarray, numbers: np.ndarray) -> bool:
        """Whether the launch leaves what it has left, with these numbers in the chosen elements."""
        return self._launched.keeps_the_rules([(array, chosen, numbers)]) and self._launched.leaves_the_same()

    def changed(self, touched: Touched, number: int) -> int | None:
        """How many results change with another number in the element ``number``; None where that breaks a rule.

        It gets the second largest number of its row, or the next: the row has no new largest one, and the number is
        large enough to be seen in a sum.
        """
        length = touched.array.shape[-1]
        row = touched.array.contents().reshape(-1, length)[number // length]
        other = next((one for one in np.sort(row)[-2::-1] if one != row[number % length]), None)
        if other is None or not self._launched.keeps_the_rules([(touched.array, np.array([number]), other)]):
            return None
        kept = ((array.contents(), self._launched.reruns.after.of(array)) for array in self.outputs)
        return sum(
            int(((now != was) & ((now == now) | (was == was))).sum()) for now, was in kept
        )  # NaN is no other one

    def may_be_flag(self, held: np.ndarray) -> bool:
        """Whether an input is a flag, 0 or 1, and so is a result, which may be set whatever the input is."""
        after = [self._launched.reruns.after.of(array) for array in self.outputs if array.count == 1]
        return all(one.size == 1 and one.item() in (0, 1) for one in (held, *after)) and len(after) > 0

    def parts(self, touched: Touched) -> Parts:
        """Which parts of an input make a difference: those are tried that a slip in an index leaves out everywhere.

        A part is given numbers above all that the array holds, then below all, then its own in other places: which of
        several sums is the least says nothing of what all of them have in common. Whole numbers may be indices, and
        are given the largest that the array holds, then the smallest.
        """
        array, threads = touched.array, touched.log.launch.get("block", ())
        count, alive, sure = array.count, False, False
        if array.dtype.kind not in "iuf" or not 0 < count <= _MOST or not (numbers := _extremes(array)):
            return Parts(np.zeros(count, bool), alive, sure)
        read = elements_of(touched, array, False)
        least = _LEAST if array.dtype.kind == "f" else max(_LEAST, -(-count // _SHARE))
        dead = np.zeros_like(read)
        for part, of_threads in _parts(touched, {int(n) for n in threads if n >= _VECTOR}):
            chosen = part & read
            if np.count_nonzero(chosen & ~dead) < least or self._runs >= _MOST_RUNS:
                continue
            exchanged = array.contents().reshape(-1)[chosen][::-1].copy()
            self._runs += len(numbers)
            if all(self.leaves_the_same(array, chosen, other) for other in (*numbers, exchanged)):
                dead |= chosen
                sure = sure or of_threads
            else:
                alive = True
        rest = read & ~dead
        if dead.any() and not alive and rest.any():
            alive = not all(self.leaves_the_same(array, rest, other) for other in numbers)
        return Parts(dead, alive, sure)


def with_other_inputs(launched: RepeatableLaunch) -> tuple[list[Finding], bool, bool]:
    """What the same numbers in other places of the inputs show, or else other numbers; and whether each was tried.

    Places that the launch itself leaves out are not told of again. Tasks that share one input beside a result are not
    given other numbers.
    """
    launched = replace(launched, arrays=[array.in_rows for array in launched.arrays])
    left_out = {finding.severity for finding in launched.findings if finding.rule in LEFT_OUT}
    axes = axes_of(launched) if left_out <= {ADVICE} else []
    of_axes = ([one for one in axis.odd_places() if one.severity not in left_out] for axis in axes)
    odd = next(filter(None, of_axes), [])
    varied = not odd and (launched.log.kind.transactions or len(launched.arrays) > 2)
    found = list(_ignored_in_inputs(launched)) if varied else odd
    lone = LoneElements(launched, _inputs(launched), _extremes)
    found = found or list(lone.unused()) or list(_overwritten(launched))
    return found, bool(axes), varied or lone.tried


def _overwritten(launched: RepeatableLaunch) -> Iterator[Finding]:
    """The arrays that were filled with numbers, all of which the launch overwrites and none of which it reads."""
    for touched in touched_arrays(launched.log, launched.arrays):
        array = touched.array
        floats = array.declared and array.dtype.kind == "f"
        if floats and touched.is_overwritten and holds_numbers(launched.reruns.before.of(array)):
            said = rules.results.overwritten(array.name)
            yield touched.at(said, int(touched.pieces.row[0]), array.key, array.bytes)


def _inputs(launched: RepeatableLaunch) -> list[Touched]:
    """The arrays that it reads and does not write."""
    return [t for t in touched_arrays(launched.log, launched.arrays) if len(t.pieces.row) and not t.writes(t.array)]


def _ignored_in_inputs(launched: RepeatableLaunch) -> Iterator[Finding]:
    """The inputs that are read, and parts of them, of which nothing is seen in what the launch leaves.

    It is advice where the launch passes a 0 (not ``told``), which may be a factor, too, or say that an input has no
    part.
    """
    log, told, trials = launched.log, not passes_zero(launched.itself.values), _Trials(launched)
    inputs, matter = _inputs(launched), set()
    for touched in inputs if log.kind.transactions else ():
        parts = trials.parts(touched)
        if parts.alive:
            matter.add(touched.array.key)
            if parts.dead.any():
                yield _said(touched, parts.dead, told and parts.sure)
    yield from _whole_inputs(trials, inputs, matter, told)
    if log.kind.transactions:
        yield from uneven([t for t in inputs if t.array.dtype.kind == "f"], trials.changed, told)


def _whole_inputs(trials: _Trials, inputs: Sequence[Touched], matter: Collection[int], told: bool) -> Iterator[Finding]:
    """The floating-point inputs that make no difference to any result; ``matter`` are the keys of those that do.

    Each is given its own numbers in reverse: once larger, once smaller with the other sign. If an input holds the same
    number everywhere, nothing is said: all others may have been multiplied by it. Nor is it of a flag where a result is
    one, too. If no input makes a difference, it is advice, and only of floating-point results: others may say whether
    all inputs are as they should be.
    """
    read = [touched for touched in inputs if touched.array.dtype.kind == "f"]
    if not 0 < len(read) <= _MOST_INPUTS or any(t.array.count > _MOST for t in read):
        return
    held = [touched.array.contents().reshape(-1) for touched in read]
    if any(len(one) > 1 and (one == one[0]).all() for one in held):
        return
    ignored = []
    for touched, one in zip(read, held, strict=True):
        every = np.ones(len(one), bool)
        if (
            touched.array.key not in matter
            and not trials.may_be_flag(one)
            and all(trials.leaves_the_same(touched.array, every, other) for other in _turned(one))
        ):
            ignored.append(touched)
    others = len(ignored) < len(read)
    if not others:
        floats = any(read[0].writes(array) and array.dtype.kind == "f" for array in trials.outputs)
        if not (told and floats):
            return
    for touched in ignored:
        said = rules.results.ignored_input(touched.array.name, told, others)
        yield touched.at(said, int(touched.pieces.row[0]), touched.array.key, touched.array.bytes)


def _turned(held: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Other numbers for an array: its own from the last to the first, larger, and smaller with the other sign."""
    back = np.where(np.isfinite(held), held, held.dtype.type(1))[::-1]
    return back + back + held.dtype.type(1), -back - held.dtype.type(1)


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


def _parts(touched: Touched, threads: set[int]) -> Iterator[tuple[np.ndarray, bool]]:
    """The parts of an array that a slip may leave out, bool [elements], each with whether it is sure to be a slip.

    All but the elements of the first, or of the last, threads of warps are such a part, and so is either end of what a
    block takes. A kernel may have no use for every other row, or for one of the elements that a thread loads at once,
    unless the launch passes how many rows or elements there are when each is counted.
    """
    array, shape, count = touched.array, touched.array.shape, touched.array.count
    lengths = array.counts.union(*(other.shape for other in touched.arrays))
    number, places = np.arange(count), np.unravel_index(np.arange(count), shape)
    for lane in (0, WARP - 1):
        yield number % WARP != lane, True

    def is_single(length: int, together: int) -> bool:
        return length in array.counts and length > together and length / together not in lengths

    for at in range(_VECTOR):
        yield number % _VECTOR == at, is_single(shape[-1], _VECTOR) or is_single(count, _VECTOR)
    for axis, place in enumerate(places):
        if axis < len(shape) - 1:
            yield place % 2 == 0, is_single(shape[axis], 2)
            yield place % 2 == 1, is_single(shape[axis], 2)
        for period in sorted(n for n in threads if n < shape[axis]):
            for end in (0, period - 1):
                yield place % period == end, period > _VECTOR


def _said(touched: Touched, dead: np.ndarray, sure: bool) -> Finding:
    array, numbers = touched.array, np.flatnonzero(dead)
    size = array.dtype.itemsize
    first, last = int(numbers[0]), int(numbers[-1])
    begin = array.key + first * size
    row = int(touched.pieces.row[np.searchsorted(touched.pieces.begin, begin, "right") - 1])
    shown = [array.element(int(number)) for number in numbers[:3]]
    said = rules.results.ignored_elements(array.name, len(numbers), shown, sure)
    return touched.at(said, row, begin, (last + 1 - first) * size)
