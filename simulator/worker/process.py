"""The process that runs C kernels: the worker's side of `pool`."""

from __future__ import annotations

import ctypes
import os
import pickle
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path

from ..findings import Finding, rules
from ..hardware import Shape
from ..log import Log
from ..machine import Machine
from ..memory import Intervals, Mapping, Memory
from ..native import NativeRunner, load_runtime
from ..simt import SimtRunner
from .pool import DEVICES
from .request import Answer, Failure, LaunchRequest, Order, Progress

#: Freed memory up to this many bytes stays with the worker (the most that glibc takes).
_KEPT_BY_MALLOC = 32 << 20
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


class Host:
    """Runs launches in this process: one machine and runner per device memory."""

    def __init__(self, runtime: Path) -> None:
        self.runtime = runtime
        self._runners: dict[Memory, NativeRunner | SimtRunner] = {}

    def runner(self, request: LaunchRequest, memory: Memory) -> NativeRunner | SimtRunner:
        """The runner for a device's memory, made at its first launch."""
        found = self._runners.pop(memory, None)
        if found is None:
            while len(self._runners) >= DEVICES:
                self.drop(next(iter(self._runners)))
            if request.grid is not None:
                found = SimtRunner(request.shape, request.device, memory, self.runtime)
            else:
                machine = Machine(request.shape, request.device, {memory.name: memory}, request.checks)
                found = NativeRunner(machine, self.runtime)
        self._runners[memory] = found
        return found

    def drop(self, memory: Memory) -> None:
        """Forget the runner of a device's memory, if there is one."""
        runner = self._runners.pop(memory, None)
        if runner is not None:
            runner.close()


@lru_cache(maxsize=1)
def local_host(runtime: Path) -> Host:
    """The host of launches without isolation, in this process."""
    return Host(runtime)


def execute(
    host: Host, memory: Memory, request: LaunchRequest, progress: Callable[[int, int], None] | None
) -> tuple[Log, list[Finding]]:
    """Carry out a request of `Program.launch`."""
    runner = host.runner(request, memory)
    if isinstance(runner, SimtRunner):
        assert request.grid is not None
        return runner.run(
            request.library, request.entry, request.kernel, request.arguments, request.grid,
            on_finding=request.on_finding, time_limit=request.time_limit, progress=progress,
        )  # fmt: skip
    return runner.run(
        request.library, request.entry, request.kernel, request.arguments, request.dim, request.type,
        on_finding=request.on_finding, time_limit=request.time_limit, progress=progress,
    )  # fmt: skip


def main() -> None:
    """The worker: answer launches until the parent is gone."""
    threading.Thread(target=_follow_parent, args=(os.getppid(),), daemon=True).start()
    descriptor, runtime = int(sys.argv[1]), Path(sys.argv[2])
    channel = socket.socket(fileno=descriptor)
    connection = Connection(os.dup(descriptor))
    host = Host(runtime)
    memories: dict[int, Memory] = {}
    load_runtime(runtime).mlusim_guard_process()
    libc = ctypes.CDLL(None)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, 1, 0)
    for option in (_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD):  # or each array for a result in between costs its page faults
        libc.mallopt(option, _KEPT_BY_MALLOC)
    while True:
        try:
            order: Order = connection.recv()
        except EOFError:
            return
        for other in order.dropped:
            host.drop(memories[other])
            memories.pop(other).mapping.close()
        if order.attach:
            _, (descriptor_of_memory, *_), _, _ = socket.recv_fds(channel, 1, 1)
            memories[order.serial] = _attach(order.request.shape, *order.attach, descriptor_of_memory)
        memory = memories[order.serial]
        memory.keep(0, order.allocations)
        try:
            progress = (lambda done, total: connection.send(Progress(done, total))) if order.wants_progress else None
            log, findings = execute(host, memory, order.request, progress)
            broken = any(finding.rule in (rules.STACK, rules.CRASH, rules.TIME) for finding in findings)
            connection.send(Answer(log, findings, _uninitialized(memory), last=broken))
        except BaseException as error:
            connection.send(Failure(_portable(error)))


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


def _uninitialized(memory: Memory) -> dict[int, Intervals]:
    """The bytes of device memory that nobody has written, by the start of the allocation."""
    return {
        entry.start: entry.uninitialized
        for entry in memory.allocations()
        if isinstance(entry.uninitialized, Intervals) and entry.uninitialized.hi
    }
