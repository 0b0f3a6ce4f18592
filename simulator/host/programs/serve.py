"""``python -m mlusim.simulator.host.programs.serve DEVICE[,DEVICE]``: the device process of a program that started it.

The program is at the other end of descriptor 3. It is a process of its own from the beginning, which no wait() of the
program meets, and ends with the program.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

from ...engines.worker.idle import let_idle_threads_sleep
from ...engines.worker.start import start_ahead


def main() -> None:
    """Leave the program's family, then import what takes time."""
    if os.fork():
        os._exit(0)
    os.setsid()  # what a terminal sends to the program is not for this process
    with suppress(OSError, RuntimeError):  # the first launch says what is wrong
        start_ahead()
    let_idle_threads_sleep()
    gc.disable()  # nothing of what is imported is garbage
    from .standalone import serve

    gc.freeze()
    gc.enable()
    serve(sys.argv[1])


if __name__ == "__main__":
    main()
