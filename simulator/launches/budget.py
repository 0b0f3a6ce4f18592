"""What the variables of images take of the on-chip memories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...isa import DIALECTS
from ..chip import Shape
from ..findings import BuildError, rules
from .image import LaunchableImage


@dataclass(frozen=True)
class SpaceBudget:
    """Bytes that the variables of a program declare in one on-chip space, and how many the space has.

    Kernels leave the last ``reserved`` bytes to the vendor's compiler by convention.
    """

    space: str
    declared: int
    limit: int
    reserved: int = 0


def budget_of(shape: Shape, images: Iterable[LaunchableImage]) -> dict[str, SpaceBudget]:
    """Declared bytes per on-chip space; BuildError for what is over budget."""
    found = {}
    # One that several images have is one variable.
    variables = {(v.name, v.location): v for image in images for v in image.description.variables}.values()
    for name, space in shape.spaces.items():
        if DIALECTS[shape.isa].spaces[name].variables:
            mine = [variable for variable in variables if variable.space == name]
            declared = sum(variable.size for variable in mine)
            found[name] = SpaceBudget(name, declared, space.budget, space.reserved)
            if declared > space.budget:
                largest = max(mine, key=lambda variable: variable.size)
                finding = rules.budget.variables(name, declared, space.bytes, largest.name)
                finding = replace(finding, location=largest.location)
                raise BuildError(str(finding), finding)
    return found
