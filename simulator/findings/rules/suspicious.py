"""Scalar code that cannot be meant, as its text shows."""

from ..finding import Finding
from ..rule import WARNING, declare_rule

SUSPICIOUS = declare_rule("suspicious", "scalar code uses what it computes, and takes each operand once", WARNING)


def overwritten(name: str, rounds: bool) -> Finding:
    """A variable is set again before anything uses it; ``rounds``: by each round of a loop."""
    said = (
        f"each round of the loop overwrites {name}, and only the last one counts"
        if rounds
        else f"{name} is overwritten, and nothing has used what was computed for it"
    )
    return Finding(SUSPICIOUS, said, suggestion="check whether the value is to be added to what was there")


def repeated(operand: str) -> Finding:
    """An element is added twice, or an operand is compared with itself, or subtracted from itself."""
    return Finding(
        SUSPICIOUS, f"{operand} is taken twice", suggestion="check whether one of the two is to be another element"
    )
