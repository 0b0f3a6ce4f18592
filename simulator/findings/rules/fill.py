"""A fill has elements of the width that its pointer says."""

from ..finding import Finding
from ..rule import WARNING, declare_rule

FILL_WIDTH = declare_rule("fill-width", "a fill has elements of the width that its pointer says", WARNING)


def width(instruction: str, pointed: int, filled: int) -> Finding:
    """The value has so many bytes, and the pointer points to elements of others."""
    message = f"fills with elements of {filled} bytes, and the pointer is one to elements of {pointed}"
    advice = "give the value the type that the pointer has: the count is one of elements of the value"
    return Finding(FILL_WIDTH, message, instruction=instruction, suggestion=advice)
