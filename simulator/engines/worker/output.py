"""What kernels print, passed on to the user's standard streams, whatever those are."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress

from ...frames import BrokenPeer

#: As much as a pipe holds: one read empties it.
_ROOM = 1 << 16
#: Bytes that kernels may print in one launch; the runtime's own limit, which names a line, is below it.
_LIMIT = 128 << 20


class KernelOutput:
    """The pipe that kernels print into, and the name of the stream of `sys` that it leads to."""

    def __init__(self, descriptor: int, stream: str) -> None:
        os.set_blocking(descriptor, False)
        self.descriptor, self._stream, self._printed = descriptor, stream, 0
        self._may_lose = self._lost = False
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def begin(self, *, may_lose: bool) -> None:
        """A launch begins: count what it prints. ``may_lose``: what cannot be written is lost, without an error."""
        self._printed = 0
        self._may_lose, self._lost = may_lose, False

    @property
    def has_printed(self) -> bool:
        """Whether the launch has printed something that has been passed on."""
        return self._printed > 0

    def relay(self) -> None:
        """Pass on what is in the pipe now; `BrokenPeer` when it is more than a launch may print.

        Raises BrokenPipeError when the reader of the stream has gone, OSError when it cannot be written: what a
        `print` of the user raises, unless it may be lost. Without the stream, or with a closed one, what kernels print
        is lost.
        """
        with suppress(BlockingIOError):
            read = os.read(self.descriptor, _ROOM)
            self._printed += len(read)
            if self._printed > _LIMIT:
                raise BrokenPeer(f"it printed more than {_LIMIT >> 20} MiB")
            text = self._decoder.decode(read)
            try:
                if not self._lost:
                    self._show(text)
            except OSError:
                if not self._may_lose:
                    raise
                self._lost = True

    def _show(self, text: str) -> None:
        stream = getattr(sys, self._stream)
        if not text or stream is None or getattr(stream, "closed", False):
            return
        try:
            stream.write(text)
        except UnicodeEncodeError:
            stream.write(text.encode("ascii", "backslashreplace").decode())
        stream.flush()
