"""What is said of a program when it has ended."""

from __future__ import annotations

from collections.abc import Iterator

from .report import Report


def kernel_times(report: Report) -> dict[str, tuple[int, float]]:
    """The kernels in the order of their first launch: how often, and their simulated time in all (microseconds)."""
    found: dict[str, tuple[int, float]] = {}
    for one in report.launches:
        count, time = found.get(one.kernel, (0, 0.0))
        found[one.kernel] = count + 1, time + one.end - one.start
    return found


def closing_lines(report: Report) -> Iterator[str]:
    """A line for each kernel, and one for the program."""
    for kernel, (count, time) in kernel_times(report).items():
        yield f"{kernel}: {_count(count, 'launch', 'launches')}, {time:.2f} us"
    errors = len(report.errors)
    warnings = len(report.findings) - errors
    found = [_count(n, word, f"{word}s") for n, word in ((errors, "error"), (warnings, "warning")) if n]
    copies = f"{_count(report.copies, 'copy', 'copies')} of {report.copied_bytes} bytes"
    launches = _count(len(report.launches), "launch", "launches")
    yield f"{launches}, {copies}, {report.time_us:.2f} us simulated; {' and '.join(found) or 'no findings'}"


def summary(report: Report) -> Iterator[str]:
    """The findings and the closing lines as text."""
    yield from map(str, report.findings)
    for line in closing_lines(report):
        yield f"mlusim: {line}"


def _count(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
