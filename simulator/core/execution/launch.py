"""A launch, as it goes to the engine that carries it out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from ...chip.launch_kinds import LaunchKind, Three
from ...log.recorder import HELD, ROW
from ..memory import POISON

#: Records of a log at most, where no limit is set: with four operands each they are an eighth of the host's memory.
_RECORDS = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // 8 // (ROW + 4 * HELD)


class PlacedVariable(NamedTuple):
    """A variable of a module that lies in device memory; its key is its file, line and name.

    ``functions``: it holds pointers to functions, whose values only the module knows.
    """

    key: str
    address: int
    functions: bool


class Launch(NamedTuple):
    """One launch of a kernel. What comes last is of compiled kernels: where it lies, and what its parameters hold."""

    kernel: str
    dim: Three  # tasks, or blocks of threads
    kind: LaunchKind
    on_finding: str = "raise"
    time_limit: float | None = None  # seconds
    order: int = 0  # of the tasks: 0 for that of their numbers, above for another one that the device could take
    kind_given: bool = True  # the caller has chosen its kind
    library: Path = Path()
    entry: int = 0  # the number of the kernel in its library
    arguments: tuple[bytes, ...] = ()
    profiled: bool = False  # where the simulator's own time goes is asked for
    exact: bool = False  # the log of blocks of threads is to say to the byte what they touch of arrays
    stored: bool = False  # and what becomes of words that blocks store in shared memory is to be told
    focus: int = -1  # or what the blocks do, access by access, that write the byte of device memory at this offset
    each: bool = False  # its one argument has a part for each task, of equal size
    log_limit: int = 0  # records of its log, 0 for any number
    poison: int = POISON  # what every byte of fresh memory holds
    placed: tuple[PlacedVariable, ...] = ()  # variables of the module that lie in device memory

    @property
    def header(self) -> dict[str, Any]:
        """What a log says of it."""
        return {"kernel": self.kernel, "dim": list(self.dim), "type": self.kind.name, **self.kind.header}


def log_limit() -> int:
    """Records that the log of a launch may have; ValueError where the environment says nothing sensible."""
    asked = os.environ.get("MLUSIM_LOG_LIMIT", "")
    if asked and (not asked.isascii() or not asked.isdigit() or not int(asked)):
        raise ValueError(
            f"MLUSIM_LOG_LIMIT is {asked!r}; give the number of records that a log may have, or leave it out"
        )
    return int(asked) if asked else _RECORDS
