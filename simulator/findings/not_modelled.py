"""What is said of what is executed and has nothing behind it."""

from __future__ import annotations

from ...isa import Dialect
from . import rules
from .finding import Finding


def not_modelled(name: str, dialect: Dialect) -> Finding:
    """The finding for an instruction that is known and not modelled, or for a function ("f(int)") without a body."""
    if name.endswith(")"):
        return Finding(
            rules.NOT_MODELLED, f"{name} is called, and its source defines it nowhere", instruction=name,
            suggestion="define it in the same source, or include the file that does: each source is linked by itself",
        )  # fmt: skip
    near = [other for other in dialect.nearest(name, 12) if other not in dialect.known][:3]
    hint = f"the nearest that are: {', '.join(near)}" if near else "see `mlusim isa` for what is"
    return Finding(rules.NOT_MODELLED, f"{name} is known and not modelled yet", instruction=name, suggestion=hint)
