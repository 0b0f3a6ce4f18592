"""When each instruction of a log would run at the rates of a device. Imports: hardware, log, frontend."""

from .costs import Costs
from .replay import Timeline, replay, timed
from .walk import Reason

__all__ = ["Costs", "Reason", "Timeline", "replay", "timed"]
