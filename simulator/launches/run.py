"""What a launch gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...isa.cached import cached_property
from .. import shown
from ..checks.after_run import dispensable
from ..checks.consequences import without_consequences
from ..chip.rates import Rates
from ..findings import ERROR, Finding, counted, rules
from ..log import Log
from ..spent import phase
from ..timing import Timeline, replay
from .device import Device
from .variants import NO_VARIANTS, Variants


@dataclass(frozen=True)
class Run:
    """The result of a launch: what was computed, what was wrong, every instruction, and when it would have run."""

    findings: list[Finding]
    log: Log
    rates: Rates
    output: Any = None  # of an operator: an array, or a named tuple of arrays
    suppressed: list[Finding] = field(default_factory=list)  # what comments in the sources allow, with their reasons
    variants: Variants = NO_VARIANTS  # what the launch was compared with

    def __repr__(self) -> str:
        found = counted(self.findings, len(self.suppressed)) or "no findings"
        return f"<Run: {len(self.log)} records of {self.log.kernel or 'no kernel'}, {found}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: head, timeline and findings."""
        return shown.notebook_html(self.timeline, self.findings, self.suppressed)

    def report(self, path: str | Path) -> None:
        """Write a report to look at in a browser, one HTML file; OSError when it cannot be written."""
        shown.write_report(path, [self.timeline], self.findings, self.suppressed)

    @classmethod
    def empty(cls, device: Device, output: Any = None) -> Run:
        """The run of an operator that had nothing to launch: no records, no time."""
        return cls([], Log.empty(device.shape, device.name, {}), device.rates, output)

    @cached_property
    def timeline(self) -> Timeline:
        """Start and end of every record at the device's rates."""
        with phase("timing"):
            return replay(self.log, self.rates)

    @property
    def time_us(self) -> float:
        """Estimated time of the launch on the device, in microseconds."""
        return self.timeline.total_us

    @cached_property
    def advice(self) -> list[Finding]:
        """What the kernel could do without: not wrong, and not among the findings.

        Where these speak of data, work that leads to nothing may follow from what they say.
        """
        needed = self.variants.needed
        found = [
            one for one in dispensable(self.log) if one.rule != rules.waits.REDUNDANT_SYNC or one.location not in needed
        ]
        if any(one.rule != rules.waits.UNWAITED and not one.carried_out for one in self.findings):
            found = [one for one in found if one.rule == rules.waits.REDUNDANT_SYNC]
        return [one for one in without_consequences([*self.findings, *found]) if one in found] if found else []

    @property
    def errors(self) -> list[Finding]:
        """The findings that are errors, not warnings."""
        return [finding for finding in self.findings if finding.severity == ERROR]
