"""Whole numbers that are others with every number of tasks, as where each task counts from a number of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...findings import ADVICE, Finding
from ..after_run import Given
from .left import Left


class Numbered:
    """Finds arrays that hold something else with each number of tasks, of those that the user has not asked for.

    That does not say which is right: if only the launch itself were wrong, the others would agree.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._others: dict[str, np.ndarray] = {}

    def seen(self, found: Iterable[Finding], sides: tuple[Left, Left], arrays: Sequence[Given]) -> Iterator[Finding]:
        """Findings of a launch and another one, whose contents are remembered."""
        contents = {array.name: left for array, *left in zip(arrays, *(side.contents for side in sides), strict=True)}
        for one in found:
            here, there = contents.get(one.operand, (None, None))
            if here is not None and there is not None and there.dtype.kind in "iu":
                before = self._others.setdefault(one.operand, there.copy())
                wrong = (here != there) & (here != before)
                if 2 * np.count_nonzero(before[wrong] != there[wrong]) > np.count_nonzero(wrong):
                    self._names.add(one.operand)
            yield one

    def weighed(self, found: Iterable[Finding]) -> list[Finding]:
        """Findings of differences, as advice if they are of such an array."""
        return [replace(one, severity=ADVICE) if one.operand in self._names else one for one in found]
