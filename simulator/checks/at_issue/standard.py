"""Which checks a machine subscribes, and which it subscribes when asked."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...core.issue import Check
from .checking import Checking, CheckMaker
from .coherence import Coherence
from .guards import Architecture, Arguments, Meaning, Overlap
from .initialized import Initialized
from .precision import Precision
from .shared import ClusterMemory
from .values import Values

#: What a machine subscribes unless told otherwise, in the order in which an instruction meets them.
STANDARD: tuple[type[Check], ...] = (
    Architecture,
    Meaning,
    Arguments,
    Overlap,
    Initialized,
    Coherence,
    ClusterMemory,
)
#: Those that watch a launch when they are asked for, by the names that options give them.
OPTIONAL: dict[str, type[Check]] = {"precise": Precision, "values": Values}


def subscribed(checking: Checking) -> tuple[CheckMaker, ...]:
    """What a machine subscribes: the standard checks, but for "none", and then the further ones."""
    return (*(STANDARD if checking.of_rules else ()), *checking.further)


def optional(name: str, **settings: Any) -> CheckMaker:
    """An optional check by its name, with what it is to be made with."""
    return partial(OPTIONAL[name], **settings) if settings else OPTIONAL[name]
