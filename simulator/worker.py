"""The process that runs C kernels, so that whatever a kernel does, the user's Python goes on.

Device memory is shared with it; a launch is a message. It is started at the first launch and stays.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import selectors
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .device import Shape
from .finding import Finding
from .global_memory import GlobalMemory
from .intervals import Intervals
from .log import Log
from .machine import Machine
from .memory import Allocation, Mapping, Memory
from .native import NativeRunner

#: Seconds that a worker gets beyond the time limit before it is ended from outside.
_GRACE = 5.0
#: Devices whose memories a process keeps attached; the one used longest ago makes room.
_DEVICES = 4
_PROGRAM = "from mlusim.simulator.worker import main; main()"
#: Freed memory up to this many bytes stays with the worker (the most that glibc takes).
_KEPT_BY_MALLOC = 32 << 20
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
Reply = tuple[Log | None, list[Finding]]
_Answer = tuple[Log, list[Finding], dict[int, Intervals]]


class WorkerDied(Exception):  # noqa: N818 - an event of the protocol
    """The worker ended without an answer."""


class Worker:
    """The parent's handle on a worker process."""

    def __init__(self, runtime: Path) -> None:
        ours, theirs = socket.socketpair()
        output, given = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(theirs.fileno()), str(runtime)],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=given,
            start_new_session=True,
        )
        theirs.close()
        os.close(given)
        self._socket, self._connection, self._output = ours, Connection(os.dup(ours.fileno())), output
        os.set_blocking(output, False)
        self._known: dict[int, int] = {}  # serial of a device's memory -> its address, the latest used last
        self._finalize = weakref.finalize(self, _end, self._process, self._connection, ours, output)

    def launch(
        self, memory: GlobalMemory, request: dict[str, Any], progress: Callable[[int, int], None] | None
    ) -> Reply:
        """Run one launch; `WorkerDied` when the process ends over it, an exception of the simulator as it is."""
        memory.reclaim()
        fresh = self._known.pop(memory.serial, None) is None
        old = [serial for serial, address in self._known.items() if address == memory.address]
        dropped = list(dict.fromkeys([*old, *list(self._known)[: max(len(self._known) - _DEVICES + 1, 0)]]))
        for serial in dropped:
            del self._known[serial]
        self._known[memory.serial] = memory.address
        attach = (memory.address, memory.memory.space.name) if fresh else None
        message = (dropped, memory.serial, attach, _allocations(memory.memory), request, progress is not None)
        try:
            self._connection.send(message)
            if fresh:
                socket.send_fds(self._socket, [b"f"], [memory.fd])
            log, findings, undefined = self._answer(request.get("time_limit"), progress)
            for entry in memory.memory.allocations():
                entry.undefined = undefined.get(entry.start, Intervals())
            return log, findings
        except (EOFError, BrokenPipeError, ConnectionResetError):
            code = self._process.wait()
            self._relay()
            self.close()
            raise WorkerDied(f"signal {-code}" if code < 0 else f"exit code {code}") from None
        except BaseException:
            self.close()  # an interrupted launch goes on in the worker otherwise
            raise

    def _answer(self, limit: float | None, progress: Callable[[int, int], None] | None) -> _Answer:
        deadline = time.monotonic() + limit + _GRACE if limit else None
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._connection, selectors.EVENT_READ)
            waiting.register(self._output, selectors.EVENT_READ)
            while True:
                ready = waiting.select(None if deadline is None else max(deadline - time.monotonic(), 0))
                if not ready:
                    self._process.kill()
                self._relay()
                if any(key.fileobj is self._connection for key, _ in ready):
                    kind, value = self._connection.recv()
                    self._relay()
                    if kind == "progress":
                        if progress:
                            progress(*value)
                    elif kind == "failed":
                        raise value
                    else:
                        if kind == "last":
                            self.close()
                        answer: _Answer = value
                        return answer

    def _relay(self) -> None:
        """Pass what kernels printed on to the user's standard output."""
        with contextlib.suppress(BlockingIOError, OSError):
            while text := os.read(self._output, 1 << 16):
                sys.stdout.write(text.decode(errors="replace"))
        sys.stdout.flush()

    @property
    def alive(self) -> bool:
        """Whether another launch can be sent."""
        return self._finalize.alive and self._process.poll() is None

    def close(self) -> None:
        """End the process."""
        self._finalize()


def _end(process: subprocess.Popen[bytes], connection: Connection, ours: socket.socket, output: int) -> None:
    connection.close()
    ours.close()
    os.close(output)
    process.kill()
    process.wait()


