"""Findings: what a kernel did wrong, as data first and as an exception second.

Exceptions of mlusim:

    MlusimError
     ├── KernelError      a launch ended on a finding (`.finding`, `.run`)
     └── BuildError       a source did not compile (`.log`)

Wrong use of the API is a ValueError or a TypeError.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from .log import NOWHERE, Location, Region

if TYPE_CHECKING:
    from .run import Run

ERROR, WARNING = "error", "warning"


@dataclass(frozen=True)
class Finding:
    """One broken rule. Findings with one cause are one finding with a count."""

    rule: str  # see docs/findings.md for the names
    message: str  # what is wrong, with the value and the limit
    instruction: str = ""
    operand: str = ""
    region: Region | None = None
    limit: str = ""  # the limit and where it comes from
    suggestion: str = ""
    kernel: str = ""
    core: int = -1
    task: int = -1
    location: Location = NOWHERE
    related: Location | None = None  # the other instruction involved
    severity: str = ERROR
    count: int = 1
    provenance: str = "documented"

    def __str__(self) -> str:
        head = f"{self.severity}: {self.rule}: {self.message}"
        if self.provenance == "inferred":
            head += " (inferred rule)"
        where = []
        if self.region:
            where.append(f"operand {self.operand} = {self.region}" if self.operand else str(self.region))
        if self.limit:
            where.append(f"limit: {self.limit}")
        who = [self.instruction or "", f"kernel {self.kernel}" if self.kernel else ""]
        if self.core >= 0:
            who.append(f"core {self.core}, task {self.task}")
        lines = [head, *where, ", ".join(part for part in who if part)]
        if self.location.line:
            lines.append(f"at {self.location}" + (f", with {self.related}" if self.related else ""))
        if self.suggestion:
            lines.append(f"mend: {self.suggestion}")
        if self.count > 1:
            lines.append(f"seen {self.count} times")
        return "\n  ".join(line for line in lines if line)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    def again(self, count: int = 1) -> Finding:
        """The same finding, seen more often."""
        return replace(self, count=self.count + count)


class MlusimError(Exception):
    """Base of what mlusim raises for a kernel's faults."""


class KernelError(MlusimError):
    """A launch ended on a finding."""

    def __init__(self, finding: Finding, run: Run | None = None) -> None:
        super().__init__(str(finding))
        self.finding, self.run = finding, run

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelError, (self.finding, self.run)


class BuildError(MlusimError):
    """A source did not compile or does not fit the device."""

    def __init__(self, message: str, finding: Finding | None = None) -> None:
        super().__init__(message)
        self.finding = finding

    def __reduce__(self) -> tuple[Any, ...]:
        return BuildError, (str(self), self.finding)


def budget_finding(space: str, used: int, bytes: int, name: str) -> Finding:
    """On-chip variables take more than the space has."""
    return Finding(
        "budget",
        f"{space} variables take {used} bytes with {name!r}, {used - bytes} too many",
        operand=name,
        limit=f"{bytes} bytes, the size of {space}",
        suggestion=f"make the {space} variables smaller, or work in smaller tiles",
    )
