"""What a log says of hazards, races, waits, and bytes left out. Imports: frontend, findings, issue, log."""

from .left_out import Given
from .report import advise, examine

__all__ = ["Given", "advise", "examine"]
