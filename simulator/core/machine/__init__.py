"""A machine runs the tasks of launches on the simulated cores. Imports: issue and below."""

from .machine import Machine
from .scalar import ScalarUnit

__all__ = ["Machine", "ScalarUnit"]
