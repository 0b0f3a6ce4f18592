"""Messages between a host program and its device process: numbers and bytes, as native/host/host_link.h has them."""

from __future__ import annotations

import array
import hashlib
import socket
import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from ...native import HOST

_HEAD = struct.Struct("<IIQ")
_REPLY = 100
#: Bytes of a message at most; those of an image are the largest.
_MOST = 1 << 32
_ROOM = 1 << 16


def messages_version() -> int:
    """What tells these messages from those of another version: a digest of the headers that say what they hold."""
    texts = [header.read_bytes() for header in sorted(HOST.glob("host_*.h"))]
    return int.from_bytes(hashlib.sha256(b"".join(texts)).digest()[:8], "little")


class Kind(IntEnum):
    """What a message is; native/host/host_link.h says what it holds."""

    HELLO = 1
    OPEN = 2
    ALLOCATE = 3
    FREE = 4
    COPY = 5
    FILL = 6
    IMAGE = 7
    IMAGE_BYTES = 8
    LAUNCH = 9
    SETTLE = 10
    SYNC = 11
    QUERY = 12
    NOTIFY = 13
    WAIT = 14
    ELAPSED = 15
    QUEUE = 16
    MODULE = 17
    FINDING = 18
    MEMORY = 19
    BYE = 20
    OPERATION = 40


class Message(NamedTuple):
    """A message that has come."""

    kind: int
    numbers: tuple[int, ...]
    bytes: bytes


class Wire:
    """The device process's end of the socket."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._waiting = bytearray()

    def receive(self) -> Message:
        """The next message; EOFError when the program is gone, ValueError for what is no message."""
        kind, count, size = _HEAD.unpack(self._take(_HEAD.size))
        if count * 8 + size > _MOST:
            raise ValueError(f"a message of {count} numbers and {size} bytes")
        numbers = struct.unpack(f"<{count}Q", self._take(count * 8))
        return Message(kind, numbers, bytes(self._take(size)))

    def reply(self, numbers: Sequence[int] = (), text: str = "", descriptor: int | None = None) -> None:
        """Answer the last message."""
        data = text.encode()
        message = _HEAD.pack(_REPLY, len(numbers), len(data)) + struct.pack(f"<{len(numbers)}Q", *numbers) + data
        passed = [] if descriptor is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))]
        try:
            sent = self._socket.sendmsg([message], passed)
            if sent < len(message):
                self._socket.sendall(message[sent:])
        except ConnectionError:
            raise EOFError from None

    def _take(self, count: int) -> bytearray:
        while len(self._waiting) < count:
            try:
                more = self._socket.recv(max(_ROOM, min(count - len(self._waiting), 1 << 24)))
            except ConnectionError:
                raise EOFError from None
            if not more:
                raise EOFError
            self._waiting += more
        found = self._waiting[:count]
        del self._waiting[:count]
        return found
