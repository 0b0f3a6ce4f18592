"""``mlusim``, or ``python -m mlusim.simulator``: the command line."""

from __future__ import annotations

import gc
import signal
import sys
from contextlib import suppress

from .engines.worker.idle import let_idle_threads_sleep

INTERRUPTED = 128 + signal.SIGINT


def main() -> int:
    """Run the command of this process."""
    gc.disable()  # until all is imported, see `later`
    streams = (sys.stdin, sys.stdout, sys.stderr)  # descriptors of ours must not take the place of one
    if _launches(sys.argv[1:]) and None not in streams:
        from .engines.worker.start import start_ahead

        with suppress(OSError, RuntimeError):  # the first launch says what is wrong
            start_ahead("mlusim.simulator.cli.console")  # it takes most of what comes behind a launch
    let_idle_threads_sleep()
    try:
        from .cli import main as run
    except KeyboardInterrupt:  # before there is a command that could say so
        return INTERRUPTED

    return run()


def _launches(words: list[str]) -> bool:
    """Whether a command most likely launches a kernel; others need not wait for the process that does."""
    return words[:1] in (["run"], ["op"]) or (words[:1] == ["check"] and "--kernel" in words)


if __name__ == "__main__":
    sys.exit(main())
