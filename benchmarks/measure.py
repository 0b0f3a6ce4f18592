"""What all benchmarks share: the device, the kernels, timing on a noisy machine, and how a figure is stated."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlusim.simulator import Device, Program, load

DEVICE = "mlu370-x4"
CORES = 32
#: float32 elements of the large arrays.
ELEMENTS = 1 << 22


@dataclass(frozen=True)
class Figure:
    """One measured number; ``limit`` is the most that it may be, None where it is shown for information."""

    name: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def missed(self) -> bool:
        """Whether the number is above its limit."""
        return self.limit is not None and self.value > self.limit


def best(*functions: Callable[[], object], rounds: int = 15) -> list[float]:
    """The shortest time of each function in seconds; they take turns, so that noise hits them alike."""
    shortest = [float("inf")] * len(functions)
    for _ in range(rounds + 1):  # the first round warms up, and counts if it is the best all the same
        for index, function in enumerate(functions):
            begun = time.perf_counter()
            function()
            shortest[index] = min(shortest[index], time.perf_counter() - begun)
    return shortest


@functools.lru_cache(maxsize=1)
def device() -> Device:
    """The device on which everything is measured."""
    return Device.load(DEVICE)


@functools.lru_cache(maxsize=4)
def program(source: str = "kernels") -> Program:
    """The kernels of a source that lies here."""
    return load([Path(__file__).with_name(f"{source}.mlu")], device=device())


def missed(figures: Sequence[Figure]) -> list[Figure]:
    """The figures above their limits."""
    return [figure for figure in figures if figure.missed]
