"""A launch as traces show it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..simulator.timing import Timeline


@dataclass(frozen=True)
class Shown:
    """A launch in a trace; in that of a program from ``start`` (microseconds) on, in a queue of a device.

    Without a program there is no queue: -1.
    """

    timeline: Timeline
    start: float = 0.0
    queue: int = -1
    device: int = 0
    line: str = ""

    @property
    def shifted(self) -> Timeline:
        """The timeline at its place in the program."""
        return replace(self.timeline, start=self.timeline.start + self.start, end=self.timeline.end + self.start)
