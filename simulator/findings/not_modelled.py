"""What is said of what is executed and has nothing behind it."""

from __future__ import annotations

from ...isa import Dialect
from . import rules
from .finding import Finding
from .rules import WARNING


def not_modelled(name: str, dialect: Dialect) -> Finding:
    """The finding for an instruction that is known and not modelled, or for a function ("f(int)") without a body."""
    if name.endswith(")"):
        return Finding(
            rules.NOT_MODELLED, f"{name} is called, and no source of the program defines it", instruction=name,
            suggestion="define it, include the file that does, or load that file too",
        )  # fmt: skip
    declared = bool(dialect.named(name)) or name in dialect.known or name.startswith("asm: ")
    if not name.startswith((dialect.prefix, "asm: ")):
        return Finding(
            rules.NOT_MODELLED, f"{name} is a function of a library that mlusim does not have", instruction=name,
            suggestion="define it in the source, or pass over its call",
        )  # fmt: skip
    what = "is known and not modelled yet" if declared else f"is no instruction of {dialect.title} that is modelled"
    return Finding(rules.NOT_MODELLED, f"{name} {what}", instruction=name, suggestion=_hint(name, dialect))


def unknown_function(name: str, dialect: Dialect) -> Finding:
    """The warning of a build that a source calls a function that nobody knows."""
    return Finding(
        rules.NOT_MODELLED, f"{dialect.title} has no instruction {name}; executing it is an error",
        instruction=name, suggestion=_hint(name, dialect), severity=WARNING,
    )  # fmt: skip


def _hint(name: str, dialect: Dialect) -> str:
    near = [other for other in dialect.nearest(name, 12) if other not in dialect.known][:3]
    return f"the nearest that are: {', '.join(near)}" if near else "see `mlusim isa` for what is"
