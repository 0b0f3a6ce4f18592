"""Where programs reach the process that has their devices."""

from __future__ import annotations

import os
import socket
import struct
from contextlib import suppress
from typing import NamedTuple


class Peer(NamedTuple):
    """Who is at the other end of a socket."""

    process: int
    user: int


def peer_of(end: socket.socket) -> Peer:
    """The process that has connected to a socket, or that has made a pair of them."""
    process, user, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return Peer(process, user)


class Door:
    """A socket that programs of this user can connect to. No file stands for it, so that nothing is left behind."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind("")  # to a name that the system chooses
        self._socket.listen()
        #: The environment of a program that is to come here.
        self.environment = {**os.environ, "MLUSIM_SOCKET": self._socket.getsockname()[1:].decode()}

    def accept(self) -> socket.socket:
        """The connection of the next program; OSError when the door is closed."""
        while True:
            end, _ = self._socket.accept()
            if peer_of(end).user in (0, os.getuid()):
                return end
            end.close()

    def close(self) -> None:
        """Accept no one any more."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # ends a wait in `accept`
        self._socket.close()
