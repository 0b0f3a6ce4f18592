"""Rounding leaves half of the digits of a result."""

from ..finding import Finding
from ..rule import ADVICE, WARNING, declare_rule

PRECISION = declare_rule("precision", "rounding leaves half of the digits of a result", WARNING)


def _apart(at: int, real: float, precise: float) -> str:
    return f"element {at} is {real:.9g}, and {precise:.9g} without rounding"


def decided(instruction: str, operand: str, others: tuple[int, int], at: int, real: float, precise: float) -> Finding:
    """Some elements (``others``: how many, of how many) are decided by rounding, the first of them one at a place."""
    return Finding(
        PRECISION,
        f"{operand} is decided by rounding in {others[0]} of {others[1]} elements: {_apart(at, real, precise)}",
        instruction=instruction,
        operand=operand,
        suggestion="leave a margin around the boundary, or compute what is compared in a wider type",
    )


def grown(
    instruction: str, operand: str, errors: tuple[float, float], beyond: tuple[int, int], at: int,
    values: tuple[float, float], limit: float, digits_of: str, overflow: bool,
) -> Finding:  # fmt: skip
    """The relative error grows from one to another of ``errors`` in some elements (``beyond``: how many, of how many).

    ``values`` are the element at the worst place and what it were without rounding, ``digits_of`` is the type of which
    the ``limit`` is half of the digits, "" where the user has set it. Without an ``operand`` it is the result.
    """
    return Finding(
        PRECISION,
        f"the relative error of {operand or 'the result'} grows from {errors[0]:.2g} to {errors[1]:.2g} in "
        f"{beyond[0]} of {beyond[1]} elements: {_apart(at, *values)}",
        instruction=instruction,
        operand=operand,
        limit=f"{limit:.2g} of the number or, if larger, of the mean of all"
        + (f": half of the digits of {digits_of}" if digits_of else ""),
        suggestion="scale the values down first, or keep them in a type of a wider range"
        if overflow
        else "do not subtract numbers that nearly cancel, add small ones first, or use a wider type",
    )


def summed_up(array: str, kind: tuple[int, str], off: float, at: int, values: tuple[float, float]) -> Finding:
    """How far rounding has put an array of the device (how many elements, of which type) off, at most.

    ``values`` are its worst element and what that were without rounding.
    """
    where = f", in element {at}, which is {values[0]:.9g}, and {values[1]:.9g} without rounding" if off else ""
    message = f"rounding puts {array} ({kind[0]} elements, {kind[1]}) off by {off:.2g} at most{where}"
    message += "; a larger difference from what you expect comes from the algorithm"
    return Finding(PRECISION, message, operand=array, severity=ADVICE)
