"""The source compiles."""

from collections.abc import Iterable

from ...log.region import Location
from ..finding import Finding
from ..rule import declare_rule

BUILD = declare_rule("build", "the source compiles")


def failed(problem: str, file: object, line: int = 0, hints: Iterable[str] = ()) -> Finding:
    """A source cannot be read, compiled or linked; ``line`` is 0 where the problem is in no line."""
    return Finding(BUILD, problem, location=Location(str(file), line), suggestion="; ".join(hints))


def unusable(problem: str) -> Finding:
    """The image of a kernel that a program brings cannot run here."""
    return Finding(BUILD, problem)
