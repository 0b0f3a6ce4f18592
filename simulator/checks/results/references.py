"""What a launch leaves beside what other functions of its source leave of the same arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ...findings import ADVICE, WARNING, Differing, Finding, rules
from ..after_run import Given
from .agreement import Side, difference, touch_the_same, written_of
from .expectations import Expectations, limit_of
from .left import Left

#: Shares of the elements that agree where two functions compute the same most likely, and nearly surely.
_MANY, _MOST = 0.5, 0.9


class Beside(NamedTuple):
    """Another function of the source that may compute what a kernel does, on the ``host`` or as a kernel.

    ``alike``: its name says the same, or of a function of the host one of the names says nothing. ``committed``: it is
    the kernel itself, as the last commit has it.
    """

    name: str
    host: bool
    alike: bool
    committed: bool = False

    @property
    def called(self) -> str:
        return f"{self.name}() of the last commit" if self.committed else f"{self.name}()"


@dataclass(frozen=True)
class _Compared:
    """How a launch compares with a function: the share of the elements that agree, what differs, and all it leaves.

    ``mostly``, ``all``: it writes most of what the launch does, or all; ``touched``: both touch the same bytes.
    """

    function: Beside
    share: float
    mostly: bool
    all: bool
    touched: bool
    found: Finding | None
    left: dict[str, np.ndarray]

    @property
    def exact(self) -> bool:
        """Whether the launch leaves what the function does."""
        return self.all and self.found is None

    def agrees_with(self, other: _Compared) -> bool:
        """Whether two functions leave the same, within rounding."""
        return self.left.keys() == other.left.keys() and not any(
            len(Expectations(None).wrong(mine, other.left[name])) for name, mine in self.left.items()
        )


class References:
    """Collects how a launch compares with other functions of its source."""

    def __init__(self) -> None:
        self._seen: list[_Compared] = []

    def seen(self, function: Beside, mine: Left, theirs: Left, arrays: Sequence[Given]) -> bool:
        """What a launch has left, and what a function has; whether the two can be compared.

        They cannot if the function writes no array, or one that the launch does not write.
        """
        worded = partial(_worded, function=function)
        right, total, mostly, all_ = 0, 0, True, True
        left, found = {}, None
        for array, here, there in zip(arrays, mine.contents, theirs.contents, strict=True):
            if here is None or there is None:
                continue
            made, own = written_of(theirs, array, there), written_of(mine, array, here)
            compared = made | own if function.committed else made  # another function may leave elements to others
            if not compared.any():
                continue
            if not own.any() and not function.committed:
                return False
            wrong = Expectations({}, limit_of(array, arrays, mine.log) or None).wrong(here, there)
            wrong = wrong[compared[wrong]]
            telling = compared & _telling(there, compared)
            right += int(telling.sum()) - int(telling[wrong].sum())
            total += int(telling.sum())
            common = (own & made).sum() / max(own.sum(), 1)
            mostly, all_ = mostly and common >= _MANY, all_ and common == 1
            left[array.name] = there.copy()
            if len(wrong) and found is None:
                found = difference(Side(mine, here), Side(theirs, there), arrays, array, wrong, worded)
        if left:
            touched = touch_the_same(mine, theirs)
            self._seen.append(_Compared(function, right / total, bool(mostly), bool(all_), touched, found, left))
        return bool(left)

    @property
    def equal(self) -> tuple[str, ...]:
        """Which arrays are what functions leave, in words."""
        return tuple(
            f"{', '.join(one.left)} {'is' if len(one.left) == 1 else 'are'} what {one.function.called} computes"
            for one in self._seen
            if one.exact
        )

    @property
    def right(self) -> bool:
        """Whether a function that is to compute the same leaves the same."""
        return any(one.exact and one.function.alike for one in self._seen if not one.function.committed)

    def weighed(self) -> Iterator[Finding]:
        """The finding of what is not what a function leaves, if that means something: nothing if another agrees.

        What is not as the last commit has it is a warning where most is: a change that is meant, or of what has been
        wrong, is more often one of all elements.
        """
        others = [one for one in self._seen if not one.function.committed]
        if any(one.exact for one in others):
            return
        for one in sorted(others, key=lambda one: (one.function.host, one.share), reverse=True):
            severity = self._severity(one)
            if severity and one.found:
                yield replace(one.found, severity=severity)
                return
        for one in self._seen:
            if one.function.committed and one.found:
                yield replace(one.found, severity=WARNING if one.share >= _MANY else ADVICE)

    def _severity(self, one: _Compared) -> str:
        """What it means that a launch does not leave what a function does; "" for nothing.

        Another kernel may be written for another grid, or work on other parts, even if a third leaves the same.
        """
        if not one.function.alike:
            return ADVICE if one.share >= _MOST else ""
        if one.function.host:
            return WARNING if one.mostly or one.share >= _MANY else ""
        voted = one.touched and any(other is not one and one.agrees_with(other) for other in self._seen)
        return WARNING if one.share >= _MOST else ADVICE if one.share >= _MANY or voted else ""


def _worded(differing: Differing, said: tuple[str, str], function: Beside) -> Finding:
    del said
    return rules.results.unlike_reference(differing, function.called, function.committed)


def _telling(there: np.ndarray, made: np.ndarray) -> np.ndarray:
    """Which elements say something: not those of the most frequent number of what a function has made."""
    flat = there.reshape(-1)
    numbers, counts = np.unique(flat[made], return_counts=True)
    unusual: np.ndarray = flat != numbers[np.argmax(counts)]
    return unusual if counts.max() > 1 and unusual[made].any() else np.ones(flat.shape, bool)
