"""The process that runs C kernels: the worker's side of `pool`."""

from __future__ import annotations

import ast
import ctypes
import fcntl
import gc
import importlib
import os
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import lru_cache
from pathlib import Path

from ...checks.at_issue.standard import subscribed
from ...chip import Shape
from ...core.machine import Machine
from ...core.memory import Mapping, Memory, Turn, reach
from ...findings import rules
from ...frames import BrokenPeer, Frame, FrameChannel
from ...log import Log
from ...spent import spending
from ..description import encode_description
from ..tasks.abi import load_runtime
from ..tasks.image import ImageFault, LoadedImage, load_image
from ..tasks.runner import NativeRunner
from ..tasks.sandbox import close_sandbox
from ..threads import SimtRunner
from .answer import encode_answer, encode_failure
from .attached import DEVICES
from .idle import Patience
from .messages import (
    MOST_PARTS,
    PROTOCOL,
    TO_WORKER,
    Answered,
    Describe,
    Described,
    Failed,
    LaunchOrder,
    MissingLayer,
    Progress,
    Ready,
    Start,
)
from .request import LaunchRequest, decode_allocations, decode_request

#: Freed memory up to this many bytes stays with the worker (the most that glibc takes).
_KEPT_BY_MALLOC = 32 << 20
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_F_SETSIG, _SIGNAL_AT_PARENTS_END = 10, 1  # Linux's, which Python does not name
#: Bytes of the stack of a thread that does nothing.
_SMALL_STACK = 256 << 10
#: Modules of NumPy that would be imported at the first use; a process in its sandbox cannot.
_LATE = (
    "numpy.ctypeslib",
    "numpy._core._methods",
    "numpy.lib.stride_tricks",
    "numpy.linalg",
    "numpy._core._dtype_ctypes",
)


class KernelHost:
    """Runs launches in this process: one engine for each device memory."""

    def __init__(self, runtime: Path) -> None:
        self.runtime = runtime
        self.turn = Turn()  # native code has one task running in a process
        self._engines: dict[Memory, NativeRunner | SimtRunner] = {}

    def engine(self, request: LaunchRequest, memory: Memory) -> NativeRunner | SimtRunner:
        """The engine for a device's memory, made at its first launch."""
        found = self._engines.pop(memory, None)
        if found is None:
            while len(self._engines) >= DEVICES:
                self.drop(next(iter(self._engines)))
            shape, device, checking = request.target
            if request.launch.kind.transactions:
                found = SimtRunner(shape, device, memory, self.runtime, checking)
            else:
                machine = Machine(shape, device, {memory.name: memory}, subscribed(checking))
                found = NativeRunner(machine, self.runtime)
        self._engines[memory] = found
        return found

    def drop(self, memory: Memory) -> None:
        """Forget the engine of a device's memory, if there is one."""
        engine = self._engines.pop(memory, None)
        if engine is not None:
            engine.close()


@lru_cache(maxsize=1)
def local_host(runtime: Path, process: int) -> KernelHost:
    """The host of launches without isolation, in a process (a forked child gets its own)."""
    del process
    return KernelHost(runtime)


