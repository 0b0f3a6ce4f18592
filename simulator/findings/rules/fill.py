"""A fill has elements of the width that its pointer says."""

from ..finding import Finding
from ..rule import WARNING, declare_rule

FILL_WIDTH = declare_rule("fill-width", "the elements of a fill are as wide as its pointer says", WARNING)


def width(instruction: str, pointed: int, filled: int) -> Finding:
    """The value has so many bytes, and the pointer points to elements of others."""
    message = f"fills elements of {filled} bytes, but the pointer is to elements of {pointed}"
    advice = "give the value the type of the pointer: the count is in elements of the value's type"
    return Finding(FILL_WIDTH, message, instruction=instruction, suggestion=advice)
