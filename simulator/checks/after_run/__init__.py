"""What a log says of hazards, races, waits, and bytes left out."""

from .given import Given
from .report import advise, came_to_end, examine

__all__ = ["Given", "advise", "came_to_end", "examine"]
