"""Processes that tests start, and what those start: known by a variable of their environment."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_MARK = "MLUSIM_TEST_MARK"  # workers keep what begins so


class Marked:
    """An environment, and the processes that have it."""

    def __init__(self, **variables: str) -> None:
        self._mark = uuid.uuid4().hex
        self.environment = {**os.environ, _MARK: self._mark, **variables}

    def alive(self) -> Iterator[int]:
        """Those that are alive now, without zombies."""
        wanted = f"{_MARK}={self._mark}".encode()
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and wanted in (entry / "environ").read_bytes().split(b"\0"):
                    yield int(entry.name)

    def left(self, seconds: float = 5.0) -> list[int]:
        """Those that are still alive after some time."""
        end = time.monotonic() + seconds
        while (left := list(self.alive())) and time.monotonic() < end:
            time.sleep(0.02)
        return left
