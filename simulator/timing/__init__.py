"""When each instruction of a log would run at the rates of a device.

Here belongs how rates become times, and how sure these are. Not the rates, which are a chip's, nor what is shown of
times (`mlusim.traces`).
"""

from .costs import Costs, Numbers
from .critical import CriticalPath, critical_path, path_share
from .interval import INVERSE, MODEL_ERROR, Interval, change, interval, interval_of
from .replay import Timeline, replay, timed
from .rests import resting
from .walk import Reason

__all__ = [
    "INVERSE", "MODEL_ERROR", "Costs", "CriticalPath", "Interval", "Numbers", "Reason", "Timeline", "change",
    "critical_path", "interval", "interval_of", "path_share", "replay", "resting", "timed",
]  # fmt: skip
