"""The source compiles."""

from collections.abc import Iterable

from ...log.region import Location
from ..finding import Finding
from ..rule import WARNING, declare_rule

BUILD = declare_rule("build", "the source compiles")


def failed(problem: str, file: object, line: int = 0, hints: Iterable[str] = ()) -> Finding:
    """A source cannot be read, compiled or linked; ``line`` is 0 where the problem is in no line."""
    return Finding(BUILD, problem, location=Location(str(file), line), suggestion="; ".join(hints))


def redefined(name: str, value: str, file: str, line: int) -> Finding:
    """A source defines a macro again that the compiler was told."""
    return Finding(
        BUILD,
        f"-D {name}={value} has no effect from here on: this line defines {name} again",
        location=Location(file, line),
        suggestion=f"write #ifndef {name} before it",
        severity=WARNING,
    )


def unusable(problem: str) -> Finding:
    """The image of a kernel that a program brings cannot run here."""
    return Finding(BUILD, problem)
