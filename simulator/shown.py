"""What one sees of a run: a report in a file, and a piece of a page in a notebook.

``traces`` draws both. It stands above the simulator, and is asked for when something is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .findings import Finding
from .timing import Timeline


def write_report(
    path: str | Path, timelines: Sequence[Timeline], findings: Sequence[Finding], suppressed: Sequence[Finding] = ()
) -> None:
    """Write a report of launches; OSError when the folder is missing or cannot be written."""
    from ..traces.report import LaunchShown, ReportPage
    from ..traces.report import write_report as write

    launches = [LaunchShown(kernel_of(timeline), timeline) for timeline in timelines]
    title = launches[0].name if launches else "no launch"
    write(ReportPage(title, launches, findings, suppressed), path)


def notebook_html(timeline: Timeline, findings: Sequence[Finding], suppressed: Sequence[Finding] = ()) -> str:
    """Head, timeline and findings of a launch as HTML without scripts."""
    from ..traces.notebook import static_html

    return static_html(kernel_of(timeline), timeline, findings, suppressed)


def kernel_of(timeline: Timeline) -> str:
    """How the kernel of a launch is called."""
    return timeline.log.kernel or "no kernel"
