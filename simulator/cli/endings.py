"""How a command ends when it is not by itself: signals, streams that are closed or full."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

#: Exit code after Ctrl-C, as shells have it.
INTERRUPTED = 128 + signal.SIGINT
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Ended(BaseException):
    """A signal asks the command to end; ``number`` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Signals that would kill this process at once raise `Ended` instead, so that nothing is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise Ended(number)

    kept = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in kept:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in kept:
            signal.signal(number, signal.SIG_DFL)


def fill_closed_streams() -> None:
    """Open /dev/null for the standard streams that this process lacks, or files of ours would get their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def give_up(stream: TextIO | None) -> None:
    """What a stream still holds is lost: the interpreter flushes it once more, which must not fail again."""
    with suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())  # type: ignore[union-attr]
        os.close(null)


def flush_messages() -> None:
    """Write the messages; those that cannot be written are lost."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError):
        give_up(sys.stderr)
