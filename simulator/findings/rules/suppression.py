"""A suppression has a reason and suppresses something."""

from collections.abc import Iterable

from ..finding import Finding
from ..rule import ADVICE, WARNING, declare_rule

SUPPRESSION = declare_rule("suppression", "a suppression has a reason and suppresses something", ADVICE)


def malformed(problem: str) -> Finding:
    """What is meant as a suppression is none."""
    return Finding(
        SUPPRESSION,
        f"this suppression {problem}, so it suppresses nothing",
        severity=WARNING,
        suggestion="write // mlusim: allow(rule) reason",
    )


def needless(rules: Iterable[str]) -> Finding:
    """What a suppression is about breaks none of its rules."""
    message = f"nothing breaks {' or '.join(rules)} here"
    return Finding(SUPPRESSION, message, suggestion="remove the suppression")
