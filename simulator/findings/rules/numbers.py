"""What goes wrong in the values of an instruction: NaN born, division by zero, saturated conversions, bad values."""

from dataclasses import replace

from ....isa import INFERRED, ValueOutOfRange
from ..finding import Finding
from ..rule import WARNING, declare_rule

CONVERSION = declare_rule("conversion", "a converted number lies in the range of its new type", WARNING)
DIVISION = declare_rule("division", "nothing is divided by zero", WARNING)
NUMBER = declare_rule("number", "no NaN and no infinity is made from numbers", WARNING)
_NONE_FINITE = "none is finite"
VALUE = declare_rule("value", "the elements of an operand have values that the instruction can work with")


def divided(instruction: str, operand: str, zeros: tuple[int, int, int] | None) -> Finding:
    """A divisor is zero, or some of its elements are (``zeros``: how many, of how many, the first one)."""
    where = f" in {zeros[0]} of {zeros[1]} elements, first {zeros[2]}" if zeros else ""
    advice = "keep zeros out of the divisor, or choose another result where it is zero"
    return Finding(DIVISION, f"divides by zero{where}", instruction=instruction, operand=operand, suggestion=advice)


def born(instruction: str, operand: str, at: int, value: object) -> Finding:
    """An element is no number, and what was read for it is."""
    return Finding(
        NUMBER,
        f"element {at} of {operand} is {value}, although its inputs are numbers",
        instruction=instruction,
        operand=operand,
        suggestion="keep its inputs in a range in which the type can hold the result",
    )


def saturated(
    instruction: str, operand: str, lost: tuple[int, int], dtype: object, at: int, values: tuple[object, object],
    limits: tuple[int, int],
) -> Finding:  # fmt: skip
    """Elements (``lost``: how many, of how many) do not fit a type; ``values``: what one would be, and what it is."""
    return Finding(
        CONVERSION,
        f"{lost[0]} of {lost[1]} elements do not fit {dtype}: element {at} of {operand} would be {values[0]} and "
        f"becomes {values[1]}",
        instruction=instruction,
        operand=operand,
        suggestion=f"keep the values between {limits[0]} and {limits[1]}, or scale them (fix_position)",
    )


def out_of_range(error: ValueOutOfRange, instruction: str) -> Finding:
    """An element has a value with which the instruction cannot work."""
    return Finding(
        VALUE,
        str(error),
        instruction=instruction,
        operand=error.operand,
        limit=error.limit,
        suggestion=f"keep every element of {error.operand} {error.limit}",
    )


def passed_over(doubt: ValueOutOfRange, instruction: str) -> Finding:
    """An element has a value with which an instruction has left its output there as it was."""
    message = f"{doubt}; that element of the output stays as it is"
    return replace(out_of_range(doubt, instruction), message=message, severity=WARNING, provenance=INFERRED)


def none_finite(array: str, elements: int) -> Finding:
    """No element of a result is a number, though all that went in were numbers."""
    return Finding(
        NUMBER,
        f"none of the {elements} elements of {array} is finite, and all inputs are",
        operand=array,
        suggestion="--values names the instruction that makes the first NaN or infinity",
        slip=_NONE_FINITE,
    )


def is_none_finite(finding: Finding) -> bool:
    """Whether a finding is that of a result of which no element is a number."""
    return finding.rule == NUMBER and finding.slip == _NONE_FINITE
