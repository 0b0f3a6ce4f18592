"""The table of a kernel that is checked on several devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..findings import ADVICE, ERROR, WARNING, Finding
from ..text import percent
from ..timing import Timeline
from .screen import Screen


@dataclass(frozen=True)
class OnDevice:
    """How a kernel fares on a device: findings by severity, microseconds, how much it holds of the fullest memory."""

    device: str
    errors: int = 0
    warnings: int = 0
    advice: int = 0
    time_us: float | None = None  # None: nothing ran
    memory: str = ""
    problem: str = ""  # why nothing could be looked at

    @classmethod
    def of(cls, device: str, findings: Sequence[Finding], timeline: Timeline | None) -> OnDevice:
        """The row of a device, of a kernel that was built, and launched where there is a timeline."""
        counts = Counter(finding.severity for finding in findings)
        row = device, counts[ERROR], counts[WARNING], counts[ADVICE]
        if timeline is None:
            return cls(*row)
        from ...traces import summarise

        held = [(peak.bytes / peak.budget, peak.space) for peak in summarise(timeline).peaks if peak.budget]
        memory = [f"{space.upper()} {percent(share)}" for share, space in sorted(held, reverse=True)[:1]]
        return cls(*row, timeline.total_us, "".join(memory))


def print_devices(screen: Screen, rows: Sequence[OnDevice]) -> None:
    """Print the table, unless only a document or the findings are wanted."""
    if screen.json or screen.apart:
        return
    screen.table(
        [("DEVICE", False), ("errors", True), ("warnings", True), ("advice", True), ("us", True),
         ("fullest memory", False)],
        (
            [row.device, "", "", "", "", row.problem] if row.problem else
            [row.device, str(row.errors), str(row.warnings), str(row.advice),
             "" if row.time_us is None else f"{row.time_us:,.3f}", row.memory]
            for row in rows
        ),
    )  # fmt: skip
    screen.line()
