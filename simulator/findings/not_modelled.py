"""What is said of an instruction that is known and not modelled."""

from __future__ import annotations

from ...isa import Dialect
from . import rules
from .finding import Finding


def not_modelled(name: str, dialect: Dialect) -> Finding:
    """The finding for an instruction that is known and not modelled."""
    near = [other for other in dialect.nearest(name, 12) if other not in dialect.known][:3]
    hint = f"the nearest that are: {', '.join(near)}" if near else "see `mlusim isa` for what is"
    return Finding(rules.NOT_MODELLED, f"{name} is known and not modelled yet", instruction=name, suggestion=hint)
