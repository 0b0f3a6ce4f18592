"""Names that may be mistaken, in sources that know what they mean: something near the call says so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ....isa import DIALECTS
from ...files import open_regular
from ...findings import Finding, rules
from ...log import Location

#: Lines before and behind a call that are near it, and bytes of a source that are read.
_BEFORE, _BEHIND, _MOST = 3, 12, 1 << 24


def without_known_meanings(isa: str, findings: Iterable[Finding]) -> list[Finding]:
    """Findings of a dialect but for those on a name that may be mistaken, where the source knows its meaning."""
    return [one for one in findings if one.rule != rules.declared.MEANING or not _is_known(isa, one)]


def _is_known(isa: str, finding: Finding) -> bool:
    patterns = [entry.known_by for entry in DIALECTS[isa].named(finding.instruction) if entry.known_by]
    return any(re.search(pattern, _near(finding.location), re.IGNORECASE) for pattern in patterns)


def _near(place: Location) -> str:
    try:
        with open_regular(Path(place.file)) as file:
            lines = file.read(_MOST).decode(errors="replace").splitlines()
    except (OSError, ValueError):
        return ""
    return "\n".join(lines[max(place.line - 1 - _BEFORE, 0) : place.line + _BEHIND])
