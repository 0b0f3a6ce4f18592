"""What a rule is, and the table of all that a kernel can break: every id once."""

from __future__ import annotations

from dataclasses import dataclass

#: How bad it is: wrong; wrong or lucky; not wrong, and could be better.
ERROR, WARNING, ADVICE = "error", "warning", "advice"
SEVERITIES = (ERROR, WARNING, ADVICE)


@dataclass(frozen=True)
class Rule:
    """A rule: its id in findings, how bad it is to break it, and what it says, in a line."""

    id: str
    severity: str
    doc: str


RULES: dict[str, Rule] = {}


def declare(id: str, doc: str, severity: str = ERROR) -> str:
    """Declare a rule and return its id; ValueError where another one has it. A check of a user's own begins so."""
    made = Rule(id, severity, doc)
    if RULES.setdefault(id, made) != made:
        raise ValueError(f"there is another rule {id!r}: {RULES[id].doc}")
    return id
