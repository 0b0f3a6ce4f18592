"""When each instruction of a log would run at the rates of a device.

Here belongs how rates become times. Not the rates, which are a chip's, nor what is shown of times (`mlusim.traces`).
"""

from .costs import Costs
from .replay import Timeline, replay, timed
from .walk import Reason

__all__ = ["Costs", "Reason", "Timeline", "replay", "timed"]
