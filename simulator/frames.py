"""Messages between two processes over a socket: a head, named fields, as many bytes as the head says, descriptors.

A message is a `NamedTuple` of numbers, booleans, texts, bytes, other such tuples and tuples of any length of those: its
class is all the declaration there is. A `Protocol` lists what two processes say to each other. What the other side
sends is checked before it is used, and memory is given only to what the head may announce. Needs the standard
library alone.
"""

from __future__ import annotations

import array
import select
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

MAGIC, VERSION = b"MLUS", 1
#: The head of a message: names and codes of `struct`, little endian. The last two are lengths in bytes.
HEAD = (("magic", "4s"), ("version", "H"), ("kind", "H"), ("nonce", "Q"), ("fields", "Q"), ("body", "Q"))
_HEAD = struct.Struct("<" + "".join(code for _, code in HEAD))
#: Bytes of the fields of a message at most.
MOST_FIELDS = 1 << 20
#: Seconds in which the rest of a message, once begun, must go on.
_STALL = 10.0
_DESCRIPTORS = 4

Buffer = bytes | bytearray | memoryview
#: A number below zero too; a plain `int` is one of 0 to 2**64 - 1.
Signed = Annotated[int, "q"]
M = TypeVar("M")


class BrokenPeer(Exception):  # noqa: N818 - an event of the protocol
    """The other side does not keep to the protocol."""


class Protocol:
    """The messages of two processes: classes, numbered from 1 in their order."""

    def __init__(self, *messages: type) -> None:
        self._messages = messages
        self._numbers = {message: number for number, message in enumerate(messages, 1)}

    def number(self, message: type) -> int:
        """The number of a class of messages."""
        return self._numbers[message]

    def message(self, number: int) -> type | None:
        """The class of messages of a number."""
        return self._messages[number - 1] if 0 < number <= len(self._messages) else None


class Frame(NamedTuple):
    """A message that has come; ``nonce`` is the sender's, answers repeat it."""

    message: Any
    nonce: int
    body: memoryview
    descriptors: tuple[int, ...]


def _plain_room(count: int) -> memoryview:
    return memoryview(bytearray(count))


