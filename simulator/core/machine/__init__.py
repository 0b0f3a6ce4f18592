"""A machine runs the tasks of launches on the simulated cores."""

from .machine import Machine
from .scalar import ScalarUnit

__all__ = ["Machine", "ScalarUnit"]