def _undefined(memory: Memory) -> dict[int, Intervals]:
    """The bytes of device memory that nobody has written, by the start of the allocation."""
    return {entry.start: entry.undefined for entry in memory.allocations() if entry.undefined.hi}


def _allocations(memory: Memory) -> list[Allocation]:
    """The allocations of a memory, without their arrays, to send."""
    return [
        Allocation(entry.start, entry.end, entry.space, entry.owner, entry.key, entry.name, entry.undefined)
        for entry in memory.allocations()
    ]


class _Pool:
    """The worker of this process; a lock keeps launches of several threads apart."""

    def __init__(self) -> None:
        self.lock, self.worker = threading.Lock(), None

    def launch(
        self, runtime: Path, memory: GlobalMemory, request: dict[str, Any], progress: Callable[[int, int], None] | None
    ) -> Reply:
        with self.lock:
            if self.worker is None or not self.worker.alive:
                self.worker = Worker(runtime)
            return self.worker.launch(memory, request, progress)

    worker: Worker | None


@lru_cache(maxsize=1)
def pool(process: int) -> _Pool:
    """The pool of a process (a forked child gets its own)."""
    del process
    return _Pool()


# --- the worker's side ---------------------------------------------------------------------------------------------


class Host:
    """Runs launches in this process: one machine and runner per device memory."""

    def __init__(self, runtime: Path) -> None:
        self.runtime = runtime
        self._runners: dict[Memory, NativeRunner] = {}

    def runner(self, shape: Shape, device: str, memory: Memory) -> NativeRunner:
        """The runner for a device's memory, made at its first launch."""
        found = self._runners.pop(memory, None)
        if found is None:
            while len(self._runners) >= _DEVICES:
                self.drop(next(iter(self._runners)))
            found = NativeRunner(Machine(shape, device, {memory.name: memory}), self.runtime)
        self._runners[memory] = found
        return found

    def drop(self, memory: Memory) -> None:
        """Forget the runner of a device's memory, if there is one."""
        runner = self._runners.pop(memory, None)
        if runner is not None:
            runner.machine.close()


@lru_cache(maxsize=1)
def local_host(runtime: Path) -> Host:
    """The host of launches without isolation, in this process."""
    return Host(runtime)


def execute(
    host: Host, memory: Memory, request: dict[str, Any], progress: Callable[[int, int], None] | None
) -> tuple[Log, list[Finding]]:
    """Carry out a request of `Program.launch`."""
    rest = dict(request)
    runner = host.runner(rest.pop("shape"), rest.pop("device"), memory)
    return runner.run(**rest, progress=progress)


def main() -> None:
    """The worker: answer launches until the parent is gone."""
    threading.Thread(target=_follow_parent, args=(os.getppid(),), daemon=True).start()
    descriptor, runtime = int(sys.argv[1]), Path(sys.argv[2])
    channel = socket.socket(fileno=descriptor)
    connection = Connection(os.dup(descriptor))
    host = Host(runtime)
    memories: dict[int, Memory] = {}
    runtime_library = ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)
    runtime_library.mlusim_guard_process()
    libc = ctypes.CDLL(None)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, 1, 0)
    for option in (_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD):  # or each array for a result in between costs its page faults
        libc.mallopt(option, _KEPT_BY_MALLOC)
    while True:
        try:
            dropped, serial, attach, allocations, request, wants_progress = connection.recv()
        except EOFError:
            return
        for other in dropped:
            host.drop(memories[other])
            memories.pop(other).mapping.close()
        if attach:
            _, (descriptor_of_memory, *_), _, _ = socket.recv_fds(channel, 1, 1)
            address, space = attach
            memories[serial] = _attach(request["shape"], address, space, descriptor_of_memory)
        memory = memories[serial]
        memory.keep(0, allocations)
        try:
            progress = (lambda done, total: connection.send(("progress", (done, total)))) if wants_progress else None
            log, findings = execute(host, memory, request, progress)
            broken = any(finding.rule in ("stack", "crash", "time") for finding in findings)
            connection.send(("last" if broken else "done", (log, findings, _undefined(memory))))
        except BaseException as error:
            connection.send(("failed", _portable(error)))


def _follow_parent(parent: int) -> None:
    """End this process when its parent has been killed, also in the middle of a kernel that does not end."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


def _attach(shape: Shape, address: int, space: str, descriptor: int) -> Memory:
    mapping = Mapping(shape.spaces[space].bytes, address, descriptor)
    os.close(descriptor)
    return Memory(shape.spaces[space], list(shape.spaces).index(space), 1, mapping)


def _portable(error: BaseException) -> BaseException:
    """The error itself where it can be sent, else its text."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
