"""What a finished launch's log says of its hazards, races, waits and outputs. Imports: frontend, findings, log."""

from .outputs import Output
from .report import advise, examine

__all__ = ["Output", "advise", "examine"]
