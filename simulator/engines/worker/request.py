"""A launch as it goes from `Program.launch` to the process that runs it."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ...checks.at_issue import Checking
from ...chip import Shape
from ...chip.launch_kinds import LaunchKind, Three
from ...core.memory import Allocation
from ..threads import Grid
from .frames import Buffer


class LaunchRequest(NamedTuple):
    """One launch of a kernel of an image; ``arguments`` are the bytes of its parameters."""

    shape: Shape
    device: str
    checking: Checking
    library: Path
    entry: int
    kernel: str
    arguments: tuple[bytes, ...]
    dim: Three
    kind: LaunchKind
    on_finding: str
    time_limit: float | None
    grid: Grid | None = None  # of kernels that run as blocks of threads: ``dim`` and more
    order: int = 0  # of tasks, see `Machine.run`

    @property
    def launch(self) -> dict[str, object]:
        """What a log says of it."""
        found: dict[str, object] = {"kernel": self.kernel, "dim": list(self.dim), "type": self.kind.name}
        return found if self.grid is None else found | {"block": list(self.grid.threads), "shared": self.grid.shared}


class Order(NamedTuple):
    """What a worker is sent: device memories to forget, the one to use, and the launch.

    ``attach`` is the address and the space of a memory that the worker has not seen, its descriptor comes along;
    ``image`` says that another one is that of the image.
    """

    dropped: tuple[int, ...]
    serial: int
    attach: tuple[int, str] | None
    image: bool
    allocations: tuple[Allocation, ...]
    request: LaunchRequest
    wants_progress: bool


def encode_order(order: Order) -> bytes:
    """The message: plain values, which take a third of the time of the objects."""
    *rest, entries, request, progress = order
    rows = [
        (e.start, e.end, e.space, e.owner, e.key, e.name, e.uninitialized if e.uninitialized.hi else None)
        for e in entries
    ]
    plain = request._replace(library=str(request.library))  # type: ignore[arg-type]
    return pickle.dumps((*rest, rows, tuple(plain), progress))


def decode_order(body: Buffer) -> Order:
    """The order in a message of the parent."""
    dropped, serial, attach, image, rows, plain, progress = pickle.loads(body)
    request = LaunchRequest(*plain)
    request = request._replace(library=_path(str(request.library)))
    entries = tuple([Allocation(*row) for row in rows])
    return Order(dropped, serial, attach, image, entries, request, progress)


_path = lru_cache(maxsize=256)(Path)


@dataclass(frozen=True)
class Question:
    """What is in an image? Its descriptor comes along."""

    library: Path
    kernels: int
    time_limit: float
