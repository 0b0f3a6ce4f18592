"""A launch, as it goes to the engine that carries it out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ...chip.launch_kinds import LaunchKind, Three


class Launch(NamedTuple):
    """One launch of a kernel. What comes last is of compiled kernels: where it lies, and what its parameters hold."""

    kernel: str
    dim: Three  # tasks, or blocks of threads
    kind: LaunchKind
    on_finding: str = "raise"
    time_limit: float | None = None  # seconds
    order: int = 0  # of the tasks: 0 for that of their numbers, above for another one that the device could take
    kind_given: bool = True  # somebody has asked for its kind
    library: Path = Path()
    entry: int = 0  # the number of the kernel in its library
    arguments: tuple[bytes, ...] = ()
    profiled: bool = False  # somebody asks where the simulator's own time goes
    each: bool = False  # its one argument has a part for each task, of equal size

    @property
    def header(self) -> dict[str, Any]:
        """What a log says of it."""
        return {"kernel": self.kernel, "dim": list(self.dim), "type": self.kind.name, **self.kind.header}
