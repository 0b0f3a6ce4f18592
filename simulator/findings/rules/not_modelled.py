"""What is executed is modelled."""

from ....isa import Dialect
from ..finding import Finding
from ..rule import WARNING, declare_rule

NOT_MODELLED = declare_rule("not-modelled", "what is executed is modelled")


def executed(name: str, dialect: Dialect) -> Finding:
    """An instruction that is known and not modelled is executed, or a function ("f(int)") without a body."""
    if name.endswith(")"):
        host = ", or leave it to the host, if it is a function of a library of the host" if name.endswith("()") else ""
        return Finding(
            NOT_MODELLED,
            f"{name} is called, and no source of the program defines it",
            instruction=name,
            suggestion=f"define it, include the file that does, or load that file too{host}",
        )
    declared = bool(dialect.named(name)) or name in dialect.known or name.startswith("asm: ")
    if not declared and not name.startswith(dialect.prefix):
        return Finding(
            NOT_MODELLED,
            f"{name} is a function of a library that mlusim does not have",
            instruction=name,
            suggestion="define it in the source, or skip its call",
        )
    what = "is known but not modelled yet" if declared else f"is not a modelled instruction of {dialect.title}"
    return Finding(NOT_MODELLED, f"{name} {what}", instruction=name, suggestion=_hint(name, dialect))


def unknown(name: str, dialect: Dialect) -> Finding:
    """A source calls an unknown function; executing it is an error."""
    return Finding(
        NOT_MODELLED,
        f"{dialect.title} has no instruction {name} that mlusim knows; executing it is an error",
        instruction=name,
        suggestion=_hint(name, dialect),
        severity=WARNING,
    )


def called(function: str) -> Finding:
    """Host code calls a function of the runtime that is declared but not modelled."""
    return Finding(NOT_MODELLED, f"{function} is declared but not modelled", suggestion="skip its call")


def refused(problem: str) -> Finding:
    """The operator library has not modelled what a call asks for."""
    return Finding(NOT_MODELLED, problem)


def _hint(name: str, dialect: Dialect) -> str:
    near = [other for other in dialect.nearest(name, 12) if other not in dialect.known][:3]
    return f"the nearest that are modelled: {', '.join(near)}" if near else "`mlusim isa` lists what is modelled"
