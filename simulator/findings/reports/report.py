"""What a check has found, for whoever writes it down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ....isa.cached import cached_property
from ...log import Location
from .. import ADVICE, ERROR, Finding, merged
from .suppressions import Suppression, comments, complaints, suppress


@dataclass(frozen=True)
class Checked:
    """One thing that was looked at: a launch, a log, a build. ``ran`` are the source lines that were executed.

    ``tried`` says what a launch was compared with, if with anything.
    """

    name: str
    findings: tuple[Finding, ...]
    ran: frozenset[Location] = frozenset()
    kernel: str = ""
    tried: str = ""


@dataclass(frozen=True)
class Report:
    """Everything that was looked at, and what is to be said of it."""

    checked: tuple[Checked, ...]

    @cached_property
    def findings(self) -> list[Finding]:
        """What is not suppressed; findings of one cause are one."""
        return merged(f for checked in self.checked for f in checked.findings if not f.reason)

    @cached_property
    def suppressed(self) -> list[Finding]:
        """What is suppressed, with the reasons."""
        return merged(f for checked in self.checked for f in checked.findings if f.reason)

    @property
    def errors(self) -> list[Finding]:
        """The findings that are errors."""
        return [finding for finding in self.findings if finding.severity == ERROR]

    @property
    def failed(self) -> bool:
        """Whether there is more than advice."""
        return any(finding.severity != ADVICE for finding in self.findings)


def report_of(checked: Iterable[Checked], suppressions: Sequence[Suppression] = ()) -> Report:
    """The report of things that were looked at, by the suppressions of their sources and of a file."""
    given = list(checked)
    files = dict.fromkeys(place.file for one in given for place in _places(one))
    known = [*suppressions, *(entry for file in files for entry in comments(file))]
    done = [replace(one, findings=tuple(suppress(one.findings, known))) for one in given]
    found = [finding for one in done for finding in one.findings]
    said = complaints(known, found, (place for one in given for place in one.ran), [one.kernel for one in given])
    return Report((*done, *([Checked("suppressions", tuple(said))] if said else [])))


def _places(one: Checked) -> list[Location]:
    found = [place for finding in one.findings for place in finding.places]
    return [*found, *sorted(one.ran, key=lambda place: (place.file, place.line))]
