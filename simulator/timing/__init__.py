"""When each instruction of a log would run at the rates of a device. Imports: hardware, log, frontend."""

from .replay import Timeline, replay
from .walk import Reason

__all__ = ["Reason", "Timeline", "replay"]
