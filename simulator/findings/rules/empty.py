"""A launch executes something."""

from functools import cache

from ..finding import Finding
from ..rule import WARNING, declare_rule

EMPTY = declare_rule("empty", "a launch executes something", WARNING)


@cache
def no_instruction() -> Finding:
    """Tasks that executed nothing."""
    return Finding(
        EMPTY,
        "the launch executed no instruction; its time is its overhead alone",
        suggestion="see whether its tasks return early, or all that they call is not modelled",
    )


def no_access() -> Finding:
    """Threads that accessed nothing."""
    return Finding(
        EMPTY,
        "the launch accessed no memory; its time is its overhead alone",
        suggestion="see whether its threads return early, or a condition of the preprocessor leaves its body out",
    )
