"""What is swept in the tests: functions that worker processes import."""

import os
import signal
import time
from pathlib import Path


def square(point):
    """The square of a number; -1 fails."""
    if point["x"] == -1:
        raise ValueError("x must not be -1")
    return {"us": point["x"] ** 2}


def killed_once(point):
    """The same, but the first process that comes to the number 3 is killed."""
    mark = Path(point["mark"])
    if point["x"] == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square(point)


def killed_always(point):
    """The number 3 kills every process that comes to it."""
    if point["x"] == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return square(point)


def slow(point):
    """The same after a moment; says which process has done it."""
    Path(point["mark"]).with_name(f"{os.getpid()}.pid").touch()
    time.sleep(0.3)
    return {**square(point), "process": os.getpid()}
