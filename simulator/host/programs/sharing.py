"""Arrays that two programs share: what one gives to others, and what it has borrowed."""

from __future__ import annotations

from typing import NamedTuple

from ...core.memory.global_memory import Part
from .memories import Memories
from .messages import Place, handles


class ShareArray(NamedTuple):
    """A handle of the array at an address, for another program."""

    address: int


class ArrayShared(NamedTuple):
    """A handle."""

    handle: int


class BorrowArray(NamedTuple):
    """Map the array of another program's handle on a device."""

    device: int
    handle: int
    place: Place


class ArrayBorrowed(NamedTuple):
    """Where it lies, its bytes, and the pages that its file, which comes as a descriptor, backs from ``offset`` on.

    Address 0: why it cannot be had.
    """

    address: int = 0
    bytes: int = 0
    pages: int = 0
    pages_bytes: int = 0
    offset: int = 0
    problem: str = ""


class ReturnArray(NamedTuple):
    """A borrowed array is not needed any more."""

    address: int
    place: Place


class ArrayReturned(NamedTuple):
    """The file of the device's own memory, which backs these addresses again, comes as a descriptor."""

    device: int


class Sharing:
    """The handles that one program gives, and what it has borrowed."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories

    def descriptor(self, answer: object) -> int | None:
        """The descriptor that goes with an answer."""
        if isinstance(answer, ArrayReturned):
            return self._memories.devices[answer.device].memory.fd
        return self._part(answer.address).fd if isinstance(answer, ArrayBorrowed) and answer.address else None

    def _part(self, address: int) -> Part:
        return next(d.memory.parts[address] for d in self._memories.devices if address in d.memory.parts)

    @handles
    def _share(self, message: ShareArray) -> ArrayShared:
        return ArrayShared(self._memories.arrays.share(message.address))

    @handles
    def _borrow(self, message: BorrowArray) -> ArrayBorrowed:
        try:
            address, size = self._memories.arrays.borrow(message.device, message.handle, message.place)
        except (OSError, ValueError, MemoryError) as error:
            return ArrayBorrowed(problem=str(error))
        part = self._part(address)
        return ArrayBorrowed(address, size, part.address, part.bytes, part.offset)

    @handles
    def _return(self, message: ReturnArray) -> ArrayReturned:
        ordinal, _ = self._memories.arrays.free(message.address, message.place)
        self._memories.devices[ordinal].memory.reclaim()
        return ArrayReturned(ordinal)
