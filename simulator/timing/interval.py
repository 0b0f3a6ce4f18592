"""How sure a time is: what the uncertainty of a device's numbers, and of the model itself, makes of it.

Each number of a device file has a spread: a factor within which it lies with the odds of one standard deviation. A
time is taken apart by the numbers that it rests on along its critical path (`resting`), and put together again many
times, each time with other numbers. These are drawn from the normal distributions of their logarithms: each by itself,
but numbers that were fitted together by their covariance. The error that the model makes although its numbers are
right (`model.error` of the device file) is drawn as well. The draws of a number depend on its name alone, so they are
the same for every time, and what two times have in common drops out of their difference.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from ..chip.device_file import Quantity, spread_of
from .costs import Numbers
from .replay import Timeline
from .rests import resting

#: The share of draws that an interval holds.
HELD = 0.9
_DRAWS = 4096
#: What the model gets wrong though its numbers are right, as a factor; a device file without it has no intervals.
MODEL_ERROR = "model.error"
#: Last parts of the names of numbers that a time is in inverse proportion to.
INVERSE = ("core_mhz", "per_cycle", "efficiency", "gb_per_s", "core_gb_per_s")


@dataclass(frozen=True)
class Interval:
    """From where to where a time lies with the odds of `HELD`, in microseconds."""

    low: float
    high: float

    def __contains__(self, us: float) -> bool:
        return self.low <= us <= self.high

    @classmethod
    def of(cls, draws: np.ndarray) -> Interval:
        """That of equally likely values."""
        last = len(draws) - 1
        # As np.quantile, without its import of masked arrays, which takes longer.
        low, high = np.interp([(1 - HELD) / 2 * last, (1 + HELD) / 2 * last], np.arange(last + 1), np.sort(draws))
        return cls(float(low), float(high))


def interval(timeline: Timeline) -> Interval | None:
    """That of the time of a launch; None where the device file says nothing of the model's error."""
    return interval_of(resting(timeline), timeline.rates.facts)


def interval_of(parts: Mapping[Numbers, float], facts: Mapping[str, Quantity]) -> Interval | None:
    """That of a time that consists of ``parts``, microseconds by the numbers that they rest on."""
    if MODEL_ERROR not in facts:
        return None
    total = sum(us * _factors(numbers, facts) for numbers, us in parts.items())
    return Interval.of(total * _drawn(MODEL_ERROR, facts))


def change(
    before: Mapping[Numbers, float], after: Mapping[Numbers, float], facts: Mapping[str, Quantity]
) -> Interval | None:
    """That of the difference of two times of a device, after - before.

    The same draws count for both. The model's error is drawn for each part by itself: both times are equally wrong in
    a part that they share. An interval that holds 0 says that nothing is known to differ.
    """
    if MODEL_ERROR not in facts:
        return None
    draws = np.zeros(_DRAWS)
    for numbers in dict.fromkeys([*before, *after]):
        us = after.get(numbers, 0.0) - before.get(numbers, 0.0)
        draws += us * _factors(numbers, facts) * _drawn(MODEL_ERROR, facts, "/".join(numbers))
    return Interval.of(draws)


def _factors(numbers: Iterable[str], facts: Mapping[str, Quantity]) -> np.ndarray:
    """By what factor the draws of some numbers change a part of a time that rests on them."""
    product = np.ones(_DRAWS)
    for name in numbers:
        if name in facts:
            inverse = name.rpartition(".")[2] in INVERSE
            product = product / _drawn(name, facts) if inverse else product * _drawn(name, facts)
    return product


def _drawn(name: str, facts: Mapping[str, Quantity], place: str = "") -> np.ndarray:
    """Draws of a number, as factors of its value; another ``place`` has other draws."""
    if facts[name].loadings:
        return _together(facts[name].loadings)
    spread = float(facts[name].value) if name == MODEL_ERROR else spread_of(facts[name])
    return _spread_out(spread, f"{name}{place}")


@lru_cache(maxsize=512)
def _spread_out(spread: float, name: str) -> np.ndarray:
    """Draws of a number that is drawn by itself, as factors."""
    return np.exp(math.log(spread) * _normal(name))


@lru_cache(maxsize=128)
def _together(loadings: tuple[float, ...]) -> np.ndarray:
    """Draws of a number that was fitted together with others, as factors: all of them go by the same draws."""
    total = sum((loading * _normal(f"fit {number}") for number, loading in enumerate(loadings)), np.zeros(_DRAWS))
    return np.exp(total)


@lru_cache(maxsize=512)
def _normal(name: str) -> np.ndarray:
    """Draws of a standard normal distribution that belong to a name: its quantiles, in an order of their own."""
    draws = _quantiles().copy()
    np.random.default_rng(zlib.crc32(name.encode())).shuffle(draws)
    return draws


@lru_cache(maxsize=1)
def _quantiles() -> np.ndarray:
    normal = NormalDist()
    return np.array([normal.inv_cdf((number + 0.5) / _DRAWS) for number in range(_DRAWS)])