class FrameChannel:
    """One side's end of the socket."""

    def __init__(
        self,
        end: socket.socket,
        protocol: Protocol,
        takes: Mapping[type, int],
        room: Callable[[int], memoryview] = _plain_room,
        descriptors: int = _DESCRIPTORS,
    ) -> None:
        """``takes``: the messages that this side takes, and the bytes of the body of each at most; ``room`` gives
        memory for a body. It takes so many ``descriptors`` with a message; others are closed before it has them.
        """
        self.socket, self._protocol, self._takes, self._room = end, protocol, takes, room
        self._sent: tuple[Any, bytes] = None, b""  # the last messages and their fields: the next may be the same
        self._taken: tuple[Any, Any] = None, None
        self._passed = socket.CMSG_SPACE(descriptors * 4) if descriptors else 0

    def send(self, message: Any, *body: Buffer, nonce: int = 0, descriptors: Sequence[int] = ()) -> None:
        """Send a message; `EOFError` when the other side is gone, `BrokenPeer` when it does not take it."""
        last, fields = self._sent
        if type(message) is not type(last) or message != last:
            fields = pack(message)
            self._sent = message, fields
        views = [part if isinstance(part, bytes) else memoryview(part).cast("B") for part in body]
        number, length = self._protocol.number(type(message)), sum([len(view) for view in views])
        head = _HEAD.pack(MAGIC, VERSION, number, nonce, len(fields), length)
        passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        queue: list[bytes | memoryview] = [head + fields, *views]
        left = len(queue[0]) + length
        while left:
            try:
                sent = self.socket.sendmsg(queue[:64], passed)
            except BlockingIOError:
                if not select.select([], [self.socket], [], _STALL)[1]:
                    raise BrokenPeer("it takes no message") from None
                continue
            except ConnectionError:
                raise EOFError from None
            passed, left = [], left - sent
            while left and sent >= len(queue[0]):
                sent -= len(queue.pop(0))
            if left and sent:
                queue[0] = memoryview(queue[0])[sent:]

    def receive(self, wait: Callable[[float | None], None] = lambda deadline: None) -> Frame:
        """The next message; `EOFError` when the other side is gone, `BrokenPeer` for what is none.

        Where the socket does not block, ``wait(deadline)`` returns when there may be something to read; the deadline
        (`time.monotonic`) is that of a message that has begun.
        """
        head = memoryview(bytearray(_HEAD.size))
        descriptors = self._fill([head], wait, begun=False)
        magic, version, number, nonce, fields, length = _HEAD.unpack(head)
        if magic != MAGIC or version != VERSION:
            raise BrokenPeer("it sent what is no message")
        kind = self._protocol.message(number)
        if kind is None or kind not in self._takes:
            raise BrokenPeer(f"it sent a message of the kind {number}")
        if fields > MOST_FIELDS or length > self._takes[kind]:
            raise BrokenPeer(f"it announced a message of {fields + length} bytes")
        try:
            parts = [_plain_room(fields), self._room(length)]
        except MemoryError:
            raise BrokenPeer(f"it announced a message of {length} bytes, for which there is no memory") from None
        descriptors += self._fill([part for part in parts if len(part)], wait, begun=True)
        known, message = self._taken
        if known != (kind, parts[0]):
            try:
                message = unpack(kind, parts[0])
            except ValueError as error:
                raise BrokenPeer(f"what it sent makes no sense ({kind.__name__}: {error})") from None
            self._taken = (kind, parts[0]), message
        return Frame(message, nonce, parts[1], tuple(descriptors))

    def quiet(self) -> bool:
        """Whether nothing waits to be read."""
        return not select.select([self.socket], [], [], 0)[0]

    def _fill(self, views: list[memoryview], wait: Callable[[float | None], None], begun: bool) -> list[int]:
        descriptors: list[int] = []
        left = sum(map(len, views))
        while left:
            try:
                got, passed, _, _ = self.socket.recvmsg_into([*views[:-1], views[-1][: 1 << 20]], self._passed)
            except BlockingIOError:
                wait(time.monotonic() + _STALL if begun else None)
                continue
            except ConnectionError:
                raise EOFError from None
            if not got:
                raise EOFError
            for _, _, data in passed:
                descriptors += array.array("i", data[: len(data) // 4 * 4])
            begun, left = True, left - got
            while left and got >= len(views[0]):
                got -= len(views.pop(0))
            if left and got:
                views[0] = views[0][got:]
        return descriptors


def pack(message: Any) -> bytes:
    """The fields of a message as bytes, one after another: numbers as 8 bytes, all else after its length."""
    out = bytearray()
    kind: Any = type(message)
    _form(kind).put(out, message)
    return bytes(out)


def unpack(kind: type[M], data: Buffer) -> M:
    """The message of a class from the bytes of its fields; ValueError unless they are one, to the last byte."""
    source = _Source(data)
    declared: Any = kind
    found: M = _form(declared).take(source)
    if source.at != len(data):
        raise ValueError("more bytes than its fields have")
    return found


class _Source:
    """Bytes that are taken from the front."""

    def __init__(self, data: Buffer) -> None:
        self.data, self.at = data, 0

    def skip(self, count: int) -> int:
        """Where the next so many bytes begin, which are taken."""
        at = self.at
        if count > len(self.data) - at:
            raise ValueError("a field passes the end")
        self.at = at + count
        return at

    def bytes(self) -> bytes:
        """What stands after its length."""
        count = _COUNT.take(self)
        at = self.skip(count)
        return bytes(self.data[at : at + count])


class _Form(NamedTuple):
    """How values of a type are written, and read again."""

    put: Callable[[bytearray, Any], None]
    take: Callable[[_Source], Any]


def _number(code: str) -> _Form:
    one = struct.Struct("<" + code)

    def put(out: bytearray, value: Any) -> None:
        out += one.pack(value)

    def take(source: _Source) -> Any:
        return one.unpack_from(source.data, source.skip(one.size))[0]

    return _Form(put, take)


def _put_bytes(out: bytearray, value: bytes) -> None:
    _COUNT.put(out, len(value))
    out += value


def _put_text(out: bytearray, value: str) -> None:
    _put_bytes(out, value.encode("utf-8", "surrogatepass"))


def _take_text(source: _Source) -> str:
    return source.bytes().decode("utf-8", "surrogatepass")


def _take_boolean(source: _Source) -> bool:
    value = _COUNT.take(source)
    if value > 1:
        raise ValueError("a boolean is neither 0 nor 1")
    return bool(value)


_COUNT = _number("Q")
_FORMS = {
    int: _COUNT, Signed: _number("q"), float: _number("d"), bool: _Form(_COUNT.put, _take_boolean),
    str: _Form(_put_text, _take_text), bytes: _Form(_put_bytes, _Source.bytes),
}  # fmt: skip


def fields_of(kind: type) -> dict[str, Any]:
    """The fields of a class of messages with their types, in their order."""
    return get_type_hints(kind, include_extras=True)


@lru_cache(maxsize=256)
def _form(kind: Any) -> _Form:
    if kind in _FORMS:
        return _FORMS[kind]
    if get_origin(kind) is tuple:
        (item, _) = get_args(kind)
        return _several(_form(item))
    return _together(kind, [_form(field) for field in fields_of(kind).values()])


def _several(item: _Form) -> _Form:
    def put(out: bytearray, values: Sequence[Any]) -> None:
        _COUNT.put(out, len(values))
        for value in values:
            item.put(out, value)

    def take(source: _Source) -> tuple[Any, ...]:
        count = _COUNT.take(source)
        if count > len(source.data) - source.at:  # each takes a byte at least
            raise ValueError("a field passes the end")
        return tuple([item.take(source) for _ in range(count)])

    return _Form(put, take)


def _together(kind: Any, forms: Sequence[_Form]) -> _Form:
    def put(out: bytearray, values: Sequence[Any]) -> None:
        for form, value in zip(forms, values, strict=True):
            form.put(out, value)

    def take(source: _Source) -> Any:
        return kind(*[form.take(source) for form in forms])

    return _Form(put, take)
