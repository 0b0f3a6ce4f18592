"""The lanes of a core, each with a part of its local memory."""

from __future__ import annotations

from dataclasses import dataclass

from ....isa import Dialect
from ...chip import Shape


@dataclass(frozen=True)
class Lanes:
    """How the memory of a core is cut: lanes, bytes of each, and bytes that a lane computes in a cycle."""

    count: int
    size: int
    beat: int


def lanes_of(shape: Shape, dialect: Dialect) -> Lanes:
    """How the lanes of a core share its local memory; one lane of no bytes where it has none."""
    whole = next((shape.spaces[name].bytes for name, space in dialect.spaces.items() if space.lanes), 0)
    return Lanes(shape.lanes or 1, whole // (shape.lanes or 1), shape.eu_bytes or 1)
