"""How much of a launch is checked, and by what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ...core.execution import Execution
from ...core.issue import Check
from ...text import quoted
from .coherence import Coherence
from .guards import Architecture, Arguments, Meaning, Overlap
from .initialized import Initialized
from .memory_core import MemoryCore
from .shared import ClusterMemory

CheckMaker = Callable[[Execution], Check]
#: How much is checked: all there is, what a launch tests on its way, nothing but what keeps memory whole.
LEVELS = ("all", "fast", "none")
#: What a machine subscribes unless told otherwise, in the order in which an instruction meets them.
STANDARD: tuple[type[Check], ...] = (
    Architecture,
    Meaning,
    Arguments,
    Overlap,
    Initialized,
    Coherence,
    MemoryCore,
    ClusterMemory,
)


@dataclass(frozen=True)
class Checking:
    """The checks of a launch: a level, and ``further`` ones, classes or partials of them with options."""

    level: str = LEVELS[0]
    further: tuple[CheckMaker, ...] = ()

    def __post_init__(self) -> None:
        """ValueError for an unknown level, TypeError for what is no check."""
        if self.level not in LEVELS:
            raise ValueError(f"level is {quoted(self.level)}; pass one of {', '.join(LEVELS)}")
        for check in self.further:
            made = check.func if isinstance(check, partial) else check
            if not (isinstance(made, type) and issubclass(made, Check)):
                raise TypeError(f"{quoted(check)} is no check; pass classes derived from Check, or partials of them")

    @property
    def subscribed(self) -> tuple[CheckMaker, ...]:
        """What a machine subscribes: the standard checks, but for "none", and then the further ones."""
        return (*(() if self.level == "none" else STANDARD), *self.further)

    @property
    def of_logs(self) -> bool:
        """Whether the log of the launch is examined for what the order of its accesses breaks, and for lost work."""
        return self.level == "all"
