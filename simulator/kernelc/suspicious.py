"""What the text of a kernel cannot mean, as findings."""

from __future__ import annotations

from ..findings import ADVICE, Finding, rules
from ..log import Location
from .conversions import Conversions
from .odd_lines import odd_lines
from .overwritten import overwritten
from .repeated import repeated
from .truncated import truncated


def suspicious(text: str, converted: Conversions, file: str, function: str, kernel: str) -> list[Finding]:
    """Findings of a kernel, which is a ``function`` of the text of a file, and of those functions that it calls.

    ``converted`` are the numbers of the file that change their type.
    """
    said = [(one.line, rules.suspicious.overwritten(one.name, one.rounds)) for one in overwritten(text, function)]
    said += [(one.line, rules.suspicious.repeated(one.operand)) for one in repeated(text, function)]
    for one in truncated(text, converted, function):
        finding = rules.suspicious.truncated(one.name, one.sums)
        said.append((one.line, finding if one.sure else finding.but(severity=ADVICE)))
    said += [(one.line, rules.suspicious.odd_line(one.operand, one.lines)) for one in odd_lines(text, function)]
    return [finding.but(kernel=kernel, location=Location(file, line)) for line, finding in said]
