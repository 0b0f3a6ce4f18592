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


def truncated(name: str, sums: bool) -> Finding:
    """An integer variable, or an integer quotient, stands for a floating-point number."""
    if "/" in name:
        return Finding(
            SUSPICIOUS, f"{name} is an integer quotient, and an operand of floating-point arithmetic",
            suggestion="write one of the two as a floating-point number",
        )  # fmt: skip
    said = "adds up floating-point numbers" if sums else "is computed in floating point"
    return Finding(
        SUSPICIOUS, f"{name} is an integer that {said}: fractions are lost",
        suggestion="declare it as a floating-point variable, or cast what is to be cut off",
    )  # fmt: skip


def odd_line(operand: str, count: int) -> Finding:
    """An operand does not fit into so many lines that are otherwise alike."""
    return Finding(
        SUSPICIOUS, f"{operand} does not fit: {count} lines are written alike, each with an operand of its own, and "
        "this one takes that of another line",
        suggestion="check whether the operand is that of another line",
    )  # fmt: skip
