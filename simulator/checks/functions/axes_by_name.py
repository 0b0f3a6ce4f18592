"""What the names of numbers say of each axis of a window: ``kernel_h``, ``pad_left``, ``stride[1]``."""

from __future__ import annotations

import re
from collections.abc import Collection

from .problem import Problem

#: Words for what a number is of; what is left of a name says which axis.
_OF = {
    "size": re.compile(r"(kernel|filter|window|pool)_?(size|dim)?s?|ksize|(^|[._])k(?=_?[hwxy]$)"),
    "stride": re.compile(r"(stride|step)s?|(^|[._])s(?=_?[hwxy]$)"),
    "pad": re.compile(r"pad(ding|s)?|(^|[._])p(?=_?[hwxytl]$)"),
    "dilation": re.compile(r"dil(ation|ate)?s?|(^|[._])d(?=_?[hwxy]$)"),
}
#: What is left for rows, and for columns; and of what is behind an image.
_AXES = ({"h", "height", "y", "t", "top", "up", "0"}, {"w", "width", "x", "l", "left", "1"})
_BEHIND = {"b", "bottom", "down", "r", "right"}


def pairs_said(problem: Problem, what: str, others: Collection[int]) -> list[tuple[int, int]]:
    """The numbers of rows and of columns: those that names say, or any two of some."""
    both = said_of_axis(problem, what, 0), said_of_axis(problem, what, 1)
    if both[0] is not None and both[1] is not None and set(both).issubset(others):
        return [(both[0], both[1])]
    return [(one, other) for one in others for other in others]


def said_of_axis(problem: Problem, what: str, axis: int) -> int | None:
    """The number that is called so and is of one of two axes, or of both; None if there is none, or if there are more.

    ``what`` is size, stride, pad or dilation.
    """
    of_axis, of_both = set(), set()
    for name, n in problem.numbers.items():
        said = name.lower()
        if isinstance(n, int) and _OF[what].search(said):
            left = _OF[what].sub("", said, count=1).strip("_.[]")
            of_axis |= {n} if left in _AXES[axis] else set()
            of_both |= {n} if left not in _BEHIND else set()
    found = of_axis or of_both
    return found.pop() if len(found) == 1 else None
