"""What kernels print, passed on to the user's standard output, whatever that is."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress

#: As much as a pipe holds: one read empties it.
_ROOM = 1 << 16


class KernelOutput:
    """The pipe that kernels print into."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def relay(self) -> None:
        """Pass on what is in the pipe now.

        Raises BrokenPipeError when the reader of standard output has gone, OSError when it cannot be written: what a
        `print` of the user raises. Without a standard output, or with a closed one, what kernels print is lost.
        """
        with suppress(BlockingIOError):
            self._show(self._decoder.decode(os.read(self.descriptor, _ROOM)))

    def _show(self, text: str) -> None:
        stream = sys.stdout
        if not text or stream is None or getattr(stream, "closed", False):
            return
        try:
            stream.write(text)
        except UnicodeEncodeError:
            stream.write(text.encode("ascii", "backslashreplace").decode())
        stream.flush()
