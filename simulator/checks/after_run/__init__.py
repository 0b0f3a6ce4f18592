"""What a log says of hazards, races, waits, and bytes left out."""

from .given import Given
from .origins import with_origins
from .report import came_to_end, dispensable, examine

__all__ = ["Given", "came_to_end", "dispensable", "examine", "with_origins"]
