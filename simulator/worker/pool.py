"""The process that runs C kernels, so that whatever a kernel does, the user's Python goes on: the parent's side.

Device memory is shared with it; a launch is an `Order`. It is started when the first image is built or launched, and
stays.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import secrets
import select
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TextIO

from ..findings import BuildError, Finding
from ..log import Log
from ..memory import Allocation, Intervals, Memory
from ..memory.global_memory import GlobalMemory
from ..native import Description
from .answer import Answer, decode_answer, decode_description, decode_failure
from .frames import PROGRESS, BrokenWorker, Channel, Frame, Kind
from .request import LaunchRequest, Order, Question
from .start import check_modules, start_message, start_process

#: Seconds that a worker gets beyond the time limit before it is ended from outside, to begin, and to load an image.
_GRACE, _START_LIMIT, _LOAD_LIMIT = 5.0, 120.0, 10.0
#: Devices whose memories a process keeps attached; the one used longest ago makes room.
DEVICES = 4
#: What a worker may send, and the bytes of it at most. An answer holds the log of a launch.
_LIMITS = {
    Kind.READY: 1 << 16, Kind.PROGRESS: PROGRESS.size, Kind.ANSWER: 1 << 34, Kind.DESCRIPTION: 1 << 28,
    Kind.FAILURE: 1 << 20,
}  # fmt: skip
#: Bytes that kernels may print in one launch; the runtime's own limit, which names a line, is below it.
_PRINTED = 128 << 20


class WorkerDied(Exception):  # noqa: N818 - an event of the protocol
    """The worker ended without an answer, or does not keep to the protocol."""


class Worker:
    """The parent's handle on a worker process."""

    def __init__(self, runtime: Path, modules: frozenset[str]) -> None:
        """``modules`` are imported by it besides its own: it opens no file later on."""
        ours, theirs = socket.socketpair()
        life, kept = os.pipe()
        pipes = [os.pipe(), os.pipe()]
        self._process = start_process(theirs.fileno(), life, *(given for _, given in pipes))
        theirs.close()
        for descriptor in (life, *(given for _, given in pipes)):
            os.close(descriptor)
        outputs = [read for read, _ in pipes]
        for read in outputs:
            os.set_blocking(read, False)
        ours.setblocking(False)
        self.modules, self._outputs, self._channel = modules, outputs, Channel(ours, _LIMITS)
        self._printed = 0
        self._known: dict[int, int] = {}  # serial of a device's memory -> its address, the latest used last
        self._images: set[Path] = set()
        self._missing: dict[str, str] | None = None
        self._finalize = weakref.finalize(self, _end, os.getpid(), self._process, ours, (kept, *outputs))
        self._channel.send(Kind.START, 0, start_message(runtime, modules))

    def missing(self) -> dict[str, str]:
        """What of the cage this host lacks, by the name of the layer, in words; waits for the worker to begin."""
        if self._missing is None:
            with self._watched():
                frame = self._receive(time.monotonic() + _START_LIMIT, 0)
                if frame.kind is not Kind.READY:
                    raise BrokenWorker("it began with something else")
                try:
                    self._missing = {str(name): str(text) for name, text in json.loads(bytes(frame.body)).items()}
                except (ValueError, AttributeError, RecursionError):
                    raise BrokenWorker("it began with nonsense") from None
        return self._missing

    def describe(self, library: Path, kernels: int) -> Description:
        """What is in an image; BuildError when it cannot be loaded."""
        self.missing()
        nonce = secrets.randbits(64)
        with self._watched(), open(library, "rb") as image:
            question = Question(library, kernels, _LOAD_LIMIT)
            self._channel.send(Kind.DESCRIBE, nonce, pickle.dumps(question), descriptors=[image.fileno()])
            self._images.add(library)
            frame = self._receive(time.monotonic() + _LOAD_LIMIT + _GRACE, nonce)
            if frame.kind is Kind.FAILURE:
                error, finding = decode_failure(frame.body)
                self.close()
                raise BuildError(str(error), finding) if finding or isinstance(error, OSError) else error
            if frame.kind is not Kind.DESCRIPTION:
                raise BrokenWorker("it answered something else")
            try:
                return decode_description(frame.body, kernels)
            except ValueError as error:
                raise BrokenWorker(str(error)) from None

    def launch(
        self, memory: GlobalMemory, request: LaunchRequest, progress: Callable[[int, int], None] | None
    ) -> tuple[Log, list[Finding]]:
        """Run one launch; `WorkerDied` when the process ends over it, an exception of the simulator as it is."""
        self.missing()
        memory.reclaim()
        fresh = self._known.pop(memory.serial, None) is None
        old = [serial for serial, address in self._known.items() if address == memory.address]
        dropped = tuple(dict.fromkeys([*old, *list(self._known)[: max(len(self._known) - DEVICES + 1, 0)]]))
        for serial in dropped:
            del self._known[serial]
        self._known[memory.serial] = memory.address
        attach = (memory.address, memory.memory.space.name) if fresh else None
        load = request.library not in self._images
        allocations = _allocations(memory.memory)
        order = Order(dropped, memory.serial, attach, load, allocations, request, wants_progress=progress is not None)
        with self._watched(), contextlib.ExitStack() as opened:
            descriptors = [memory.fd] if fresh else []
            if load:
                descriptors.append(opened.enter_context(open(request.library, "rb")).fileno())
                self._images.add(request.library)
            nonce, self._printed = secrets.randbits(64), 0
            self._channel.send(Kind.LAUNCH, nonce, pickle.dumps(order), descriptors=descriptors)
            answer = self._answer(nonce, request, allocations, progress)
            for entry in memory.memory.allocations():
                entry.uninitialized = answer.uninitialized.get(entry.start, Intervals())
            return answer.log, answer.findings

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Whatever goes wrong in this block, the worker is not used again."""
        try:
            yield
        except (EOFError, ConnectionError):
            code = self._process.wait()
            self._relay()
            self.close()
            raise WorkerDied(f"ended: signal {-code}" if code < 0 else f"ended: exit code {code}") from None
        except BrokenWorker as broken:
            self.close()
            raise WorkerDied(f"is broken: {broken}") from None
        except BaseException:
            self.close()  # an interrupted launch goes on in the worker otherwise
            raise

    def _answer(
        self,
        nonce: int,
        request: LaunchRequest,
        allocations: tuple[Allocation, ...],
        progress: Callable[[int, int], None] | None,
    ) -> Answer:
        limit = request.time_limit
        deadline = time.monotonic() + limit + _GRACE if limit else None
        while True:
            frame = self._receive(deadline, nonce)
            self._relay()
            if frame.kind is Kind.PROGRESS and len(frame.body) == PROGRESS.size:
                if progress:
                    progress(*PROGRESS.unpack(frame.body))
            elif frame.kind is Kind.ANSWER:
                answer = decode_answer(frame.body, request, allocations)
                if answer.last:
                    self.close()
                return answer
            elif frame.kind is Kind.FAILURE:
                raise decode_failure(frame.body)[0]
            else:
                raise BrokenWorker("it answered something else")

    def _receive(self, deadline: float | None, nonce: int) -> Frame:
        """The next message, which has to be about the present launch; the process is ended at the deadline."""

        def wait(begun: float | None) -> None:
            first = min((end for end in (deadline, begun) if end is not None), default=None)
            sources = (self._channel.socket.fileno(), *self._outputs)
            waiting = select.poll()
            for source in sources:
                waiting.register(source, select.POLLIN)
            ready = waiting.poll(None if first is None else max(first - time.monotonic(), 0) * 1e3)
            if not ready and first == begun:
                raise BrokenWorker("it stopped in the middle of a message")
            if not ready:
                self._process.kill()
            if any(source in self._outputs for source, _ in ready):
                self._relay()

        frame = self._channel.receive(wait)
        for descriptor in frame.descriptors:
            os.close(descriptor)
        if frame.nonce != nonce or frame.descriptors:
            raise BrokenWorker("it answered what nobody asked")
        return frame

    def _relay(self) -> None:
        """Pass what kernels printed on to the user's standard output and standard error."""
        for read, stream in zip(self._outputs, (sys.stdout, sys.stderr), strict=True):
            self._pass_on(read, stream)

    def _pass_on(self, read: int, stream: TextIO) -> None:
        said = False
        with contextlib.suppress(BlockingIOError):
            while text := os.read(read, 1 << 16):
                self._printed += len(text)
                if self._printed > _PRINTED:
                    raise BrokenWorker(f"it printed more than {_PRINTED >> 20} MiB")
                stream.write(text.decode(errors="replace"))
                said = True
        if said:
            stream.flush()

    @property
    def alive(self) -> bool:
        """Whether another launch can be sent: it runs, and has nothing to say."""
        return (
            self._finalize.alive and self._process.poll() is None and (self._missing is None or self._channel.quiet())
        )

    def close(self) -> None:
        """End the process."""
        self._finalize()


