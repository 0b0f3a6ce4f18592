"""Findings: what a kernel did wrong, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from ..log.region import NOWHERE, Location, Region
from ..text import printable
from . import rules
from .rules import RULES


@dataclass(frozen=True)
class Finding:
    """One broken rule. Findings with one cause are one finding with a count."""

    rule: str  # its id, see `rules`
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
    severity: str = ""  # that of the rule
    count: int = 1
    provenance: str = "documented"

    def __post_init__(self) -> None:
        if not self.severity:
            object.__setattr__(self, "severity", RULES[self.rule].severity)

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
            lines.append(f"fix: {self.suggestion}")
        if self.count > 1:
            lines.append(f"seen {self.count} times")
        return "\n  ".join(printable(line) for line in lines if line)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    def again(self, count: int = 1) -> Finding:
        """The same finding, seen more often."""
        return replace(self, count=self.count + count)


def budget_finding(space: str, used: int, bytes: int, name: str) -> Finding:
    """On-chip variables take more than the space has."""
    return Finding(
        rules.BUDGET,
        f"{space} variables take {used} bytes with {name!r}, {used - bytes} too many",
        operand=name,
        limit=f"{bytes} bytes, the size of {space}",
        suggestion=f"make the {space} variables smaller, or work in smaller tiles",
    )
