"""The process that has a library of operators loaded: calls its functions as it is told.

`main` gets the descriptor of its socket and the path of the library.
"""

from __future__ import annotations

import ctypes
import gc
import os
import socket
from collections.abc import Callable, Sequence

from ...frames import BrokenPeer, Buffer, Frame, FrameChannel
from .messages import (
    PROTOCOL,
    TO_SERVER,
    CallFunction,
    DropMemory,
    KeepMemory,
    NumberArgument,
    Outcome,
    ReadMemory,
    result_type,
)

_NOTHING = NumberArgument("", b"")


class Server:
    """A library, and the host memory that its caller has here."""

    def __init__(self, end: socket.socket, path: str) -> None:
        self._channel = FrameChannel(end, PROTOCOL, TO_SERVER)
        self._library = ctypes.CDLL(path, os.RTLD_NOW)
        self._blocks: dict[int, memoryview] = {}  # by address

    def serve(self) -> None:
        """Answer until the other end goes."""
        handlers = {CallFunction: self._call, KeepMemory: self._keep, ReadMemory: self._read, DropMemory: self._drop}
        try:
            while True:
                frame = self._channel.receive()
                try:
                    result, body = handlers[type(frame.message)](frame)
                    answer = Outcome(result)
                except (AttributeError, OSError, ctypes.ArgumentError) as error:
                    answer, body = Outcome(_NOTHING, str(error)), b""
                self._channel.send(answer, body)
        except (EOFError, BrokenPeer):
            return

    def _call(self, frame: Frame) -> tuple[NumberArgument, Buffer]:
        """Call a function with arguments of given types."""
        asked: CallFunction = frame.message
        function = getattr(self._library, asked.symbol)
        function.restype = result_type(asked.result)
        return NumberArgument.of(asked.result, function(*[given.argument for given in asked.arguments])), b""

    def _keep(self, frame: Frame) -> tuple[NumberArgument, Buffer]:
        """The body is the host memory. That of no bytes has an address of its own, too."""
        block = frame.body if len(frame.body) else memoryview(bytearray(1))
        address = ctypes.addressof(ctypes.c_char.from_buffer(block))
        self._blocks[address] = block
        return NumberArgument.of("Q", address), b""

    def _read(self, frame: Frame) -> tuple[NumberArgument, Buffer]:
        """The first bytes of such memory."""
        asked: ReadMemory = frame.message
        return _NOTHING, self._blocks[asked.address][: asked.size]

    def _drop(self, frame: Frame) -> tuple[NumberArgument, Buffer]:
        """Such memory is not needed any more."""
        asked: DropMemory = frame.message
        for address in asked.addresses:
            self._blocks.pop(address, None)
        return _NOTHING, b""


def main(look: Callable[[str], None], words: Sequence[str]) -> None:
    """Serve, see above."""
    del look  # all that is needed has been found
    gc.enable()
    with socket.socket(fileno=int(words[0])) as own:
        Server(own, words[1]).serve()
