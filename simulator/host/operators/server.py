"""The process that has a library of operators loaded: calls its functions as it is told. Of mlusim it imports nothing.

Run as a script with the descriptor of its socket and the path of the library. A message is the length of a header and
of what follows, the header in JSON, and bytes.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import struct
import sys
from typing import Any

HEAD = struct.Struct("<II")
_TYPES = {
    "?": ctypes.c_bool, "b": ctypes.c_int8, "B": ctypes.c_uint8, "h": ctypes.c_int16, "H": ctypes.c_uint16,
    "i": ctypes.c_int32, "I": ctypes.c_uint32, "q": ctypes.c_int64, "Q": ctypes.c_uint64, "f": ctypes.c_float,
    "d": ctypes.c_double, "P": ctypes.c_void_p,
}  # fmt: skip


class Server:
    """A library, and the host memory that its caller has here."""

    def __init__(self, end: socket.socket, path: str) -> None:
        self._end = end
        self._library = ctypes.CDLL(path, os.RTLD_NOW)
        self._blocks: dict[int, Any] = {}

    def serve(self) -> None:
        """Answer until the other end goes."""
        while True:
            try:
                size, length = HEAD.unpack(self._take(HEAD.size))
            except EOFError:
                return
            asked, data = json.loads(self._take(size)), self._take(length)
            try:
                answer, back = getattr(self, "do_" + asked["do"])(asked, data)
            except (AttributeError, OSError, ctypes.ArgumentError) as error:
                answer, back = {"error": str(error)}, b""
            text = json.dumps(answer).encode()
            try:
                self._end.sendall(HEAD.pack(len(text), len(back)) + text)
                self._end.sendall(back)
            except ConnectionError:
                return

    def do_call(self, asked: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Call a function with arguments of given types."""
        function = getattr(self._library, asked["symbol"])
        function.restype = _TYPES[asked["result"]] if asked["result"] else None
        arguments = [_TYPES[code](value) for code, value in asked["arguments"]]
        return {"value": function(*arguments)}, b""

    def do_keep(self, asked: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Host memory with these bytes."""
        block = ctypes.create_string_buffer(data, max(len(data), 1))
        address = ctypes.addressof(block)
        self._blocks[address] = block
        return {"value": address}, b""

    def do_read(self, asked: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """The bytes of such memory."""
        return {}, ctypes.string_at(asked["address"], asked["bytes"])

    def do_drop(self, asked: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Such memory is not needed any more."""
        for address in asked["addresses"]:
            self._blocks.pop(address, None)
        return {}, b""

    def _take(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            try:
                more = self._end.recv(min(count - len(parts), 1 << 24))
            except ConnectionError:
                raise EOFError from None
            if not more:
                raise EOFError
            parts += more
        return bytes(parts)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as own:
        Server(own, sys.argv[2]).serve()
