"""A machine runs the tasks of launches on the simulated cores."""

from .machine import Machine
from .scalar import ScalarUnit
from .starting import Begun, TaskQueue

__all__ = ["Begun", "Machine", "ScalarUnit", "TaskQueue"]
