"""The device's side of one host program: carries out what its calls of the runtime ask for, in their order."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from ...findings import Finding, rules
from ...frames import FrameChannel
from ...launches.device import Device
from ...launches.repeats import NONE, Repeats
from .calls import Operations
from .facts import check_host_device
from .launching import Kernels, LaunchKernel
from .memories import Memories
from .messages import Place, agreement, handled_by, handles, messages_version
from .report import Death, ProgramReport
from .sharing import Sharing
from .waiting import Later, Queues, WaitForDevice, WaitForQueue

OTHER_VERSION = "libcnrt.so is of another version of mlusim; write the toolkit again, or build the program again"
#: Calls that may be answered while what follows from earlier ones waits: all else asks for simulated time or findings.
_AT_ONCE = (LaunchKernel, WaitForQueue, WaitForDevice)


class Hello(NamedTuple):
    """The program begins to use devices; the body is its command, with zeros between the words."""

    version: int


class Welcome(NamedTuple):
    """The number of devices, or 0 and why."""

    devices: int
    problem: str = ""


class Settle(NamedTuple):
    """Answered when all before it is done."""


class Settled(NamedTuple):
    """All is done; the numbers of the queues in which a kernel has failed."""

    failed: tuple[int, ...] = ()


class NameModule(NamedTuple):
    """A module of the program that places name by its number; the body is its path."""

    module: int


class TellFault(NamedTuple):
    """The runtime in the program has found a ``fault``, one of `FAULTS`: what is used, where, how much of how much."""

    fault: str
    what: str
    address: int
    size: int
    distance: int
    whole: int
    place: Place
    related: Place


#: What the runtime finds of copies in queues, whose sources and targets are theirs until the host has waited.
OF_COPIES: dict[str, Callable[[TellFault], Finding]] = {
    "source changed": lambda t: rules.host_code.source_changed(t.address, t.size, t.whole, t.distance),
    "source freed": lambda told: rules.host_code.freed_early(told.address, "source"),
    "source written": lambda told: rules.host_code.source_written(told.address),
    "target changed": lambda told: rules.host_code.target_changed(told.address, told.size),
    "target freed": lambda told: rules.host_code.freed_early(told.address, "target"),
    "target used": lambda told: rules.host_code.target_used(told.address),
}
#: What it finds.
FAULTS: dict[str, Callable[[TellFault], Finding]] = {
    "call": lambda told: rules.host_code.failed_call(told.what),
    "called": lambda told: rules.declared.called_by_host(),
    "called by host function": lambda told: rules.host_code.called_by_host_function(told.what),
    "double free": lambda told: rules.freed.again(told.what, told.address),
    "followed": lambda told: rules.host_code.followed(told.address),
    "freed by host": lambda told: rules.host_code.freed_by_host(told.address),
    "freed": lambda told: rules.freed.used_by_host(told.what, told.address),
    "freed inside": lambda told: rules.host_code.freed_inside(told.address, told.distance),
    "not allocated": lambda told: rules.host_code.not_allocated(told.address, pinned=False),
    "not on device": lambda told: rules.host_code.not_on_device(told.what, told.address),
    "not on host": lambda told: rules.host_code.not_on_host(told.address),
    "not pinned": lambda told: rules.host_code.not_allocated(told.address, pinned=True),
    "not modelled": lambda told: rules.not_modelled.called(told.what),
    "past array": lambda t: rules.bounds.past_array(t.what, t.address, t.size, t.distance, t.whole),
    "past host memory": lambda t: rules.bounds.past_host_memory(t.address, t.size, t.distance, t.whole),
    **OF_COPIES,
}


class Goodbye(NamedTuple):
    """The program ends by itself; answered when its report has been written."""


class Farewell(NamedTuple):
    """The report has been written; whether the program fails by it."""

    fails: bool


class ProgramDies(NamedTuple):
    """A signal ends the program. Of a fault: the address that was used, 2**64 - 1 if it is unknown; so far into the
    module that is the body.
    """

    signal: int
    address: int
    offset: int


class Session:
    """One host program. Device memories are its own."""

    def __init__(
        self, end: socket.socket, devices: Sequence[Device], keep_logs: bool = False, time_limit: float | None = None,
        repeats: Repeats = NONE,
    ) -> None:  # fmt: skip
        """``keep_logs``: the logs of all launches stay in the report; ``time_limit`` (seconds) is that of a launch, and
        ``repeats`` what each is compared with.

        ValueError for a device that runs no host code.
        """
        for device in devices:
            check_host_device(device)
        self.report = ProgramReport()
        self._channel = FrameChannel(end, AGREEMENT.protocol, AGREEMENT.taken)
        self._later = Later()
        self._queues = Queues(self.report, self._later)
        own = [device.watched() for device in devices]  # each with a memory of its own
        self._memories = Memories(own, self._queues, self.report)
        self.kernels = Kernels(self._memories, self._queues, self.report, self._later, end.fileno(), time_limit)
        self.kernels.keep_logs, self.kernels.repeats = keep_logs, repeats
        operations = Operations(self._memories, self._queues, self.report)
        self._sharing = Sharing(self._memories)
        parts = (self, self._queues, self._memories, self._sharing, self.kernels, operations)
        self._handlers = dict(chain.from_iterable(map(_handlers, parts)))

    def key(self, address: int) -> int:
        """The number in logs of a byte of the first device's memory."""
        return self._memories.devices[0].memory.memory.key(address)

    def serve(self) -> ProgramReport:
        """Answer until the program ends; what it has done. `BrokenPeer` when it sends what is no message."""
        try:
            while not self.report.ended:
                self._answer()
            self._queues.end()
            self._memories.end()
        except EOFError:
            self._later.catch_up()
        time = self._queues.time
        self.report.time_us = max([time.now, *(queue.ready for queue in time.queues.values())])
        return self.report

    def bye(self, fails: bool = False) -> None:
        """Let a program that has said goodbye go; ``fails``: its exit code is 1 instead of 0."""
        if self.report.ended:
            with suppress(EOFError):
                self._channel.send(Farewell(fails))

    def _answer(self) -> None:
        """Answer the next message."""
        frame = self._channel.receive()
        for descriptor in frame.descriptors:  # which no message has
            os.close(descriptor)
        kind = type(frame.message)
        if kind not in _AT_ONCE:
            self._later.catch_up()
        handler, has_body = self._handlers[kind]
        answer = handler(frame.message, frame.body) if has_body else handler(frame.message)
        if answer is not None:
            found = (part.descriptor(answer) for part in (self._memories, self._sharing))
            self._channel.send(answer, descriptors=[descriptor for descriptor in found if descriptor is not None])

    @handles
    def _hello(self, message: Hello, body: memoryview) -> Welcome:
        words = bytes(body).rstrip(b"\0").decode(errors="backslashreplace").split("\0")
        self.report.program, self.report.command = words[0], " ".join(words)
        if message.version != messages_version():
            return Welcome(0, OTHER_VERSION)
        return Welcome(len(self._memories.devices))

    @handles
    def _settle(self, message: Settle) -> Settled:
        del message
        return Settled(tuple(number for number, queue in self._queues.time.queues.items() if queue.failure[0]))

    @handles
    def _name(self, message: NameModule, body: memoryview) -> None:
        self.report.modules[message.module] = bytes(body).decode(errors="surrogateescape")

    @handles
    def _find(self, message: TellFault) -> None:
        worded = FAULTS.get(message.fault)
        if worded and not (
            message.fault in OF_COPIES and self._queues.is_missed(self.report.location(message.related))
        ):
            self.report.add(worded(message), message.place, message.related)

    @handles
    def _dies(self, message: ProgramDies, body: memoryview) -> None:
        module = bytes(body).decode(errors="surrogateescape")
        on_device = self._memories.has(message.address)
        self.report.death = Death(message.signal, message.address, on_device, module, message.offset)

    @handles
    def _goodbye(self, message: Goodbye) -> Farewell | None:
        """`bye` answers."""
        del message
        self.report.ended = True
        return None


def _handlers(part: object) -> list[tuple[type, tuple[Callable[..., Any], bool]]]:
    return [(row.message, (getattr(part, row.method), row.has_body)) for row in handled_by(type(part))]


PARTS = (Session, Queues, Memories, Sharing, Kernels, Operations)
#: All that is said between a program and its session.
AGREEMENT = agreement(chain.from_iterable(map(handled_by, PARTS)))
