"""Tensors that lie across the lanes of a TPU, byte by byte: a dictionary from lane to bytes, and plain loops."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from .memory import background
from .numbers import decode, encode, size_of

#: n, c, h, w: of a shape, or elements from one to the next.
Four = tuple[int, int, int, int]


@dataclass(frozen=True)
class Tensor:
    """[n, c, h, w] elements at an address, ``stride`` in elements; None is the default layout of where it lies."""

    address: int
    shape: Four
    kind: str
    stride: Four | None = None

    def indices(self) -> Iterator[Four]:
        """Every element, w fastest."""
        n, c, h, w = self.shape
        return itertools.product(range(n), range(c), range(h), range(w))


def continuous(shape: Four) -> Four:
    """The default strides in system memory."""
    _, c, h, w = shape
    return (c * h * w, h * w, w, 1)


@dataclass
class Local:
    """The local memory of a core: ``lanes`` pieces of ``lane_bytes``, of which ``eu_bytes`` are computed at once."""

    lanes: int = 64
    lane_bytes: int = 256 * 1024
    eu_bytes: int = 64
    held: dict[int, bytearray] = field(init=False)

    def __post_init__(self) -> None:
        self.held = defaultdict(lambda: bytearray(background(self.lane_bytes)))

    def aligned(self, tensor: Tensor) -> Four:
        """The default strides: every channel begins at a multiple of the computing width."""
        _, c, h, w = tensor.shape
        width = self.eu_bytes // size_of(tensor.kind)
        channel = -(-h * w // width) * width
        start = tensor.address // self.lane_bytes
        return (-(-(start + c) // self.lanes) * channel, channel, w, 1)

    def place(self, tensor: Tensor, index: Four) -> tuple[int, int]:
        """The lane of an element, and the byte in it."""
        start, offset = divmod(tensor.address, self.lane_bytes)
        n, c, h, w = index
        ns, cs, hs, ws = tensor.stride or self.aligned(tensor)
        row, lane = divmod(start + c, self.lanes)
        byte = offset + size_of(tensor.kind) * (n * ns + row * cs + h * hs + w * ws)
        if not 0 <= byte <= self.lane_bytes - size_of(tensor.kind):
            raise ValueError(f"{tensor} leaves lane {lane} at {index}")
        return lane, byte

    def places(self, tensor: Tensor) -> Sequence[tuple[int, int]]:
        """The lane of every element, and the byte in it."""
        return _places(self.lanes, self.lane_bytes, replace(tensor, stride=tensor.stride or self.aligned(tensor)))

    def raw(self, tensor: Tensor) -> list[bytes]:
        """The bytes of every element."""
        size, held = size_of(tensor.kind), self.held
        return [bytes(held[lane][byte : byte + size]) for lane, byte in self.places(tensor)]

    def put(self, tensor: Tensor, elements: Sequence[bytes]) -> None:
        """Set the bytes of every element, in order; bytes between them stay."""
        for (lane, byte), element in zip(self.places(tensor), elements, strict=True):
            self.held[lane][byte : byte + len(element)] = element

    def end(self, tensor: Tensor) -> int:
        """The first byte of a lane behind the last element in any lane."""
        return max(byte for _, byte in self.places(tensor)) + size_of(tensor.kind)

    def image(self) -> bytes:
        """All of it, one lane after the other."""
        return b"".join(bytes(self.held[lane]) for lane in range(self.lanes))

    def load(self, image: bytes) -> None:
        """Hold an image as `image` gives it."""
        for lane in range(self.lanes):
            self.held[lane] = bytearray(image[lane * self.lane_bytes : (lane + 1) * self.lane_bytes])

    def read(self, tensor: Tensor) -> list[Any]:
        """The values of every element."""
        return decode(tensor.kind, b"".join(self.raw(tensor)))

    def write(self, tensor: Tensor, values: Sequence[Any]) -> None:
        """Set every element; the values are of its type."""
        data, size = encode(tensor.kind, values), size_of(tensor.kind)
        self.put(tensor, [data[at : at + size] for at in range(0, len(data), size)])


@lru_cache(maxsize=32)  # an operand is written, and read, and looks for its end
def _places(lanes: int, lane_bytes: int, strided: Tensor) -> Sequence[tuple[int, int]]:
    local = Local(lanes, lane_bytes)
    return [local.place(strided, index) for index in strided.indices()]


def _system_bytes(tensor: Tensor) -> Iterator[int]:
    stride = tensor.stride or continuous(tensor.shape)
    for index in tensor.indices():
        yield tensor.address + size_of(tensor.kind) * sum(i * s for i, s in zip(index, stride, strict=True))


def system_raw(memory: bytes | bytearray, tensor: Tensor) -> list[bytes]:
    """The bytes of every element of a tensor in system memory that begins at address 0."""
    return [bytes(memory[at : at + size_of(tensor.kind)]) for at in _system_bytes(tensor)]


def system_put(memory: bytearray, tensor: Tensor, elements: Sequence[bytes]) -> None:
    """Set the bytes of every element of a tensor in system memory, in order."""
    for at, element in zip(_system_bytes(tensor), elements, strict=True):
        memory[at : at + len(element)] = element
