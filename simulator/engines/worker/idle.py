"""Threads of libraries that wait for work or for each other, and take a core from other processes by that."""

from __future__ import annotations

import os

#: Log2 of the cycles after which an idle thread of OpenBLAS goes to sleep: less than a millisecond. For 20 ms after the
#: import of NumPy such threads would else take a core from other processes.
SLEEP = {"OPENBLAS_THREAD_TIMEOUT": "20"}
#: A worker multiplies what lies on one core of a device, in a millisecond or less. Threads that share such a product
#: wait for each other without sleeping: where other processes run, for many times as long as the product takes.
ALONE = {"OPENBLAS_NUM_THREADS": "1"}


def let_idle_threads_sleep() -> None:
    """Called before NumPy is imported, by a process of ours that waits for others."""
    for name, value in SLEEP.items():
        os.environ.setdefault(name, value)
