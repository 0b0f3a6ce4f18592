"""What a log says of hazards, races, waits, and bytes left out."""

from .given import Given, holds_numbers
from .known_meaning import without_known_meanings
from .origins import with_origins
from .report import came_to_end, dispensable, examine, needed_waits
from .touched import Touched, touched_arrays
from .touched_elements import along_axes, elements_of

__all__ = [
    "Given",
    "Touched",
    "along_axes",
    "came_to_end",
    "dispensable",
    "elements_of",
    "examine",
    "holds_numbers",
    "needed_waits",
    "touched_arrays",
    "with_origins",
    "without_known_meanings",
]
