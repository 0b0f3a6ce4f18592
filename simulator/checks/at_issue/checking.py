"""How much of a launch is checked, and by what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from ...text import quoted

if TYPE_CHECKING:  # a process that builds, or whose worker launches, needs neither machine nor checks
    from ...core.execution import Execution
    from ...core.issue import Check

CheckMaker: TypeAlias = "Callable[[Execution], Check]"
#: How much is checked: all there is, what a launch tests on its way, nothing but what keeps memory whole.
LEVELS = ("all", "fast", "none")


@dataclass(frozen=True)
class Checking:
    """The checks of a launch: a level, and ``further`` ones, classes or partials of them with options."""

    level: str = LEVELS[0]
    further: tuple[CheckMaker, ...] = ()

    def __post_init__(self) -> None:
        """ValueError for an unknown level, TypeError for what is no check."""
        if self.level not in LEVELS:
            raise ValueError(f"level is {quoted(self.level)}; pass one of {', '.join(LEVELS)}")
        if self.further:
            self._check_further()

    def _check_further(self) -> None:
        from ...core.issue import Check

        for check in self.further:
            made = check.func if isinstance(check, partial) else check
            if not (isinstance(made, type) and issubclass(made, Check)):
                raise TypeError(f"{quoted(check)} is no check; pass classes derived from Check, or partials of them")

    @property
    def of_logs(self) -> bool:
        """Whether the log of the launch is examined for what the order of its accesses breaks, and for lost work."""
        return self.level == "all"

    @property
    def of_rules(self) -> bool:
        """Whether a launch tests more on its way than what it cannot carry out."""
        return self.level != "none"
