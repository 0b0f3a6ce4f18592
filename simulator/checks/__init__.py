"""What is said of a kernel: at each instruction, of its log, and of its results. Imports: timing and below."""

from .at_issue import LEVELS, Precision, Values

__all__ = ["LEVELS", "Precision", "Values"]
