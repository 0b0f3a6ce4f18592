"""What carries out launches: tasks of compiled kernels, tasks in Python, blocks of threads, or another process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..core.execution import Launch
from ..findings import Finding
from ..log import Log

#: Told how many tasks are done, and of how many.
OnProgress = Callable[[int, int], None]
#: What a launch gives: its log and its findings. Lines of a compiled kernel are places in its image, see `LineTable`.
Outcome = tuple[Log, list[Finding]]


class LaunchEngine(Protocol):
    """Carries out launches, one at a time."""

    def run(self, launch: Launch, progress: OnProgress | None = None) -> Outcome:
        """Carry out a launch. A failure of the simulator itself (not of the kernel) is raised as it is."""
