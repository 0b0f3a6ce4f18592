"""The checks of instructions and scalar accesses, each by itself; others ask for them here, and name none."""

from functools import partial
from typing import Any

from ...core.issue import Check
from .checking import LEVELS, STANDARD, Checking, CheckMaker
from .precision import Precision
from .values import Values

#: Those that watch a launch when they are asked for, by the names that options give them.
OPTIONAL: dict[str, type[Check]] = {"precise": Precision, "values": Values}


def optional(name: str, **settings: Any) -> CheckMaker:
    """An optional check by its name, with what it is to be made with."""
    return partial(OPTIONAL[name], **settings) if settings else OPTIONAL[name]


__all__ = ["LEVELS", "OPTIONAL", "STANDARD", "Checking", "Precision", "Values", "optional"]
