"""What is said of a program when it has ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...findings import Finding, counted
from .deaths import endings
from .report import ProgramReport


def kernel_times(report: ProgramReport) -> dict[str, tuple[int, float]]:
    """The kernels in the order of their first launch: how often, and their simulated time in all (microseconds)."""
    found: dict[str, tuple[int, float]] = {}
    for one in report.launches:
        count, time = found.get(one.kernel, (0, 0.0))
        found[one.kernel] = count + 1, time + one.end - one.start
    return found


def closing_lines(report: ProgramReport, findings: Sequence[Finding], suppressed: int = 0) -> Iterator[str]:
    """How the program has ended, if not by itself; a line for each kernel, and one for the program with what is left of
    its findings and how many may stay.
    """
    yield from endings(report)
    cut = {one.kernel for one in report.launches if one.cut}
    for kernel, (count, time) in kernel_times(report).items():
        least = "at least " if kernel in cut else ""
        yield f"{kernel}: {_count(count, 'launch', 'launches')}, {least}{time:.2f} us"
    copies = f"{_count(report.copies, 'copy', 'copies')} of {report.copied_bytes} bytes"
    launches = _count(len(report.launches), "launch", "launches")
    whole = f"{'at least ' if cut else ''}{report.time_us:.2f} us simulated"
    yield f"{launches}, {copies}, {whole}; {counted(findings, suppressed) or 'no findings'}"


def _count(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
