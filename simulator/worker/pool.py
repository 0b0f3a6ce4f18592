"""The process that runs C kernels, so that whatever a kernel does, the user's Python goes on: the parent's side.

Device memory is shared with it; a launch is an `Order`. It is started at the first launch and stays.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path

from ..findings import Finding
from ..log import Log
from ..memory import Allocation, Intervals
from ..memory.global_memory import GlobalMemory
from .output import KernelOutput
from .request import Answer, Failure, LaunchRequest, Order, Progress

#: Seconds that a worker gets beyond the time limit before it is ended from outside.
_GRACE = 5.0
#: Devices whose memories a process keeps attached; the one used longest ago makes room.
DEVICES = 4
#: Workers that wait for the next launch at most.
_IDLE = 4
_PROGRAM = "from mlusim.simulator.worker.process import main; main()"


class _Gone(Exception):  # noqa: N818 - an event of the protocol
    """The other end of the connection is closed."""


@contextlib.contextmanager
def _gone_when_closed() -> Iterator[None]:
    """Tells the end of the worker from that of the user's standard output, which is a BrokenPipeError too."""
    try:
        yield
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise _Gone from None


class WorkerDied(Exception):  # noqa: N818 - an event of the protocol
    """The worker ended without an answer."""


class Worker:
    """The parent's handle on a worker process."""

    def __init__(self, runtime: Path) -> None:
        ours, theirs = socket.socketpair()
        # Above those of the standard streams: where the user's process lacks one, the next descriptor takes its number.
        descriptor = fcntl.fcntl(theirs, fcntl.F_DUPFD_CLOEXEC, 3)
        theirs.close()
        output, given = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(descriptor), str(runtime)],
            pass_fds=[descriptor],
            stdin=subprocess.DEVNULL,
            stdout=given,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},  # where the classes of checks are found
        )
        os.close(descriptor)
        os.close(given)
        self._socket, self._connection, self._output = ours, Connection(os.dup(ours.fileno())), KernelOutput(output)
        self._known: dict[int, int] = {}  # serial of a device's memory -> its address, the latest used last
        self._finalize = weakref.finalize(self, _end, os.getpid(), self._process, self._connection, ours, output)

    def launch(
        self, memory: GlobalMemory, request: LaunchRequest, progress: Callable[[int, int], None] | None
    ) -> tuple[Log, list[Finding]]:
        """Run one launch; `WorkerDied` when the process ends over it, an exception of the simulator as it is."""
        memory.reclaim()
        fresh = self._known.pop(memory.serial, None) is None
        old = [serial for serial, address in self._known.items() if address == memory.address]
        dropped = tuple(dict.fromkeys([*old, *list(self._known)[: max(len(self._known) - DEVICES + 1, 0)]]))
        for serial in dropped:
            del self._known[serial]
        self._known[memory.serial] = memory.address
        attach = (memory.address, memory.memory.space.name) if fresh else None
        entries = tuple(memory.memory.allocations())
        order = Order(
            dropped, memory.serial, attach, _without_arrays(entries), request, wants_progress=progress is not None
        )
        try:
            with _gone_when_closed():
                self._connection.send(order)
                if fresh:
                    socket.send_fds(self._socket, [b"f"], [memory.fd])
            answer = self._answer(request.time_limit, progress)
            for entry in entries:
                entry.uninitialized = answer.uninitialized.get(entry.start, Intervals())
            return answer.log, answer.findings
        except _Gone:
            code = self._process.wait()
            self._output.relay()
            self.close()
            raise WorkerDied(f"signal {-code}" if code < 0 else f"exit code {code}") from None
        except BaseException:
            self.close()  # an interrupted launch goes on in the worker otherwise
            raise

    def _answer(self, limit: float | None, progress: Callable[[int, int], None] | None) -> Answer:
        deadline = time.monotonic() + limit + _GRACE if limit else None
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._connection, selectors.EVENT_READ)
            waiting.register(self._output.descriptor, selectors.EVENT_READ)
            while True:
                ready = waiting.select(None if deadline is None else max(deadline - time.monotonic(), 0))
                if deadline is not None and time.monotonic() >= deadline:
                    self._process.kill()  # also one that prints all the time
                self._output.relay()
                if any(key.fileobj is self._connection for key, _ in ready):
                    with _gone_when_closed():
                        reply: Progress | Failure | Answer = self._connection.recv()
                    self._output.relay()
                    if isinstance(reply, Answer):
                        if reply.last:
                            self.close()
                        return reply
                    if isinstance(reply, Failure):
                        raise reply.error
                    if progress:
                        progress(reply.done, reply.total)

    @property
    def alive(self) -> bool:
        """Whether another launch can be sent."""
        return self._finalize.alive and self._process.poll() is None

    def knows(self, memory: GlobalMemory) -> bool:
        """Whether a device's memory is attached."""
        return memory.serial in self._known

    def close(self) -> None:
        """End the process."""
        self._finalize()


def _end(
    parent: int, process: subprocess.Popen[bytes], connection: Connection, ours: socket.socket, output: int
) -> None:
    connection.close()
    ours.close()
    os.close(output)
    if os.getpid() == parent:  # a forked child leaves its parent's worker alone
        process.kill()
        process.wait()


def _without_arrays(entries: Iterable[Allocation]) -> tuple[Allocation, ...]:
    """Allocations to send."""
    return tuple(
        Allocation(entry.start, entry.end, entry.space, entry.owner, entry.key, entry.name, entry.uninitialized)
        for entry in entries
    )


class _Pool:
    """The workers of a process: one for each launch that runs at the same time, kept for the next ones."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Worker] = []

    def launch(
        self, runtime: Path, memory: GlobalMemory, request: LaunchRequest, progress: Callable[[int, int], None] | None
    ) -> tuple[Log, list[Finding]]:
        """Run one launch, in a worker that knows the memory if there is one."""
        with self._lock:
            self._idle.sort(key=lambda worker: worker.knows(memory))
            worker = self._idle.pop() if self._idle else None
        if worker is None or not worker.alive:
            worker = Worker(runtime)
        try:
            return worker.launch(memory, request, progress)
        finally:
            with self._lock:
                if worker.alive and len(self._idle) < _IDLE:
                    self._idle.append(worker)
                    worker = None
            if worker is not None:
                worker.close()


@lru_cache(maxsize=1)
def pool(process: int) -> _Pool:
    """The pool of a process (a forked child gets its own)."""
    del process
    return _Pool()