class WorkerLoop:
    """Answers the messages of the parent."""

    def __init__(self, channel: FrameChannel, runtime: Path) -> None:
        self._channel, self._host, self._runtime = channel, KernelHost(runtime), load_runtime(runtime)
        self._path = runtime
        self._memories: dict[int, Memory] = {}
        self._reachable: Memory | None = None
        self._allocated: tuple[Memory | None, bytes] = None, b""  # of the last launch; "" if some was uninitialized

    def serve(self) -> None:
        """Answer until the parent is gone."""
        handlers = {LaunchOrder: self._launch, Describe: self._describe}
        patience = Patience()
        while True:
            patience.look(self._has_come)
            frame = self._channel.receive()
            try:
                handlers[type(frame.message)](frame)
            except BaseException as error:
                finding = error.finding if isinstance(error, ImageFault) else None
                self._channel.send(Failed(), encode_failure(error, finding), nonce=frame.nonce)

    def _has_come(self) -> bool:
        """Whether there is something to read; the sandbox allows no other question than to read it."""
        try:
            self._channel.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        return True

    def _launch(self, frame: Frame) -> None:
        order: LaunchOrder = frame.message
        request, encoded = decode_request(frame.body)
        for other in order.dropped:
            self._host.drop(self._memories[other])
            self._memories.pop(other).mapping.close()
        given = list(frame.descriptors)
        if order.attach:
            self._attach(order, request.target.shape, [given.pop(0) for _ in (order, *order.parts)])
        memory, (target, launch) = self._memories[order.serial], request
        self._allocate(memory, encoded)
        try:
            if order.image:
                self._load(launch.library, given.pop(0), launch.time_limit)
            engine = self._host.engine(request, memory)
            progress = self._progress(frame) if order.wants_progress else None
            with spending("tasks and barriers") if launch.profiled else nullcontext() as spent:
                log, findings = engine.run(launch, progress)
                phases = spent.phases if spent else {}
            last = any(finding.rule in rules.process.FATAL for finding in findings)
        except ImageFault as fault:
            log, last, phases = Log.empty(target.shape, target.device, launch.header), True, {}
            findings = [fault.finding]
        self._channel.send(Answered(), *encode_answer(log, findings, memory, last, phases), nonce=frame.nonce)

    def _allocate(self, memory: Memory, encoded: bytes) -> None:
        """Give a memory the parent's allocations; it keeps its own where they are the same, and all initialized."""
        if (memory, encoded) != self._allocated or _uninitialized(memory):
            memory.keep(0, decode_allocations(encoded))
            self._allocated = (memory, b"" if _uninitialized(memory) else encoded)

    def _attach(self, order: LaunchOrder, shape: Shape, descriptors: Sequence[int]) -> None:
        """Map a device's memory, and that of no other device but what the order says."""
        if self._reachable is not None and self._reachable.mapping.reserved:
            self._reachable.mapping.leave()
        memory = self._memories.get(order.serial)
        if memory is None:
            space = shape.spaces[order.space]
            mapping = Mapping(reach(space), order.address, descriptors[0])
            memory = self._memories[order.serial] = Memory(space, list(shape.spaces).index(order.space), 1, mapping)
        else:
            memory.mapping.enter(descriptors[0])
        for part, descriptor in zip(order.parts, descriptors[1:], strict=True):
            memory.mapping.put(range(part.address, part.address + part.bytes), descriptor, part.offset)
        for descriptor in descriptors:
            os.close(descriptor)
        self._reachable = memory

    def _describe(self, frame: Frame) -> None:
        question: Describe = frame.message
        image = self._load(Path(question.library), frame.descriptors[0], question.time_limit)
        self._channel.send(Described(), encode_description(image.describe(question.kernels)), nonce=frame.nonce)

    def _load(self, library: Path, descriptor: int, limit: float | None) -> LoadedImage:
        """Load an image from its descriptor: in its sandbox, this process opens nothing."""
        self._runtime.mlusim_set_stack()
        self._runtime.mlusim_use_image_file(descriptor)
        self._runtime.mlusim_time_limit(limit or 0.0)
        try:
            return load_image(self._path, library, descriptor)
        finally:
            self._runtime.mlusim_time_limit(0.0)
            self._runtime.mlusim_use_image_file(-1)
            os.close(descriptor)

    def _progress(self, frame: Frame) -> Callable[[int, int], None]:
        return lambda done, total: self._channel.send(Progress(done, total), nonce=frame.nonce)


def _uninitialized(memory: Memory) -> bool:
    """Whether a device's memory has uninitialized bytes."""
    return any(entry.uninitialized.hi for entry in memory.allocations())


def main(look: Callable[[str], None], words: Sequence[str]) -> None:
    """The worker: read how to begin, close the sandbox, then answer launches until the parent is gone.

    ``words`` are the descriptors of the messages and of what keeps it alive, "bound" where the thread that has started
    it lives as long as its process (else "free"), and modules to import before it is told how to begin; ``look`` says
    where modules are found.
    """
    for module in words[3:]:
        importlib.import_module(module)
    end = socket.socket(fileno=int(words[0]))
    end.setblocking(True)
    channel = FrameChannel(end, PROTOCOL, TO_WORKER, descriptors=2 + MOST_PARTS)
    try:
        start: Start = channel.receive().message
    except EOFError:
        os._exit(0)
    look(start.places)
    for module in (*start.modules, *_LATE):
        importlib.import_module(module)
    ast.unparse(ast.Constant(0))  # which imports what it needs at its first use, from Python 3.14 on
    gc.freeze()
    gc.enable()
    life = int(words[1])
    _end_with_parent(life, words[2] == "bound")
    runtime = Path(start.runtime)
    loaded = load_runtime(runtime)
    loaded.mlusim_guard_process()
    loaded.mlusim_set_stack()  # which reads where it lies from a file
    libc = ctypes.CDLL(None)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, 1, 0)
    _start_a_thread()
    for option in (_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD):  # or each array for a result in between costs its page faults
        libc.mallopt(option, _KEPT_BY_MALLOC)
    worker = WorkerLoop(channel, runtime)
    missing = close_sandbox(end.fileno(), life, loaded, runtime.parent.parent)
    channel.send(Ready(tuple(MissingLayer(name, why) for name, why in missing.items())))
    with suppress(EOFError, BrokenPeer):
        worker.serve()
    os._exit(0)  # what a kernel has left to run at the end does not run


def _start_a_thread() -> None:
    """Let the C library make the calls that it makes at a process's first thread, so that no kernel is named for them.

    The stack is too small for a kernel's thread, which is named for the stack that it asks for.
    """
    threading.stack_size(_SMALL_STACK)
    first = threading.Thread(target=int)
    first.start()
    first.join()


def _end_with_parent(life: int, bound: bool) -> None:
    """Be killed when the parent is gone, also in the middle of a kernel that does not end."""
    if bound:
        ctypes.CDLL(None).prctl(_SIGNAL_AT_PARENTS_END, signal.SIGKILL, 0, 0, 0)
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, _F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(life, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
