"""Messages between the two processes: a header, and as many bytes as it says.

What a worker sends is the word of a process that runs native code of strangers: the parent takes nothing from it but
numbers and text, checks all of it, and gives memory only to bytes that have come.
"""

from __future__ import annotations

import array
import select
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

_MAGIC, VERSION = b"MLUS", 1
_HEADER = struct.Struct("<4sHHQQ")
#: The body of a message of progress: tasks that are done, and all.
PROGRESS = struct.Struct("<QQ")
#: Seconds in which the rest of a message, once begun, must go on.
_STALL = 10.0
_DESCRIPTORS = 4

Buffer = bytes | bytearray | memoryview


class Kind(IntEnum):
    """What a message is."""

    START = 1  # to the worker: how to begin
    READY = 2  # from it: what of its cage is missing
    LAUNCH = 3  # to it, with the descriptors that it needs
    DESCRIBE = 4  # to it: what is in an image?
    PROGRESS = 5
    ANSWER = 6
    DESCRIPTION = 7
    FAILURE = 8


class BrokenWorker(Exception):  # noqa: N818 - an event of the protocol
    """The other side does not keep to the protocol."""


class Frame(NamedTuple):
    """A message that has come."""

    kind: Kind
    nonce: int
    body: memoryview
    descriptors: tuple[int, ...]


class Channel:
    """One side's end of the socket."""

    def __init__(self, end: socket.socket, limits: Mapping[Kind, int]) -> None:
        """``limits`` are the kinds that this side takes, and the bytes of each at most."""
        self.socket, self._limits = end, limits

    def send(self, kind: Kind, nonce: int, *parts: Buffer, descriptors: Sequence[int] = ()) -> None:
        """Send a message; `EOFError` when the other side is gone, `BrokenWorker` when it does not take it."""
        views = [memoryview(part).cast("B") for part in parts]
        head = _HEADER.pack(_MAGIC, VERSION, kind, nonce, sum(len(view) for view in views))
        passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        queue = [memoryview(head), *views]
        while queue:
            try:
                sent = self.socket.sendmsg(queue[:64], passed)
            except BlockingIOError:
                if not select.select([], [self.socket], [], _STALL)[1]:
                    raise BrokenWorker("it takes no message") from None
                continue
            except ConnectionError:
                raise EOFError from None
            passed = []
            while queue and sent >= len(queue[0]):
                sent -= len(queue.pop(0))
            if queue and sent:
                queue[0] = queue[0][sent:]

    def receive(self, wait: Callable[[float | None], None]) -> Frame:
        """The next message; `EOFError` when the other side is gone, `BrokenWorker` for what is none.

        ``wait(deadline)`` returns when there may be something to read; the deadline (`time.monotonic`) is that of a
        message that has begun.
        """
        head = memoryview(bytearray(_HEADER.size))
        descriptors = self._fill(head, wait, begun=False)
        magic, version, kind, nonce, length = _HEADER.unpack(head)
        if magic != _MAGIC or version != VERSION:
            raise BrokenWorker("it sent what is no message")
        if kind not in self._limits:
            raise BrokenWorker(f"it sent a message of the kind {kind}")
        if length > self._limits[kind]:
            raise BrokenWorker(f"it announced a message of {length} bytes")
        try:
            body = np.empty(length, np.uint8).data  # pages appear as bytes come
        except MemoryError:
            raise BrokenWorker(f"it announced a message of {length} bytes, for which there is no memory") from None
        if length:
            descriptors += self._fill(body, wait, begun=True)
        return Frame(Kind(kind), nonce, body, tuple(descriptors))

    def quiet(self) -> bool:
        """Whether nothing waits to be read."""
        return not select.select([self.socket], [], [], 0)[0]

    def _fill(self, view: memoryview, wait: Callable[[float | None], None], begun: bool) -> list[int]:
        at = 0
        descriptors: list[int] = []
        room = socket.CMSG_SPACE(_DESCRIPTORS * 4)
        while at < len(view):
            try:
                got, passed, _, _ = self.socket.recvmsg_into([view[at : at + (1 << 20)]], room)
            except BlockingIOError:
                wait(time.monotonic() + _STALL if begun or at else None)
                continue
            except ConnectionError:
                raise EOFError from None
            if not got:
                raise EOFError
            for _, _, data in passed:
                descriptors += array.array("i", data[: len(data) // 4 * 4])
            at += got
        return descriptors
