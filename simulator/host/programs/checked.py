"""What was found in a program, told kernel by kernel and process by process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...checks.after_run import dispensable
from ...findings import Finding
from ...findings.reports import Checked
from ...findings.reports import Report as Checks
from ...launches.watchers import ran_in
from ...log import Log
from .report import ProgramReport


def checked_program(program: Path, reports: Sequence[ProgramReport], *, advice: bool) -> list[Checked]:
    """What there is to say of each kernel of a program, and of its host code; with advice on what logs were kept."""
    logs: dict[str, list[Log]] = {one.kernel: [] for report in reports for one in report.launches}
    for one in (one for report in reports for one in report.launches):
        logs[one.kernel] += [one.log] if one.log is not None else []
    found = {
        "": [],
        **{kernel: [f for log in own if advice for f in dispensable(log)] for kernel, own in logs.items()},
    }
    for finding in (finding for report in reports for finding in report.findings):
        found[finding.kernel if finding.kernel in logs else ""].append(finding)
    tried = {kernel: said for report in reports for kernel, said in report.tried.items()}
    return [
        Checked(
            f"kernel {kernel}" if kernel else f"program {program}", (*own,), ran_in(*logs.get(kernel, ())), kernel,
            tried.get(kernel, ""),
        )
        for kernel, own in found.items()
    ]  # fmt: skip


def apart(report: ProgramReport, checks: Checks) -> tuple[list[Finding], list[Finding]]:
    """The findings of a process that stay, and those that are suppressed."""
    reasons = {finding.cause: finding for finding in checks.suppressed}
    mine = report.findings
    return [f for f in mine if f.cause not in reasons], [reasons[f.cause] for f in mine if f.cause in reasons]


def document(report: ProgramReport, checks: Checks) -> dict[str, Any]:
    """A report as plain data."""
    findings, suppressed = apart(report, checks)
    return {
        "command": report.command,
        "launches": [
            {"kernel": one.kernel, "queue": one.queue, "device": one.device, "line": str(report.location(one.place)),
             "dim": list(one.dim), "type": one.type, "start_us": one.start, "end_us": one.end}
            for one in report.launches
        ],
        "findings": [finding.to_dict() for finding in findings],
        "suppressed": [finding.to_dict() for finding in suppressed],
        "time_us": report.time_us,
        "copied_bytes": report.copied_bytes,
    }  # fmt: skip
