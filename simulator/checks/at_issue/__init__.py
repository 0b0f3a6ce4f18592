"""The checks of instructions and scalar accesses, each by itself; others ask for them here, and name none."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ...core.execution import Execution
from ...core.issue import Check
from .coherence import Coherence
from .guards import Architecture, Arguments, Overlap
from .initialized import Initialized
from .memory_core import MemoryCore
from .precision import Precision
from .shared import ClusterMemory
from .values import Values

#: How much is checked: all there is, what a launch tests on its way, nothing but what keeps memory whole.
LEVELS = ("all", "fast", "none")
#: What a machine subscribes unless told otherwise, in the order in which an instruction meets them.
STANDARD: tuple[type[Check], ...] = (
    Architecture,
    Arguments,
    Overlap,
    Initialized,
    Coherence,
    MemoryCore,
    ClusterMemory,
)
#: Those that watch a launch when they are asked for, by the names that options give them.
OPTIONAL: dict[str, type[Check]] = {"precise": Precision, "values": Values}


def optional(name: str, **settings: Any) -> Callable[[Execution], Check]:
    """An optional check by its name, with what it is to be made with."""
    return partial(OPTIONAL[name], **settings) if settings else OPTIONAL[name]


def subscribed(level: str, further: Sequence[Callable[[Execution], Check]]) -> tuple[Callable[[Execution], Check], ...]:
    """What a machine subscribes at a level: the standard checks, but for "none", and then the further ones."""
    return (*(() if level == "none" else STANDARD), *further)


__all__ = ["LEVELS", "OPTIONAL", "STANDARD", "Precision", "Values", "optional", "subscribed"]
