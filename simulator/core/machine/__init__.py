"""A machine runs the tasks of launches on the simulated cores."""

from .alone import Begun, TaskQueue
from .machine import Machine
from .scalar import ScalarUnit

__all__ = ["Begun", "Machine", "ScalarUnit", "TaskQueue"]
