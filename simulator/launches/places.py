"""A launch whose arrays have the places along an axis in another order: what it leaves is to be in that order, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from ..checks.after_run import Given, Touched, along_axes, elements_of, touched_arrays
from ..checks.results import Expectations, Left, of_places
from ..engines.engine import Outcome
from ..findings import ADVICE, Finding, failed
from ..flow import Accesses, distinct
from ..structures import same_bytes
from .repeatable import RepeatableLaunch

#: Places along an axis, at least: fewer are fields, each of which has its own meaning. Elements of arrays, at most.
_LEAST, _MOST = 8, 1 << 20
#: Lengths of axes that are tried, the longest first; outputs of each that are looked at.
_MOST_LENGTHS, _MOST_OUTPUTS = 4, 2
#: Further runs for one length, at least and at most; the work of all together, as logs count it, which takes seconds.
_LEAST_RUNS, _MOST_RUNS, _WORK = 32, 100, 1 << 28
#: Pairs of places that are exchanged at first, and how many may be unlike each other: more are places of several
#: kinds, or that all differ.
_PAIRS, _UNLIKE = 12, 8
#: The share of places that are few: more of them are of another kind. So many parts of these, of two places or more,
#: are not meant.
_FEW, _TURNS = 1 / 8, 3
#: The share of what results may be off that rounding alone explains: exchanged places that make more are not alike.
_NEAR = 1 / 32
#: Elements of an output that agree are the same ones, if so many do: the others are at an edge.
_EQUAL = 0.9999
#: Places that are looked at again with other contents, and such that have to matter.
_AGAIN, _ALIVE = 3, 4


def axes_of(launched: RepeatableLaunch) -> list[Axis]:
    """The axes of the arrays of a launch whose places can be put in another order: the longest.

    As many as there is time for: each takes one run where all places are alike, and else a few dozen.
    """
    before, after = launched.reruns.before.bytes_of, launched.reruns.after.bytes_of
    outputs = [array for array in launched.outputs if not same_bytes(before(array), after(array))]
    held = [array for array in launched.arrays if array.bytes]
    if not outputs or any(array.count > _MOST for array in held):
        return []
    lengths = sorted({n for array in held for n in array.shape if n >= _LEAST}, reverse=True)[:_MOST_LENGTHS]
    runs = _WORK // max(1, int(launched.log.records["work"].sum()))
    chosen = lengths[: runs // _LEAST_RUNS]
    most = min(_MOST_RUNS, runs // max(1, len(chosen)))
    return [Axis(replace(launched, arrays=held), outputs, n, most) for n in chosen]


def _runs(places: Sequence[int]) -> list[list[int]]:
    """Places in order, those together that follow each other."""
    return [run.tolist() for run in np.split(np.array(places), np.flatnonzero(np.diff(places) != 1) + 1)]


def _whole_numbers(array: Given) -> list[int]:
    """What an array holds, if that is whole numbers, which may be those of places."""
    held: np.ndarray = array.contents().reshape(-1)
    if array.dtype.kind == "f" and np.isfinite(held).all() and (held == np.round(held)).all():
        held = held.astype(np.int64)
    numbers: list[int] = held.tolist() if held.dtype.kind in "iu" else []
    return numbers


class _Order(NamedTuple):
    """Places of an axis in some order, int64 [places], and what the outputs hold after a launch with them."""

    places: np.ndarray
    left: Sequence[np.ndarray]


class Axis:
    """The axes of one length of the arrays of a launch.

    Two places are alike if the launch with one in place of the other, in all arrays, leaves what it leaves otherwise
    with the two exchanged. That holds for sums, rows and elements; places whose number has a meaning, as in a stencil,
    are all unlike each other.
    """

    def __init__(self, launched: RepeatableLaunch, outputs: Sequence[Given], length: int, most: int) -> None:
        """``outputs`` are those that the launch has changed; ``most`` further runs are made for each of them."""
        self._launched, self._log, self._most = launched, launched.log, most
        self.arrays, self.outputs, self.length = launched.arrays, outputs, length
        self._moved = [array for array in self.arrays if length in array.shape]
        self._runs = 0

    def odd_places(self) -> Iterator[Finding]:
        """The places that are treated unlike nearly all others, whatever lies there, if no number says which."""
        random = np.random.default_rng(self.length)
        itself = _Order(np.arange(self.length), [self._launched.reruns.after.of(array) for array in self.outputs])
        mixed = random.permutation(self.length)
        left = self._left(mixed)
        if left is None:
            return
        other = _Order(mixed, left)
        unlike = [at for at in range(len(self.outputs)) if not self._agrees(at, itself, other)]
        for at in unlike[:_MOST_OUTPUTS]:
            self._runs = 0
            found = self._odd(at, itself, random)
            if found is None:
                continue
            usual, odd = found
            if self._is_explained(at, odd) or not (self._is_read() or self._matter(at, itself, usual, odd)):
                continue
            if not all(self._differs(at, other, place, usual) for place in odd[:_AGAIN]):
                continue
            yield from self._said(at, itself, usual, odd)
            return

    def _left(self, order: np.ndarray) -> list[np.ndarray] | None:
        """What the outputs hold after a launch with places in this order; None where it breaks a rule."""
        self._runs += 1
        left: list[np.ndarray] = []

        def changed() -> Outcome:
            held = [array.contents() for array in self._moved]
            own = [one.copy() for one in held]
            for one, was in zip(held, own, strict=True):
                one[...] = self._in_order(was, order)
            try:
                outcome = self._launched.again()
                left.extend(array.contents().copy() for array in self.outputs)
            finally:
                for one, was in zip(held, own, strict=True):
                    one[...] = was
            return outcome

        _, findings = self._launched.reruns.run(changed, whole=False)
        return None if failed(findings) else left

    def _in_order(self, held: np.ndarray, order: np.ndarray) -> np.ndarray:
        for axis, length in enumerate(held.shape):
            if length == self.length:
                held = np.take(held, order, axis)
        return held

    def _wrong(self, right: np.ndarray, got: np.ndarray, order: np.ndarray, near: float = 1.0) -> np.ndarray:
        """The numbers of elements of an output that are not what they should be in an order.

        Whole numbers may be those of places, which have changed. ``near``: the share of what results may be off.
        """
        wrong = Expectations({}, Expectations(None).limit(got.dtype) * near).wrong(got, right)
        if got.dtype.kind in "iu" and len(wrong):
            number = np.argsort(order)
            places = right.reshape(-1)[wrong].astype(np.int64)
            inside = (places >= 0) & (places < self.length)
            wrong = wrong[~(inside & (number[np.where(inside, places, 0)] == got.reshape(-1)[wrong]))]
        return wrong

    def _agrees(self, at: int, before: _Order, after: _Order, near: float = 1.0) -> bool:
        """Whether an output holds in one order what it holds in another, in that order."""
        right = self._in_order(before.left[at], np.argsort(before.places)[after.places])
        wrong = self._wrong(right, after.left[at], after.places, near)
        return len(wrong) <= right.size * (1 - _EQUAL)

    def _holds(self, at: int, given: _Order, places: Sequence[int]) -> bool | None:
        """Whether an output agrees with some places moved on by one, and the last put first; None if one cannot tell.

        One cannot tell if the launch breaks a rule, or if results are further off than rounding alone makes them and
        not far enough to be others.
        """
        order = np.arange(self.length)
        order[list(places)] = np.roll(places, 1)
        left = self._left(given.places[order])
        if left is None:
            return None
        moved = _Order(given.places[order], left)
        agrees = self._agrees(at, given, moved)
        return None if agrees and not self._agrees(at, given, moved, _NEAR) else agrees

    def _differs(self, at: int, given: _Order, one: int, other: int) -> bool:
        return self._holds(at, given, [one, other]) is False

    def _odd(self, at: int, given: _Order, random: np.random.Generator) -> tuple[int, list[int]] | None:
        """A usual place, and those that are unlike it: a few, or all others of a second kind."""
        pairs = random.permutation(self.length)[: min(2 * _PAIRS, self.length // 2 * 2)].reshape(-1, 2).tolist()
        usual, unlike = -1, 0
        for pair in pairs:
            held = self._holds(at, given, pair)
            if held:
                usual = pair[0]
            elif held is False and (unlike := unlike + 1) * _PAIRS > len(pairs) * _UNLIKE:
                return None
        odd = self._unlike(at, given, usual) if usual >= 0 else []
        if not odd or len(odd) <= self.length * _FEW:
            return (usual, odd) if odd else None
        if not self._holds(at, given, odd):
            return None
        rest = self._others(odd)
        return (usual, odd) if len(odd) <= len(rest) else (odd[0], rest)

    def _others(self, places: Sequence[int]) -> list[int]:
        """All places of the axis but these."""
        others: list[int] = np.setdiff1d(np.arange(self.length), places, assume_unique=True).tolist()
        return others

    def _unlike(self, at: int, given: _Order, usual: int) -> list[int]:
        """The places that are unlike a usual one; none if one cannot tell, or not in so many runs."""
        odd: list[int] = []
        left = [part.tolist() for part in np.array_split(np.arange(self.length), 4)]
        while left:
            places = left.pop()
            if self._runs > self._most:
                return []
            held = self._holds(at, given, [place for place in places if place != usual] + [usual])
            if held:
                continue
            if held is None and len(places) == 1:
                return []
            if len(places) == 1 or (usual not in places and self._holds(at, given, places)):
                odd += places
            else:
                left += [places[len(places) // 2 :], places[: len(places) // 2]]
        return sorted(odd)

    def _matter(self, at: int, given: _Order, usual: int, odd: Sequence[int]) -> bool:
        """Whether what lies at usual places has a part in the output."""
        others = self._others([*odd, usual])
        for place in others[:: max(1, len(others) // _ALIVE)][:_ALIVE]:
            order = np.arange(self.length)
            order[place] = usual
            left = self._left(order)
            if left is None or left[at].tobytes() == given.left[at].tobytes():
                return False
        return True

    def _is_read(self) -> bool:
        """Whether threads read all of the inputs with such an axis: they have no use for what they leave out."""
        if not self._log.kind.transactions:
            return False
        inputs = [t for t in touched_arrays(self._log, self._moved) if len(t.pieces.row) and not t.writes(t.array)]
        return bool(inputs) and all(elements_of(t, t.array, False).all() for t in inputs)

    def _is_explained(self, at: int, odd: Sequence[int]) -> bool:
        """Whether numbers that the launch passes, or its arrays hold, may say which places are odd.

        Or each task has a result of its part, and the odd places are those of one part.
        """
        numbers = set(self.outputs[at].counts) - {self.length}
        for array in self.arrays:
            held = _whole_numbers(array) if array not in self.outputs else []
            if array not in self._moved:
                numbers.update(held)
            elif held and max(held) < self.length and set(odd) <= set(held):  # it says which places belong together
                return True
        shorter = {n for n in numbers if 1 < n < self.length}
        numbers |= {self.length // n for n in shorter if self.length % n == 0}  # of groups
        numbers |= {self.length - n for n in shorter}  # from the end
        runs, few = _runs(odd), len(odd) <= self.length * _FEW
        threads = {int(n) for n in self._log.launch.get("block", ()) if n >= _LEAST}
        if not few and any(all(run[0] % n == 0 for run in runs) for n in threads):  # those of whole blocks
            return True
        ends = ({run[0] - 1, run[0], run[-1], run[-1] + 1, len(run) if len(run) > 1 else run[0]} for run in runs)
        if not any(numbers.isdisjoint(said) for said in ends):  # a bound may be that of the last one that is taken
            return True
        output = self.outputs[at]
        made = (there for touched in touched_arrays(self._log, [output]) for there in self._along(touched, True))
        if any(there.any() and not np.delete(there, odd).any() for there in made):  # a result among the inputs
            return True
        own = self.length not in output.shape and output.count % self._log.tasks == 0
        return own and len(runs) == 1 and (odd[0] == 0 or odd[-1] == self.length - 1)

    def _along(self, touched: Touched, written: bool) -> Iterator[np.ndarray]:
        """At which places of each such axis of an array an element is written, or read, bool [places]."""
        there = along_axes(elements_of(touched, touched.array, written).reshape(touched.array.shape))
        return (places for places in there if len(places) == self.length)

    def _apart(self, usual: int, odd: Sequence[int]) -> int:
        """A record of a line that takes odd places and not the usual one, else the opposite; -1 for no such line."""
        apart: dict[bool, int] = {}
        log = self._log
        for written, touched in product((False, True), [*touched_arrays(log, self._moved)]):
            lines = log.records["loc"][touched.records]
            for line in distinct(lines).tolist():
                pieces = touched.pieces.chosen(lines == line)
                for taken in self._along(replace(touched, all_pieces=pieces), written):
                    if taken[usual] != taken[odd].any():
                        apart.setdefault(not taken[usual], int(log.owners[pieces.row[0]]))
        return apart.get(True, apart.get(False, -1))

    def _said(self, at: int, given: _Order, usual: int, odd: Sequence[int]) -> Iterator[Finding]:
        """The finding, with what an exchange of the first of them changes."""
        order = np.arange(self.length)
        order[[odd[0], usual]] = usual, odd[0]
        left = self._left(order)
        if left is None:
            return
        back = self._in_order(left[at], order)  # an exchange undoes itself
        wrong = self._wrong(given.left[at], back, order)
        mine = Left(Accesses(self._log), [], "")
        if len(wrong):
            values, places = (given.left[at], back), (self.length, usual, odd)
            found = of_places(mine, self.arrays, self.outputs[at], values, wrong, places)
            record = self._apart(usual, odd)
            if record >= 0 and (line := self._log.location(record)) != found.location:
                found = replace(found, location=line, related=found.location)
            turns = [run for run in _runs(odd) if len(run) > 1]
            sure = len(odd) <= self.length * _FEW or len(turns) >= _TURNS
            yield found if sure else replace(found, severity=ADVICE)
