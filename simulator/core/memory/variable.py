"""A variable of a kernel in on-chip memory, as an image describes it."""

from __future__ import annotations

from dataclasses import dataclass

from ...log.region import NOWHERE, Location


@dataclass(frozen=True)
class Variable:
    """A file-scope variable of a kernel in on-chip memory."""

    name: str
    space: str
    size: int
    initial: bytes | None = None
    location: Location = NOWHERE
