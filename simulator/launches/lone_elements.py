"""Elements of inputs that are read and have no part in any result, each alone and whatever the inputs hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...isa.cached import cached_property
from ..checks import SHAPE_ENTRIES
from ..checks.after_run import Given, Touched, elements_of
from ..findings import Finding, rules
from .repeatable import Change, RepeatableLaunch

#: Elements of an input, at least and at most; those that are tried at first, and then if one makes no difference.
_LEAST, _MOST, _FIRST, _MORE = 16, 1 << 20, 16, 48
#: Other contents with which they have to make none. So many do then, and such shares of those tried, at least.
_CONTENTS, _SOME, _FEW, _MANY = 4, 2, 1 / 16, 1 / 2
#: Further runs, at most, and the work of all together, as logs count it, which takes seconds.
_MOST_RUNS, _WORK = 400, 1 << 29


class LoneElements:
    """A launch repeated with another number in one element of an input, and then in all that made no difference."""

    def __init__(
        self, launched: RepeatableLaunch, inputs: Sequence[Touched],
        numbers: Callable[[Given], Sequence[np.ndarray]],
    ) -> None:  # fmt: skip
        """``numbers`` gives numbers that no element of an array has."""
        self._launched, self._inputs, self._numbers = launched, inputs, numbers
        self._written = [array for array in launched.outputs if launched.reruns.before.differs(array)]
        self._random, self.tried = np.random.default_rng(0), False
        self._runs = min(_MOST_RUNS, _WORK // max(1, int(launched.log.records["work"].sum())))

    def unused(self) -> Iterator[Finding]:
        """The inputs with such elements, and others that make a difference.

        Nothing is said of a launch that reads whole numbers, or writes some: they choose elements, or say which were
        chosen. Lengths do not, and where there are a few other numbers most elements have to make no difference. Nor is
        anything said of tensors in lanes, of which instructions take windows.
        """
        whole = [
            touched.array for touched in self._inputs if touched.array.dtype.kind != "f" and not touched.says_lengths
        ]
        if any(array.dtype.kind != "f" for array in self._written) or any(one.count > SHAPE_ENTRIES for one in whole):
            return
        if self._launched.log.operands["lanes"].any():
            return
        for touched in self._inputs:
            array = touched.array
            if array.dtype.kind != "f" or not _LEAST <= array.count <= _MOST:
                continue
            self.tried = True
            elements = self._random.permutation(np.flatnonzero(elements_of(touched, array, False)))
            dead = self._without_part(array, elements[:_FIRST])
            if not dead:
                continue
            dead += self._without_part(array, elements[_FIRST : _FIRST + _MORE])
            tried = len(elements[: _FIRST + _MORE])
            if len(dead) < tried:
                dead = self._whatever_is_held(array, dead)
                if len(dead) > max(_SOME, tried * (_MANY if whole else _FEW)):
                    yield self._said(touched, sorted(dead), tried)

    def _without_part(self, array: Given, elements: np.ndarray) -> list[int]:
        """The elements that make no difference to what the launch leaves, whatever number they hold."""
        numbers = self._numbers(array)
        return [int(one) for one in elements if self._make_no_difference(array, [int(one)], numbers, [])]

    def _whatever_is_held(self, array: Given, elements: list[int]) -> list[int]:
        """Those of elements that make no difference either if the inputs have their numbers in other places."""
        arrays = [touched.array for touched in self._inputs if touched.array.dtype.kind == "f"]
        numbers = self._numbers(array)
        for _ in range(_CONTENTS):
            held = [(one, self._random.permutation(one.contents().reshape(-1))) for one in arrays]
            parts, elements = [elements] if elements else [], []
            while parts:
                part = parts.pop()
                if self._make_no_difference(array, part, numbers, held):
                    elements += part
                elif len(part) > 1:
                    parts += [part[: len(part) // 2], part[len(part) // 2 :]]
        return elements

    def _make_no_difference(
        self, array: Given, elements: Sequence[int], numbers: Sequence[np.ndarray],
        held: Sequence[tuple[Given, np.ndarray]],
    ) -> bool:  # fmt: skip
        """Whether the launch leaves the same with any of the numbers in elements, where inputs hold what is given."""
        whole = [(one, slice(None), values) for one, values in held]
        usual = self._left(whole) if held else self._usual
        return usual is not None and all(self._left([*whole, (array, elements, n)]) == usual for n in numbers)

    @cached_property
    def _usual(self) -> list[bytes]:
        """What the launch has left."""
        return [self._launched.reruns.after.bytes_of(array).tobytes() for array in self._written]

    def _left(self, changes: Sequence[Change]) -> list[bytes] | None:
        """What the launch leaves where inputs hold other numbers; None if it breaks a rule, and of one run too many."""
        if self._runs <= 0:
            return None
        self._runs -= 1
        if not self._launched.keeps_the_rules(changes):
            return None
        return [array.contents().tobytes() for array in self._written]

    def _said(self, touched: Touched, dead: Sequence[int], tried: int) -> Finding:
        array = touched.array
        shown = [array.element(number) for number in dead[:3]]
        begin, end = (array.key + number * array.dtype.itemsize for number in (dead[0], dead[-1] + 1))
        row = int(touched.pieces.row[np.searchsorted(touched.pieces.begin, begin, "right") - 1])
        return touched.at(rules.results.without_part(array.name, len(dead), tried, shown), row, begin, end - begin)
