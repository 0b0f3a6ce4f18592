"""On-chip variables fit into their memory, vectors into registers."""

from ..finding import Finding
from ..rule import declare_rule

BUDGET = declare_rule("budget", "on-chip variables fit into their memory")


def variables(space: str, used: int, bytes: int, name: str) -> Finding:
    """Variables take more than a space of ``bytes`` has, with the one of a name."""
    return Finding(
        BUDGET,
        f"{space} variables take {used} bytes with {name!r}, {used - bytes} too many",
        operand=name,
        limit=f"{bytes} bytes, the size of {space}",
        suggestion=f"make the {space} variables smaller, or work in smaller tiles",
        carried_out=True,
    )


def shared(name: str, used: int, most: int) -> Finding:
    """A block declares more shared memory than it may, with the variable of a name."""
    return Finding(
        BUDGET,
        f"a block declares {used} bytes of shared memory with {name!r}, {used - most} too many",
        operand=name,
        limit=f"{most} bytes",
        suggestion="declare less, or use dynamic shared memory",
    )


def registers() -> Finding:
    """More vectors are alive than there are registers."""
    message = "the kernel holds more vectors than there are vector registers"
    advice = "let fewer of them live at once: no arrays of vectors, no recursion over them"
    return Finding(BUDGET, message, suggestion=advice)
