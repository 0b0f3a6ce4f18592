"""Loads of different lines bring different elements."""

from collections.abc import Sequence

from ...text import listed
from ..finding import Finding
from ..rule import WARNING, declare_rule

LOADED_TWICE = declare_rule("loaded-twice", "loads that take turns do not bring the same elements", WARNING)


def twice(array: str, untouched: Sequence[str]) -> Finding:
    """Each time, a load brings those elements of an array that the load at another line has just brought.

    Nothing uses the ``untouched`` arrays, one of which may be meant.
    """
    others = f"{listed(untouched)}, which no task touches" if untouched else "another array or address"
    return Finding(
        LOADED_TWICE,
        f"each time, the elements of {array} are those that another line has just loaded to another place",
        suggestion=f"check whether one of the two should load from {others}",
    )
