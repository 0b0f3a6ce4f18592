"""What a finished launch's log says of its hazards, races and waits. Imports: frontend, findings, log."""

from .report import examine

__all__ = ["examine"]
