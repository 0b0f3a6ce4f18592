"""When each instruction of a log would run at the rates of a device. Imports: hardware, log."""

from .replay import Reason, Timeline, replay

__all__ = ["Reason", "Timeline", "replay"]
