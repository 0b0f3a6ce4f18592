"""The devices of a host program, and what it allocates, copies and fills in their memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...core.memory import Allocation
from ...findings import rules
from ...launches.device import Device
from ...log import Location
from .arrays import Arrays
from .facts import DeviceFacts, device_facts, device_name, transfer_us
from .messages import Place, handles
from .report import ProgramReport
from .waiting import NOTHING, Queues

#: What cnrtMemTransDir_t says, in its order.
_DIRECTIONS = ("host to device", "device to device", "device to host", "host to host", "device to device")

_HEADER = 16


class OpenDevice(NamedTuple):
    """The program wants to use a device."""

    device: int


class DeviceOpened(NamedTuple):
    """A device: where its memory lies, bytes that are mapped, bytes that it has. The memory comes as a descriptor."""

    address: int
    reach: int
    capacity: int
    name: str
    facts: DeviceFacts


class AskMemory(NamedTuple):
    """How much memory does a device have?"""

    device: int


class MemoryLeft(NamedTuple):
    """Bytes of a device's memory."""

    free: int
    total: int


class AllocateArray(NamedTuple):
    """Allocate so many bytes on a device.

    ``managed``: the host uses them as its own, in pages that no other array has.
    """

    device: int
    size: int
    managed: bool
    place: Place


class PlaceVariable(NamedTuple):
    """Give a variable of kernels its place on a device; the body is its name behind its file and line, as in `Launch`.

    ``managed``: as of an array; ``functions``: it holds pointers to functions.
    """

    device: int
    size: int
    managed: bool
    functions: bool


class ArrayAllocated(NamedTuple):
    """The address of an array, or 0 and why."""

    address: int
    problem: str = ""


class FreeArray(NamedTuple):
    """An array is not needed any more, queue 0 as in a copy."""

    address: int
    queue: int
    place: Place


class CopyBytes(NamedTuple):
    """Copy; ``direction`` is a cnrtMemTransDir_t, queue 0 is the host's own, which waits until it is done."""

    queue: int
    to: int
    source: int
    size: int
    direction: int
    place: Place


class FillBytes(NamedTuple):
    """Fill device memory; queue 0 as in a copy."""

    queue: int
    to: int
    size: int
    place: Place


class Memories:
    """The devices and arrays of one program."""

    def __init__(self, devices: Sequence[Device], queues: Queues, report: ProgramReport) -> None:
        self.devices, self.arrays = devices, Arrays(devices)
        self._queues, self._report = queues, report
        queues.allocated = self._allocated

    def descriptor(self, answer: object) -> int | None:
        """The descriptor that goes with an answer: that of the memory of a device that has been opened."""
        if not isinstance(answer, DeviceOpened):
            return None
        return next(device.memory.fd for device in self.devices if device.memory.address == answer.address)

    def has(self, address: int) -> bool:
        """Whether an address is of device memory, or of the header that the C library would have before it."""
        opened = (device.memory for device in self.devices)
        return any(memory.address - _HEADER <= address < memory.address + memory.mapping.size for memory in opened)

    def end(self) -> None:
        """The program ends by itself: what it has not freed is left."""
        self._report.leaks(self.arrays.left())

    def check_read(self, entry: Allocation, address: int, size: int, place: Place) -> None:
        """The finding of uninitialized bytes that are copied."""
        hole = entry.uninitialized.first(address, address + size)
        if hole:
            found = rules.uninitialized.copied(hole[0] - entry.start, hole[1] - entry.start, entry.name)
            _, ordinal = self.arrays.at(address) or (entry, 0)
            origin = self._allocated(ordinal, entry.start - self.devices[ordinal].memory.address)
            self._report.add(replace(found, origin=origin), place)

    def _allocated(self, ordinal: int, offset: int) -> Location | None:
        """The line that allocated the array at an offset in a device's memory, if it is known."""
        origin = self._report.location(self.arrays.allocated(ordinal, offset))
        return origin if origin.line else None

    @handles
    def _open(self, message: OpenDevice) -> DeviceOpened:
        device = self.devices[message.device]
        memory = device.memory
        return DeviceOpened(
            memory.address, memory.mapping.size, memory.memory.space.bytes, device_name(device), device_facts(device)
        )

    @handles
    def _left(self, message: AskMemory) -> MemoryLeft:
        own = self.devices[message.device].memory
        own.reclaim()
        return MemoryLeft(own.memory.space.bytes - own.memory.used(0), own.memory.space.bytes)

    @handles
    def _allocate(self, message: AllocateArray) -> ArrayAllocated:
        try:
            return ArrayAllocated(self.arrays.allocate(message.device, message.size, message.place, message.managed))
        except MemoryError as error:
            return ArrayAllocated(0, str(error))

    @handles
    def _place(self, message: PlaceVariable, body: memoryview) -> ArrayAllocated:
        try:
            key = bytes(body).decode(errors="surrogateescape")
            return ArrayAllocated(
                self.arrays.place(message.device, key, message.size, message.managed, message.functions)
            )
        except MemoryError as error:
            return ArrayAllocated(0, str(error))

    @handles
    def _free(self, message: FreeArray) -> None:
        ordinal, span = self.arrays.free(message.address, message.place)
        if message.queue or self._queues.time.open:
            self._queues.put(message.queue, "the free", message.place, {ordinal: (NOTHING, span)}, 0.0)

    @handles
    def _copy(self, message: CopyBytes) -> None:
        to, source, size, direction = message.to, message.source, message.size, message.direction
        read = self.arrays.at(source) if direction not in (0, 3) else None
        written = self.arrays.at(to) if direction not in (2, 3) else None
        self._report.copies += 1
        self._report.copied_bytes += size
        if read:
            self.check_read(read[0], source, size, message.place)
        if written:
            target = written[0].uninitialized
            target.remove(to, to + size)
            if read:
                for first, last in read[0].uninitialized.pieces(source, source + size):
                    target.add(first - source + to, last - source + to)
        spans = {}
        if read:
            spans[read[1]] = (self.arrays.span(read[1], source, size), NOTHING)
        if written:
            own = spans.get(written[1], (NOTHING, NOTHING))[0]
            spans[written[1]] = (own, self.arrays.span(written[1], to, size))
        duration = 0.0  # of a copy from host to host, which no device sees
        if spans:
            device = self.devices[min(spans)]
            within = read and written and len(spans) == 1
            duration = transfer_us(device, 0, 2 * size) if within else transfer_us(device, size)
        what = f"a copy of {size} bytes from {_DIRECTIONS[direction]}"
        self._queues.put(message.queue, what, message.place, spans, duration)

    @handles
    def _fill(self, message: FillBytes) -> None:
        found = self.arrays.at(message.to)
        if found is None:
            return
        entry, ordinal = found
        entry.uninitialized.remove(message.to, message.to + message.size)
        spans = {ordinal: (NOTHING, self.arrays.span(ordinal, message.to, message.size))}
        duration = transfer_us(self.devices[ordinal], 0, message.size)
        self._queues.put(message.queue, f"a fill of {message.size} bytes", message.place, spans, duration)