def _end(owner: int, process: subprocess.Popen[bytes], ours: socket.socket, descriptors: tuple[int, ...]) -> None:
    """Give back all that a worker took; a fork of the process that owns it leaves the worker alone."""
    ours.close()
    for descriptor in descriptors:
        os.close(descriptor)
    if os.getpid() == owner:
        process.kill()
        process.wait()


def _allocations(memory: Memory) -> tuple[Allocation, ...]:
    """The allocations of a memory, without their arrays, to send."""
    return tuple(
        Allocation(entry.start, entry.end, entry.space, entry.owner, entry.key, entry.name, entry.uninitialized)
        for entry in memory.allocations()
    )


class _Pool:
    """The worker of this process; a lock keeps launches of several threads apart."""

    def __init__(self) -> None:
        self.lock, self.worker = threading.Lock(), None

    def launch(
        self, runtime: Path, memory: GlobalMemory, request: LaunchRequest, progress: Callable[[int, int], None] | None
    ) -> tuple[Log, list[Finding]]:
        with self.lock:
            return self._ready(runtime, check_modules(request.checks)).launch(memory, request, progress)

    def describe(self, runtime: Path, library: Path, kernels: int) -> Description:
        """What is in an image, as the worker sees it."""
        with self.lock:
            return self._ready(runtime, frozenset()).describe(library, kernels)

    def missing(self, runtime: Path) -> dict[str, str]:
        """What the cage of the worker lacks on this host."""
        with self.lock:
            return self._ready(runtime, frozenset()).missing()

    def let_go(self) -> None:
        """In a fork: close what leads to the worker, which goes on for the process that started it."""
        if self.worker is not None:
            self.worker.close()
            self.worker = None

    def _ready(self, runtime: Path, modules: frozenset[str]) -> Worker:
        """A worker that has imported these modules."""
        if self.worker is not None and not (self.worker.alive and modules <= self.worker.modules):
            modules |= self.worker.modules
            self.worker.close()
            self.worker = None
        if self.worker is None:
            self.worker = Worker(runtime, modules)
        return self.worker

    worker: Worker | None


@lru_cache(maxsize=1)
def pool(process: int) -> _Pool:
    """The pool of a process. A forked child gets its own, and lets go of its parent's worker."""
    del process
    made = _Pool()
    os.register_at_fork(after_in_child=made.let_go)
    return made
