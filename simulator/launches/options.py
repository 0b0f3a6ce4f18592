"""How a launch is carried out, whatever is launched: what the keywords of a launch say, checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from ..checks.results import Expectations
from ..engines.engine import OnProgress
from ..engines.python.numbers import as_number
from ..text import quoted
from .repeats import NONE, Repeats

#: A time limit beyond this (seconds) is none; one below the other is that, or the clock would take it for none.
_FOREVER, _SHORTEST = 1e6, 1e-6


@dataclass(frozen=True)
class LaunchOptions:
    """The keywords of a launch; ValueError or TypeError for those that say nothing sensible."""

    on_finding: str = "raise"
    time_limit: float | None = None  # seconds
    isolate: bool = True
    progress: OnProgress | None = None
    repeats: Repeats = NONE
    expect: Mapping[str | int, Any] | None = None
    tolerance: float | None = None
    expected: Expectations = field(init=False)

    def __post_init__(self) -> None:
        check_on_finding(self.on_finding)
        if self.progress is not None and not callable(self.progress):
            raise TypeError(f"progress is {quoted(self.progress)}; pass a function of (done, total), or None")
        if self.time_limit is not None and not self.isolate:
            raise ValueError("time_limit needs a process of its own; leave out time_limit or isolate=False")
        object.__setattr__(self, "time_limit", _seconds(self.time_limit))
        object.__setattr__(self, "progress", _in_this_process(self.progress))
        object.__setattr__(self, "expected", Expectations(self.expect, self.tolerance))


def options_of(
    on_finding: str, time_limit: float | None, isolate: bool, progress: OnProgress | None, repeats: Repeats,
    expect: Mapping[str | int, Any] | None, tolerance: float | None,
) -> LaunchOptions:  # fmt: skip
    """`LaunchOptions`; one object for launches that ask for nothing of their own."""
    plain = on_finding.__class__ is str and isolate.__class__ is bool
    plain = plain and time_limit is None and progress is None and expect is None and tolerance is None
    if plain and repeats is NONE:
        return _usual(on_finding, isolate)
    return LaunchOptions(on_finding, time_limit, isolate, progress, repeats, expect, tolerance)


@lru_cache(maxsize=4)
def _usual(on_finding: str, isolate: bool) -> LaunchOptions:
    return LaunchOptions(on_finding, isolate=isolate)


def check_on_finding(on_finding: str) -> None:
    """ValueError unless it is a way to go on at a finding."""
    if not isinstance(on_finding, str) or on_finding not in ("raise", "collect"):
        raise ValueError(f"on_finding is {quoted(on_finding)}; pass 'raise' or 'collect'")


def _seconds(limit: Any) -> float | None:
    """A time limit in the seconds that a clock takes, None for none; ValueError for what is no number above 0."""
    number = None if isinstance(limit, (bool, np.bool_)) else as_number(limit)
    if limit is not None and (number is None or not number > 0):
        raise ValueError(f"time_limit is {quoted(limit)} seconds; pass a number above 0, or None")
    return None if number is None or number > _FOREVER else max(float(number), _SHORTEST)


def _in_this_process(progress: OnProgress | None) -> OnProgress | None:
    """``progress``; RuntimeError in a child that it has forked and that comes back from it."""
    if progress is None:
        return None
    process = os.getpid()

    def told(done: int, total: int) -> None:
        progress(done, total)
        if os.getpid() != process:
            raise RuntimeError(f"a forked child cannot go on with a launch of process {process}")

    return told
