"""Messages: what is sent comes out again, and bytes that are no message are refused, whatever they are."""

import os
import random
import socket
from typing import NamedTuple

import pytest
from mlusim.simulator.frames import BrokenPeer, FrameChannel, Protocol, Signed, pack, unpack


class Point(NamedTuple):
    x: int
    name: str


class Everything(NamedTuple):
    number: int
    below: Signed
    part: float
    yes: bool
    text: str
    raw: bytes
    point: Point
    numbers: tuple[int, ...]
    points: tuple[Point, ...]


class Nothing(NamedTuple):
    pass


FULL = Everything(
    2**64 - 1, -7, 0.5, True, "\u4e2d \udc80", b"\0\xff", Point(0, "a"), (1, 2), (Point(3, ""), Point(4, "b"))
)


def test_every_kind_of_field_survives_the_way():
    assert unpack(Everything, pack(FULL)) == FULL
    assert pack(Nothing()) == b""
    assert unpack(Nothing, b"") == Nothing()


def test_bytes_that_are_no_message_are_refused_at_every_length():
    good = pack(FULL)
    for length in range(len(good)):
        with pytest.raises(ValueError, match="passes the end"):
            unpack(Everything, good[:length])
    with pytest.raises(ValueError, match="more bytes"):
        unpack(Everything, good + b"\0")


def test_falsified_bytes_are_refused_or_are_a_message():
    generator, good = random.Random(1), pack(FULL)
    refused = 0
    for _ in range(2000):
        bad = bytearray(good)
        bad[generator.randrange(len(bad))] = generator.randrange(256)
        try:
            found = unpack(Everything, bad)
        except ValueError:
            refused += 1
            continue
        assert all(type(value) is type(other) for value, other in zip(found, FULL, strict=True))
    assert 500 < refused < 1500


@pytest.mark.parametrize(
    ("kind", "data", "error"),
    [
        (Point, (1).to_bytes(8, "little") + (1 << 62).to_bytes(8, "little") + b"a", "passes the end"),
        (Point, bytes(8) + (1).to_bytes(8, "little") + b"\xff", "decode"),
        (type("Count", (), {"__annotations__": {"items": tuple[Point, ...]}}), b"\xff" * 8, "passes the end"),
        (type("Truth", (), {"__annotations__": {"yes": bool}}), (2).to_bytes(8, "little"), "neither 0 nor 1"),
    ],
)
def test_what_a_field_cannot_hold_is_refused(kind, data, error):
    with pytest.raises(ValueError, match=error):
        unpack(kind, data)


def test_a_number_that_does_not_fit_is_not_sent():
    for number in (-1, 1 << 64):
        with pytest.raises(Exception, match=r"argument|format|range"):
            pack(Point(number, ""))


def test_a_body_a_nonce_and_descriptors_come_with_a_message():
    protocol = Protocol(Nothing, Point, Everything)
    one, other = socket.socketpair()
    with one, other, open(os.devnull, "rb") as file:
        left, right = FrameChannel(one, protocol, {}), FrameChannel(other, protocol, {Everything: 1 << 20, Nothing: 0})
        left.send(FULL, b"ab", memoryview(b"cd"), nonce=5, descriptors=[file.fileno()])
        left.send(Nothing())
        frame = right.receive()
        assert (frame.message, frame.nonce, bytes(frame.body)) == (FULL, 5, b"abcd")
        assert os.path.sameopenfile(frame.descriptors[0], file.fileno())
        os.close(frame.descriptors[0])
        assert right.receive().message == Nothing()
        assert right.quiet()
        left.send(Nothing(), b"a")
        with pytest.raises(BrokenPeer, match="announced a message of 1 bytes"):
            right.receive()
        left.send(Point(1, ""))
        one.close()
        with pytest.raises(BrokenPeer, match="what is no message"):  # the byte that was not taken
            right.receive()
        with pytest.raises(EOFError):
            FrameChannel(other, protocol, {Point: 0}).receive()
