"""The host's memory: for what a worker sends, and what it has taken itself."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import numpy as np

from ...core.memory import host_room

#: Bytes of a message for which the host is asked whether it has them.
_LARGE = 256 << 20
#: Bytes of a message whose memory need not be asked of the host.
_SMALL = 1 << 14


def room(count: int) -> memoryview:
    """Memory whose pages appear as bytes come; MemoryError for more than the host has."""
    if count <= _SMALL:
        return memoryview(bytearray(count))
    if count > _LARGE and count > host_room():
        raise MemoryError
    return np.empty(count, np.uint8).data


def taken(process: int) -> int:
    """Bytes of the host's memory that are a process's own; 0 where there is none."""
    with contextlib.suppress(OSError, ValueError):
        _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_text().split()
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGESIZE")
    return 0
