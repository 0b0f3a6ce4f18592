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
    """A variable of a whole type, or a quotient of whole numbers, stands for a floating-point number."""
    if "/" in name:
        return Finding(
            SUSPICIOUS, f"{name} is a quotient of whole numbers, and an operand of floating-point arithmetic",
            suggestion="write one of the two as a floating-point number",
        )  # fmt: skip
    said = "adds up floating-point numbers, and loses" if sums else "is computed in floating point, and loses"
    return Finding(
        SUSPICIOUS, f"{name} is of a whole type: it {said} their fractions",
        suggestion="declare it as a floating-point variable, or cast what is to be cut off",
    )  # fmt: skip


def odd_line(operand: str, count: int) -> Finding:
    """An operand does not fit into so many lines that are otherwise alike."""
    return Finding(
        SUSPICIOUS, f"{operand} is out of line: this line and {count - 1} like it each take one of their own, and two "
        "take this one",
        suggestion="check whether the operand is that of another line",
    )  # fmt: skip
