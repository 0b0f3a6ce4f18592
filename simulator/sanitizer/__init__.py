"""What a finished launch's log says of its hazards, races and waits. Imports: frontend, findings, log."""

from .report import advise, examine

__all__ = ["advise", "examine"]
