"""When each instruction of a log would run at the rates of a device. Imports: log and below."""

from .costs import Costs
from .replay import Timeline, replay, timed
from .walk import Reason

__all__ = ["Costs", "Reason", "Timeline", "replay", "timed"]
