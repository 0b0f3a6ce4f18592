"""Idle threads of libraries, which take a core from processes that are waited for."""

from __future__ import annotations

import os

#: Log2 of the cycles after which an idle thread of OpenBLAS goes to sleep: less than a millisecond. For 20 ms after the
#: import of NumPy such threads would else take a core from other processes.
SLEEP = {"OPENBLAS_THREAD_TIMEOUT": "20"}


def let_idle_threads_sleep() -> None:
    """Called before NumPy is imported, by a process of ours that waits for others."""
    for name, value in SLEEP.items():
        os.environ.setdefault(name, value)
