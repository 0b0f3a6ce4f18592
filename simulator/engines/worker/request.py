"""A launch as it goes from `Program.launch` to the process that runs it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ...chip import Shape
from ...core.execution import Execution
from ...core.issue import Check
from ...core.memory import Allocation
from ...frames import Buffer
from ..threads import Grid


class LaunchRequest(NamedTuple):
    """One launch of a kernel of an image; ``arguments`` are the bytes of its parameters."""

    shape: Shape
    device: str
    checks: tuple[Callable[[Execution], Check], ...]
    library: Path
    entry: int
    kernel: str
    arguments: tuple[bytes, ...]
    dim: tuple[int, int, int]
    type: str
    on_finding: str
    time_limit: float | None
    grid: Grid | None = None  # of kernels that run as blocks of threads: ``dim`` and more
    level: str = "all"  # of checks
    order: int = 0  # of tasks, see `Machine.run`

    @property
    def launch(self) -> dict[str, object]:
        """What a log says of it."""
        found: dict[str, object] = {"kernel": self.kernel, "dim": list(self.dim), "type": self.type}
        return found if self.grid is None else found | {"block": list(self.grid.threads), "shared": self.grid.shared}


def encode_request(request: LaunchRequest, allocations: Sequence[Allocation]) -> bytes:
    """The body of a `LaunchOrder`: plain values, which take a third of the time of the objects."""
    rows = [
        (e.start, e.end, e.space, e.owner, e.key, e.name, e.uninitialized if e.uninitialized.hi else None)
        for e in allocations
    ]
    plain = request._replace(library=str(request.library))  # type: ignore[arg-type]
    return pickle.dumps((rows, tuple(plain)))


def decode_request(body: Buffer) -> tuple[LaunchRequest, tuple[Allocation, ...]]:
    """What is in the body of an order of the parent."""
    rows, plain = pickle.loads(body)
    request = LaunchRequest(*plain)
    request = request._replace(library=_path(str(request.library)))
    return request, tuple([Allocation(*row) for row in rows])


_path = lru_cache(maxsize=256)(Path)
