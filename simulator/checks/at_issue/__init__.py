"""The checks, each by itself; nothing else names one. Imports: issue and below."""

from .checking import LEVELS, STANDARD, Checking
from .precision import Precision
from .values import Values

__all__ = ["LEVELS", "STANDARD", "Checking", "Precision", "Values"]
