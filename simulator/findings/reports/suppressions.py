"""Findings that their author knows and accepts, each with a reason: comments in sources, and files of them.

A comment ``mlusim: allow(rule, ...) reason`` is about its own line or, where it stands alone, about the next line of
code. A finding is suppressed by a comment about any line that it names: its own, that of the other instruction, and
that of the declaration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

from ...log import Location
from ...text import nearest, quoted
from .. import RULES, Finding
from ..rules import suppression

_COMMENT = re.compile(r"(?://|/\*|#)\s*mlusim:\s*allow\(([^)]*)\)(.*?)(?:\*/|$)")
#: A line that holds nothing but a comment, or nothing.
_ALONE = re.compile(r"\s*(?://|/\*|\*|#(?!\s*(?:if|el|end|define|include|pragma))|$)")
#: Bytes of a source that is read for comments at most.
_MOST = 1 << 24


@dataclass(frozen=True)
class Suppression:
    """Findings of some rules that may stay, and why. What is empty (0) holds for all files, lines, kernels."""

    rules: tuple[str, ...]
    reason: str
    place: Location  # where it is written
    file: str = ""  # a path, or a pattern of the whole path or its end
    line: int = 0
    kernel: str = ""  # a pattern

    @property
    def problem(self) -> str:
        """Why it is none; "" if it is one."""
        if not self.reason:
            return "has no reason"
        unknown = next((rule for rule in self.rules if rule not in RULES), None)
        if unknown is not None:
            return f"names no rule: {quoted(unknown)}{nearest(unknown, RULES)}"
        return "" if self.rules else "names no rule"

    def is_about(self, place: Location) -> bool:
        """Whether it is about a line."""
        if self.line and place.line != self.line:
            return False
        return not self.file or place.file == self.file or _like(place.file, self.file)

    def is_about_kernel(self, kernel: str) -> bool:
        """Whether it is about a kernel."""
        return not self.kernel or fnmatch(kernel, self.kernel)

    def holds_for(self, finding: Finding) -> bool:
        """Whether a finding is suppressed by it."""
        if finding.rule not in self.rules or self.problem or not self.is_about_kernel(finding.kernel):
            return False
        return any(map(self.is_about, finding.places))


def _like(path: str, pattern: str) -> bool:
    return fnmatch(path, pattern) or fnmatch(path, f"*/{pattern.removeprefix('./')}")


def suppress(findings: Iterable[Finding], suppressions: Sequence[Suppression]) -> list[Finding]:
    """The findings, with the reason in those that are suppressed."""
    found = []
    for finding in findings:
        by = next((s for s in suppressions if not finding.reason and s.holds_for(finding)), None)
        found.append(replace(finding, reason=by.reason, suppressed_at=by.place) if by else finding)
    return found


def suppressed_in_sources(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with the reason in those that comments in their sources suppress."""
    files = dict.fromkeys(place.file for finding in findings for place in finding.places)
    return suppress(findings, [entry for file in files for entry in comments(file)])


def comments(file: str) -> list[Suppression]:
    """The suppressions in a source; none in a file that cannot be read."""
    if not file:
        return []
    try:
        status = os.stat(file)
        if not S_ISREG(status.st_mode) or status.st_size > _MOST:
            return []
        return _comments(file, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):
        return []


@lru_cache(maxsize=64)
def _comments(file: str, changed: int, size: int) -> list[Suppression]:
    """Those of a file as it was ``changed`` last, of that ``size``."""
    del changed, size
    lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        if "mlusim:" in line and (match := _COMMENT.search(line)):
            about = number
            while _ALONE.match(lines[about - 1]) and about < len(lines):
                about += 1
            names = tuple(name.strip() for name in match[1].split(",") if name.strip())
            found.append(Suppression(names, match[2].strip(), Location(file, number), file, about))
    return found


def complaints(
    suppressions: Sequence[Suppression], findings: Sequence[Finding], ran: Iterable[Location], kernels: Iterable[str]
) -> list[Finding]:
    """What is wrong with suppressions about what ran: those that are none, and those that suppressed nothing."""
    lines, names = list(ran), list(kernels)
    found = []
    for entry in suppressions:
        if not any(map(entry.is_about, lines)) or not any(map(entry.is_about_kernel, names)):
            continue  # about something that has not run
        if entry.problem:
            found.append(replace(suppression.malformed(entry.problem), location=entry.place))
        elif not any(entry.holds_for(finding) for finding in findings):
            found.append(replace(suppression.needless(entry.rules), location=entry.place))
    return found
