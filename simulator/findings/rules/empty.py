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
        "the launch executed no instruction; its time is only its overhead",
        suggestion="check whether its tasks return early, or only call what is not modelled",
    )


def no_access() -> Finding:
    """Threads that accessed nothing."""
    return Finding(
        EMPTY,
        "the launch accessed no memory; its time is only its overhead",
        suggestion="check whether its threads return early, or a preprocessor condition removes its body",
    )
