"""The device's side of one host program: carries out what its calls of the runtime ask for, in their order."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import accumulate

import numpy as np

from ...checks.after_run import examine
from ...chip.launch_kinds import BLOCK, UNIONS
from ...core.memory import Allocation
from ...engines.worker.pool import WorkerDied, pool
from ...engines.worker.request import LaunchRequest
from ...findings import RULES, Finding, rules
from ...launches.device import Device
from ...log import Log
from ...native.compiler import Compiler
from ...timing import replay
from .arrays import Arrays
from .facts import check_host_device, device_facts, device_name, transfer_us
from .images import Images, ProgramImage
from .queues import HOST, Mark, Queue, Timeline, Work, touched_by
from .report import Called, Launched, Place, Report
from .wire import Kind, Message, Wire, messages_version

#: Values of cnrtFunctionType_t.
_KINDS = {1: BLOCK, **{4 * kind.clusters: kind for kind in UNIONS}}
_NOT_READY, _FAILED, _INVALID, _NO_MODULE = 1, 632015, 100014, 101315
#: Rules after which a kernel has not come to its end: its queue has failed.
_ENDS = {rules.CRASH, rules.STACK, rules.TIME, rules.FORBIDDEN, rules.ASSERT, rules.BARRIER, rules.NOT_MODELLED}
_DIRECTIONS = ("host to device", "device to device", "device to host", "host to host", "device to device")
_NOTHING = np.zeros((0, 2), np.int64)
#: Calls that may be answered while what follows from earlier ones waits: all else asks for simulated time or findings.
_AT_ONCE = (Kind.LAUNCH, Kind.SYNC)


class Session:
    """One host program. Device memories are its own."""

    def __init__(
        self, wire: Wire, devices: Sequence[Device], keep_logs: bool = False, time_limit: float | None = None
    ) -> None:
        """``keep_logs``: the logs of all launches stay in the report; ``time_limit`` (seconds) is that of a launch.

        ValueError for a device that runs no host code.
        """
        for device in devices:
            check_host_device(device)
        self.report = Report()
        self._wire, self.keep_logs, self._time_limit = wire, keep_logs, time_limit
        self._devices = [device.watched() for device in devices]  # each with a memory of its own
        self._compiler = Compiler()
        self._runtime = self._compiler.runtime()
        with suppress(Exception):  # the first launch says what is wrong
            pool(os.getpid()).begin(self._runtime)  # while the program begins as well
        self._time = Timeline()
        self._images = Images(self._compiler, self._runtime.parent.name)
        self._arrays = Arrays(self._devices)
        self._marks: dict[int, Mark] = {}
        self._late: list[Callable[[], None]] = []  # what calls that have been answered leave to be done, in order
        self._handlers: dict[int, Callable[[Message], None]] = {
            Kind.HELLO: self._hello, Kind.OPEN: self._open, Kind.ALLOCATE: self._allocate, Kind.FREE: self._free,
            Kind.COPY: self._copy, Kind.FILL: self._fill, Kind.IMAGE: self._image, Kind.IMAGE_BYTES: self._image_bytes,
            Kind.LAUNCH: self._launch, Kind.SETTLE: lambda message: self._wire.reply(), Kind.SYNC: self._sync,
            Kind.QUERY: self._query, Kind.NOTIFY: self._notify, Kind.WAIT: self._wait, Kind.ELAPSED: self._elapsed,
            Kind.QUEUE: self._queue, Kind.MODULE: self._module, Kind.FINDING: self._finding, Kind.MEMORY: self._memory,
            Kind.OPERATION: self._operate,
        }  # fmt: skip

    def key(self, address: int) -> int:
        """The number in logs of a byte of the first device's memory."""
        return self._devices[0].memory.memory.key(address)

    def serve(self) -> Report:
        """Answer until the program ends; what it has done."""
        try:
            while (message := self._wire.receive()).kind != Kind.BYE:
                if message.kind not in _AT_ONCE:
                    self._catch_up()
                self._handlers[message.kind](message)
            self._catch_up()
            self._end()
            self.report.ended = True
        except EOFError:
            self._catch_up()
        self.report.time_us = max([self._time.now, *(queue.ready for queue in self._time.queues.values())])
        return self.report

    def _catch_up(self) -> None:
        """Do what is late: the time and the findings of a launch, as a rule while the next one runs."""
        late, self._late = self._late, []
        for follow in late:
            follow()

    def bye(self) -> None:
        """Let a program that has said goodbye go."""
        if self.report.ended:
            self._wire.reply()

    def _end(self) -> None:
        """What a program that ends by itself has left behind."""
        for queue in self._time.queues.values():
            if self._time.pending(queue):
                last = next(work for work in reversed(self._time.open) if work.queue == queue.number)
                message = f"the program ends and has not waited for {last.what}"
                advice = "wait with cnrtQueueSync before the end"
                self.report.add(Finding(rules.QUEUE_ORDER, message, suggestion=advice, location=last.place))
        self.report.leaks(self._arrays.left(), Finding(rules.LEAK, "", suggestion="free it with cnrtFree"))

    def _hello(self, message: Message) -> None:
        self.report.command = message.bytes.rstrip(b"\0").replace(b"\0", b" ").decode(errors="backslashreplace")
        if message.numbers[0] != messages_version():
            problem = "libcnrt.so is of another version of mlusim; write the toolkit again, or build the program again"
            self._wire.reply([0], problem)
            return
        self._wire.reply([len(self._devices)])

    def _open(self, message: Message) -> None:
        device = self._devices[message.numbers[0]]
        memory = device.memory
        numbers = [memory.address, memory.mapping.size, memory.memory.space.bytes, *device_facts(device)]
        self._wire.reply(numbers, device_name(device), memory.fd)

    def _allocate(self, message: Message) -> None:
        ordinal, bytes, module, offset = message.numbers
        try:
            address = self._arrays.allocate(ordinal, bytes, Place(module, offset))
        except MemoryError as error:
            self._wire.reply([0], str(error))
            return
        self._wire.reply([address])

    def _free(self, message: Message) -> None:
        address, module, offset = message.numbers
        ordinal, span = self._arrays.free(address)
        if self._time.open:
            place = Place(module, offset)
            work = Work(HOST, 0, "the free", self.report.location(place), lambda: (_NOTHING, span), ordinal)
            self._tell(work, self._time.add(work, 0.0, 0, 0), place)

    def _memory(self, message: Message) -> None:
        memory = self._devices[message.numbers[0]].memory.memory
        self._wire.reply([memory.space.bytes - memory.used(0), memory.space.bytes])

    def _copy(self, message: Message) -> None:
        queue, to, source, bytes, direction, module, offset = message.numbers
        place = Place(module, offset)
        read = self._arrays.at(source) if direction not in (0, 3) else None
        written = self._arrays.at(to) if direction not in (2, 3) else None
        self.report.copies += 1
        self.report.copied_bytes += bytes
        what = f"a copy of {bytes} bytes from {_DIRECTIONS[direction]}"
        if read:
            self._check_read(read[0], source, bytes, place)
        if written:
            target = written[0].uninitialized
            target.remove(to, to + bytes)
            if read:
                for first, last in read[0].uninitialized.pieces(source, source + bytes):
                    target.add(first - source + to, last - source + to)
        spans = {}
        if read:
            spans[read[1]] = [self._arrays.span(read[1], source, bytes), _NOTHING]
        if written:
            spans.setdefault(written[1], [_NOTHING, _NOTHING])[1] = self._arrays.span(written[1], to, bytes)
        duration = 0.0  # of a copy from host to host, which no device sees
        if spans:
            device = self._devices[min(spans)]
            within = read and written and len(spans) == 1
            duration = transfer_us(device, 0, 2 * bytes) if within else transfer_us(device, bytes)
        self._put(queue, what, place, spans, duration)

    def _check_read(self, entry: Allocation, address: int, bytes: int, place: Place) -> None:
        hole = entry.uninitialized.first(address, address + bytes)
        if hole:
            span = f"bytes {hole[0] - entry.start} to {hole[1] - entry.start} of {entry.name}"
            message = f"{span} are copied, and nobody has written them"
            self.report.add(Finding(rules.UNINITIALIZED, message, suggestion="write them before, or copy less"), place)

    def _fill(self, message: Message) -> None:
        queue, to, bytes, module, offset = message.numbers
        found = self._arrays.at(to)
        if found is None:
            return
        found[0].uninitialized.remove(to, to + bytes)
        spans = {found[1]: [_NOTHING, self._arrays.span(found[1], to, bytes)]}
        duration = transfer_us(self._devices[found[1]], 0, bytes)
        self._put(queue, f"a fill of {bytes} bytes", Place(module, offset), spans, duration)

    def _put(self, queue: int, what: str, place: Place, spans: dict[int, list[np.ndarray]], duration: float) -> None:
        """Put a copy into its queue, once for each device that it touches."""
        if not self._time.open and queue == HOST:
            self._time.now += duration
            return
        where = self.report.location(place)
        for ordinal, (read, written) in spans.items():
            work = Work(queue, 0, what, where, partial(_both, read, written), ordinal)
            self._tell(work, self._time.add(work, duration, 0, 0), place)
            duration = 0.0

    def _operate(self, message: Message) -> None:
        """A function of the operator library: carried out now, in its queue for as long as it is assumed to last."""
        number, module, offset = message.numbers
        queue, place = self._time.queue(number), Place(module, offset)
        status, text = queue.failure
        if not status:
            from .operations import carry_out  # few programs call the library

            device = self._devices[queue.device]
            status, text, work, duration = carry_out(message.bytes, device, queue, place, self._check_read, self.report)
            if work is not None:
                self._tell(work, self._time.add(work, duration, device.shape.cores, device.shape.cores), place)
                self.report.operations.append(Called(work.what, number, queue.device, place, work.start, work.end))
        self._wire.reply([status], text)

    def _tell(self, work: Work, met: Sequence[Work], place: Place) -> None:
        """Findings of work that is not ordered with other work."""
        for other in met[:1]:
            host = work.queue == HOST
            message = f"{work.what} shares memory with {other.what} in queue {other.queue}, which " + (
                "the host has not waited for" if host else f"queue {work.queue} is not ordered with"
            )
            advice = "wait with cnrtQueueSync" if host else "let one queue wait for a notifier of the other"
            self.report.add(
                Finding(rules.QUEUE_ORDER, message, suggestion=advice, location=work.place, related=other.place)
            )

    def _image(self, message: Message) -> None:
        self._wire.reply(
            [0 if self._images.announce(message.numbers[0], message.bytes.decode(errors="replace")) else 1]
        )

    def _image_bytes(self, message: Message) -> None:
        self._images.bring(message.numbers[0], message.bytes)
        self._wire.reply()

    def _launch(self, message: Message) -> None:
        queue_number, number, kernel_number, x, y, z, type, module, offset, *sizes = message.numbers
        queue, place = self._time.queue(queue_number), Place(module, offset)
        if queue.failure[0]:
            return
        device = self._devices[queue.device]
        image, problem = self._images.on(device.shape, device.name, number)
        if image is None:
            queue.failure = _NO_MODULE, problem
            self._catch_up()
            self.report.add(Finding(rules.BUILD, problem), place)
            return
        kernel, dim = image.kernels[kernel_number], (x, y, z)
        kind = _KINDS.get(type)
        problem = image.misfit(kernel_number, device.shape, dim, kind, sizes)
        if kind is None or problem:
            queue.failure = _FAILED, problem
            self._catch_up()
            advice = "launch with dimensions, a type and arguments that the kernel and the device take"
            self.report.add(Finding(rules.ARGUMENT, problem, kernel=kernel, suggestion=advice), place)
            return
        arguments = tuple(message.bytes[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True))
        request = LaunchRequest(
            device.shape, device.name, device.checking, image.library, kernel_number, kernel, arguments, dim, kind,
            "collect", self._time_limit,
        )  # fmt: skip
        log, findings = self._run(device, request)
        self._catch_up()
        ending = next((finding for finding in findings if finding.rule in _ENDS), None)
        if ending:
            queue.failure = _FAILED, f"{kernel} did not come to its end: {ending.message}"
        self._late.append(partial(self._follow, image, request, device, queue, place, log, findings))

    def _follow(
        self,
        image: ProgramImage,
        request: LaunchRequest,
        device: Device,
        queue: Queue,
        place: Place,
        log: Log,
        findings: Sequence[Finding],
    ) -> None:
        """What follows from a launch that has run: its findings, when it ran, and what it is not ordered with."""
        log, findings = image.lines.located(log, findings)
        if device.checking.of_logs:
            findings = [*examine(log, findings, request.on_finding), *findings]
        timeline = replay(log, device.rates)
        touched = cache(partial(touched_by, log))  # asked for again by all work that it may meet
        what, where = f"the launch of {request.kernel}", self.report.location(place)
        work = Work(queue.number, 0, what, where, touched, queue.device)
        cores = min(math.prod(request.dim), device.shape.cores)
        met = self._time.add(work, timeline.total_us, cores, device.shape.cores)
        for finding in findings:
            self.report.add(self._arrays.after_free(finding, queue.device, self.report.location))
        self._tell(work, met, place)
        self.report.launches.append(
            Launched(request.kernel, queue.number, queue.device, place, request.dim, request.kind.name, work.start,
                     work.end, log if self.keep_logs else None)
        )  # fmt: skip

    def _run(self, device: Device, request: LaunchRequest) -> tuple[Log, list[Finding]]:
        try:
            return pool(os.getpid()).launch(self._runtime, device.memory, request, None, self._catch_up)
        except WorkerDied as death:
            finding = Finding(rules.CRASH, f"the process that ran the kernel {death}", kernel=request.kernel)
            return Log.empty(device.shape, device.name, request.launch), [finding]

    def _queue(self, message: Message) -> None:
        number, *rest = message.numbers
        if rest:
            self._time.queues[number] = Queue(number, rest[0], default=not rest[1])

    def _sync(self, message: Message) -> None:
        number, ordinal, _module, _offset, *notifier = message.numbers
        if notifier:
            self._catch_up()
            mark = self._marks.get(notifier[0])
            if mark is not None:
                self._time.wait_for(mark, None)
            self._status([] if mark is None else [self._time.queue(mark.queue)])
            return
        every = [queue for queue in self._time.queues.values() if queue.device == ordinal]
        queues = [self._time.queue(number)] if number else every
        self._late.append(partial(self._time.wait, queues))
        if len(self._late) != 2:  # not the first wait after a launch
            self._catch_up()
        self._status(queues)

    def _status(self, queues: Sequence[Queue]) -> None:
        status, text = next((queue.failure for queue in queues if queue.failure[0]), (0, ""))
        self._wire.reply([status], text)

    def _query(self, message: Message) -> None:
        """Whether a queue, or what comes before a notifier, is done: it is when somebody has asked once."""
        number, notifier = message.numbers
        if number:
            queue = self._time.queue(number)
            pending = self._time.pending(queue)
            self._time.wait([queue])
            self._wire.reply([queue.failure[0] or (_NOT_READY if pending else 0)], queue.failure[1])
            return
        mark = self._marks.get(notifier)
        done = mark is None or mark.time <= self._time.now
        if mark is not None:
            self._time.wait_for(mark, None)
        self._wire.reply([0 if done else _NOT_READY])

    def _notify(self, message: Message) -> None:
        number, notifier = message.numbers
        if number:
            self._marks[notifier] = self._time.mark(self._time.queue(number))
        else:
            self._marks.pop(notifier, None)

    def _wait(self, message: Message) -> None:
        number, notifier = message.numbers
        mark = self._marks.get(notifier)
        if mark is not None:
            self._time.wait_for(mark, self._time.queue(number))

    def _elapsed(self, message: Message) -> None:
        first, last = (self._marks.get(number) for number in message.numbers)
        if first is None or last is None:
            self._wire.reply([_INVALID, 0], "a notifier was never placed in a queue")
            return
        pending = any(mark.known.get(mark.queue, 0) > self._time.known.get(mark.queue, 0) for mark in (first, last))
        if pending:
            self._wire.reply([_NOT_READY, 0])
            return
        self._wire.reply([0, round((last.time - first.time) * 1e3) & (1 << 64) - 1])

    def _module(self, message: Message) -> None:
        self.report.modules[message.numbers[0]] = message.bytes.decode(errors="surrogateescape")

    def _finding(self, message: Message) -> None:
        module, offset, other, other_offset, _address, _bytes = message.numbers
        rule, text, advice = message.bytes.decode(errors="backslashreplace").split("\0")
        if rule in RULES:
            self.report.add(Finding(rule, text, suggestion=advice), Place(module, offset), Place(other, other_offset))


def _both(read: np.ndarray, written: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return read, written
