"""A launch as it goes from `Program.launch` to the process that runs it, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..findings import Finding
from ..hardware import Shape
from ..issue import Check
from ..log import Log
from ..memory import Allocation, Intervals
from ..simt import Grid


@dataclass(frozen=True)
class LaunchRequest:
    """One launch of a kernel of an image; ``arguments`` are the bytes of its parameters."""

    shape: Shape
    device: str
    checks: tuple[type[Check], ...]
    library: Path
    entry: int
    kernel: str
    arguments: tuple[bytes, ...]
    dim: tuple[int, int, int]
    type: str
    on_finding: str
    time_limit: float | None
    grid: Grid | None = None  # of kernels that run as blocks of threads: ``dim`` and more

    @property
    def launch(self) -> dict[str, object]:
        """What a log says of it."""
        return {"kernel": self.kernel, "dim": list(self.dim), "type": self.type}


@dataclass(frozen=True)
class Order:
    """What a worker is sent: device memories to forget, the one to use, and the launch.

    ``attach`` is the address and the space of a memory that the worker has not seen; its descriptor follows.
    """

    dropped: tuple[int, ...]
    serial: int
    attach: tuple[int, str] | None
    allocations: tuple[Allocation, ...]
    request: LaunchRequest
    wants_progress: bool


@dataclass(frozen=True)
class Progress:
    """A worker's word that some tasks are done."""

    done: int
    total: int


@dataclass(frozen=True)
class Answer:
    """What a launch gave. ``uninitialized`` are the bytes of each device array that nobody has written, by address;
    ``last``: the worker cannot be used again."""

    log: Log
    findings: list[Finding]
    uninitialized: dict[int, Intervals]
    last: bool


@dataclass(frozen=True)
class Failure:
    """The simulator itself failed."""

    error: BaseException
