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


def declare_rule(id: str, doc: str, severity: str = ERROR) -> str:
    """Declare a rule and return its id; ValueError where another one has it, or for an unknown severity.

    ``doc`` says in a line what holds where the rule is kept. A check of a user's own begins so.
    """
    if severity not in SEVERITIES:
        raise ValueError(f"severity is {severity!r}; it is one of {', '.join(SEVERITIES)}")
    made = Rule(id, severity, doc)
    if RULES.setdefault(id, made) != made:
        raise ValueError(f"there is another rule {id!r}: {RULES[id].doc}")
    return id


def meaning_of(instruction: str) -> str:
    """Where to look up what the counts of an instruction count, in which units."""
    return f"`mlusim isa {instruction}` says what its arguments count"
