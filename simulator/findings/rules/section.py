"""Parallel sections are opened, closed and left in order."""

from ..finding import Finding
from ..rule import declare_rule

SECTION = declare_rule("section", "parallel sections are opened, closed and left in order")


def moved_twice(opens: bool, instruction: str) -> Finding:
    """A section is opened, or closed, that already is."""
    return Finding(
        SECTION,
        f"a parallel section is {'already' if opens else 'not'} open",
        instruction=instruction,
        suggestion="open a section once and close it before the next",
    )


def inside(instruction: str) -> Finding:
    """An instruction that may not stand in a section."""
    message = f"{instruction} inside a parallel section"
    return Finding(SECTION, message, instruction=instruction, suggestion="close the section first")


def left_open(instruction: str) -> Finding:
    """A task has ended in a section, which an instruction has opened."""
    message = "the parallel section is still open at the end"
    return Finding(SECTION, message, instruction=instruction, suggestion="close the section before the kernel ends")
