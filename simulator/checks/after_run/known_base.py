"""Logarithms whose base the source knows: it has the factor between two bases near the call."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ...files import open_regular
from ...findings import Finding, rules
from ...log import Location

#: Natural and decimal logarithm of 2, and the binary one of e, as numbers and by common names.
_FACTOR = re.compile(
    r"\.69314|\.30102|\.30103|1\.4426|\b\w*(?:ln_?2|log_?e?10_?2|log_?e_?2|log_?2_?e)\w*", re.IGNORECASE
)
#: Lines before and behind a call that may hold the factor, and bytes of a source that are read.
_BEFORE, _BEHIND, _MOST = 3, 12, 1 << 24


def without_known_bases(findings: Iterable[Finding]) -> list[Finding]:
    """Findings but for those on a name that may be mistaken, where the source multiplies by ln 2 or the like."""
    return [one for one in findings if one.rule != rules.declared.MEANING or not _knows_base(one.location)]


def _knows_base(place: Location) -> bool:
    try:
        with open_regular(Path(place.file)) as file:
            lines = file.read(_MOST).decode(errors="replace").splitlines()
    except (OSError, ValueError):
        return False
    near = lines[max(place.line - 1 - _BEFORE, 0) : place.line + _BEHIND]
    return any(_FACTOR.search(line) for line in near)
