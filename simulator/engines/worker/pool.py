"""The process that runs C kernels, so that whatever a kernel does, the user's Python goes on: the parent's side.

Device memory is shared with it; a launch is a `LaunchOrder`. It is started when the first image is built or launched,
and stays.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ....isa.dialects import home
from ...core.memory import Allocation, Shadow
from ...core.memory.global_memory import GlobalMemory
from ...findings import BuildError, Finding, rules
from ...frames import BrokenPeer, Frame, FrameChannel
from ...log import Log
from ...native import FOREIGN
from ...native.elf import Elf
from ...spent import current
from ..description import Description, decode_description
from .answer import Answer, decode_answer, decode_failure
from .attached import Attached
from .idle import Patience
from .layers import check_layers
from .messages import (
    FROM_WORKER,
    PROTOCOL,
    Answered,
    BorrowedPart,
    Describe,
    Described,
    Failed,
    LaunchOrder,
    Progress,
    Ready,
)  # fmt: skip
from .output import KernelOutput
from .request import LaunchRequest, encode_request
from .room import room, taken
from .start import check_modules, give_back, import_meanwhile, start_message, started

#: Seconds that a worker gets beyond the time limit before it is ended from outside, to begin, and to load an image.
_GRACE, _START_LIMIT, _LOAD_LIMIT = 5.0, 120.0, 10.0
#: Workers that wait for the next launch at most.
_IDLE = 4
#: Seconds from one look at the memory that a worker has taken to the next; it may take half of the host's.
_LOOK = 0.25
_MOST_MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // 2
_NOTHING = contextlib.nullcontext()


def _nonce() -> int:
    """A number that cannot be guessed."""
    return int.from_bytes(os.urandom(8), "little")


@lru_cache(maxsize=256)
def _has_foreign_code(library: Path) -> bool:
    """Whether code of an image could have got past all checks: nothing else is to run where it has run."""
    return bool(Elf(library).section(FOREIGN))


class WorkerDied(Exception):  # noqa: N818 - an event of the protocol
    """The worker ended without an answer, or does not keep to the protocol."""


class WorkerLate(WorkerDied):
    """The worker was ended since it was not done long after the time limit of a launch."""


class Caller(NamedTuple):
    """A program with host code, for which a launch is.

    The launch ends with the program, that is when the other side of ``connection`` is closed; ``meanwhile`` is called
    while the worker runs it. What kernels print is lost where it cannot be shown.
    """

    connection: int
    meanwhile: Callable[[], None]


class Job(NamedTuple):
    """A launch for a worker, on a device's memory: ``progress`` is told of it, and it may be for a ``caller``."""

    memory: GlobalMemory
    request: LaunchRequest
    progress: Callable[[int, int], None] | None
    caller: Caller | None

    @property
    def library(self) -> Path:
        """The image that it runs."""
        return self.request.launch.library

    def order(self, dropped: tuple[int, ...] | None, load: bool) -> tuple[LaunchOrder, list[int]]:
        """The message to a worker, and the descriptors for it: with what it has ``dropped`` memory is attached anew."""
        memory, attach = self.memory, dropped is not None
        borrowed = tuple(memory.parts.values()) if attach else ()
        parts = tuple([BorrowedPart(part.address, part.bytes, part.offset) for part in borrowed])
        space, shown = memory.memory.space.name, self.progress is not None
        order = LaunchOrder(memory.serial, dropped or (), attach, memory.address, space, parts, load, shown)
        return order, [memory.fd, *(part.fd for part in borrowed)] if attach else []


class CallerGone(Exception):  # noqa: N818 - an event
    """The program with host code has gone, and the launch with it."""


class Worker:
    """The parent's handle on a worker process."""

    def __init__(self, runtime: Path, modules: frozenset[str]) -> None:
        """``modules`` are imported by it besides its own: it opens no file later on."""
        begun = started()
        self._process = begun.process
        begun.end.setblocking(False)
        self.modules, self._channel = modules, FrameChannel(begun.end, PROTOCOL, FROM_WORKER, room, 0)
        names = ("stdout", "stderr")
        self._outputs = [KernelOutput(read, name) for read, name in zip(begun.outputs, names, strict=True)]
        self._printed, self._waiting = select.poll(), select.poll()  # for what is printed; and for that or a message
        for output in self._outputs:
            self._printed.register(output.descriptor, select.POLLIN)
            self._waiting.register(output.descriptor, select.POLLIN)
        self._waiting.register(begun.end.fileno(), select.POLLIN)
        self._patience = Patience()
        self._late = False  # it was ended for taking too long
        self._attached = Attached()
        self._has_launched = False
        self._images: set[Path] = set()
        self._missing: dict[str, str] | None = None
        self._finalize = weakref.finalize(self, give_back, os.getpid(), begun)
        self._channel.send(start_message(runtime, modules))

    def missing(self) -> dict[str, str]:
        """What of the sandbox this host lacks, by the name of the layer, in words; waits for the worker to begin."""
        if self._missing is None:
            with self._watched():
                frame = self._receive(time.monotonic() + _START_LIMIT, 0)
                if not isinstance(frame.message, Ready):
                    raise BrokenPeer("it began with something else")
                self._missing = {layer.name: layer.why for layer in frame.message.missing}
        return self._missing

    def describe(self, library: Path, kernels: int) -> Description:
        """What is in an image; BuildError when it cannot be loaded, PermissionError where it may not be."""
        check_layers(self.missing())
        nonce = _nonce()
        with self._watched(), open(library, "rb") as image:
            question = Describe(str(library), kernels, _LOAD_LIMIT)
            self._channel.send(question, nonce=nonce, descriptors=[image.fileno()])
            self._images.add(library)
            frame = self._receive(time.monotonic() + _LOAD_LIMIT + _GRACE, nonce)
            if isinstance(frame.message, Failed):
                error, finding = decode_failure(frame.body)
                self.close()
                raise BuildError(str(error), finding) if finding or isinstance(error, OSError) else error
            if not isinstance(frame.message, Described):
                raise BrokenPeer("it answered something else")
            try:
                return decode_description(frame.body, kernels)
            except ValueError as error:
                raise BrokenPeer(str(error)) from None

    def launch(self, job: Job) -> tuple[Log, list[Finding]]:
        """Run one launch; `WorkerDied` when the process ends over it, `CallerGone` when its caller does, an exception
        of the simulator as it is.
        """
        check_layers(self.missing())
        job.memory.reclaim()
        load = job.library not in self._images
        order, descriptors = job.order(self._attached.reach(job.memory), load)
        _, entries = job.memory.memory.table(0)
        with self._watched(), open(job.library, "rb") if load else _NOTHING as image:
            if image:
                descriptors.append(image.fileno())
                self._images.add(job.library)
            nonce = _nonce()
            for output in self._outputs:
                output.begin(may_lose=job.caller is not None)
            self._channel.send(order, *encode_request(job.request, entries), nonce=nonce, descriptors=descriptors)
            if not self._has_launched:
                import_meanwhile(home(job.request.target.shape.isa))
                self._has_launched = True
            if job.caller:
                job.caller.meanwhile()
                self._waiting.register(job.caller.connection, select.POLLRDHUP)
            answer = self._answer(nonce, job, entries)
            if job.caller:
                self._waiting.unregister(job.caller.connection)
            if _has_foreign_code(job.library):
                self.close()
            for entry in entries:
                if (holes := answer.uninitialized.get(entry.start)) or entry.uninitialized.hi:
                    found = holes or Shadow(entry.start, entry.end)
                    found.poisoned, entry.uninitialized = entry.uninitialized.poisoned, found
            if spent := current():
                spent.absorb((name, seconds, times) for name, (seconds, times) in answer.spent.items())
            findings = answer.findings
            if any(output.has_printed for output in self._outputs):  # which nothing in the worker knows
                findings = [finding for finding in findings if finding.rule != rules.empty.EMPTY]
            return answer.log, findings

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Whatever goes wrong in this block, the worker is not used again."""
        try:
            yield
        except EOFError:
            code = self._process.wait()
            self._relay()
            self.close()
            died = WorkerLate if self._late else WorkerDied
            raise died(f"ended: signal {-code}" if code < 0 else f"ended: exit code {code}") from None
        except BrokenPeer as broken:
            self.close()
            raise WorkerDied(f"is broken: {broken}") from None
        except BaseException:
            self.close()  # an interrupted launch goes on in the worker otherwise
            raise

    def _answer(self, nonce: int, job: Job, allocations: tuple[Allocation, ...]) -> Answer:
        limit = job.request.launch.time_limit
        deadline = time.monotonic() + limit + _GRACE if limit else None
        done = 0
        while True:
            frame = self._receive(deadline, nonce, job.caller)
            self._relay()  # what was printed while the last of it was passed on, and the answer came
            if isinstance(frame.message, Progress):
                before, (done, total) = done, frame.message
                if job.progress is None or not before < done <= total:
                    raise BrokenPeer("it told of progress that it was not asked for, or that is none")
                job.progress(done, total)
            elif isinstance(frame.message, Answered):
                answer = decode_answer(frame.body, job.request, allocations)
                if answer.last:
                    self.close()
                return answer
            elif isinstance(frame.message, Failed):
                raise decode_failure(frame.body)[0]
            else:
                raise BrokenPeer("it answered something else")

    def _receive(self, deadline: float | None, nonce: int, caller: Caller | None = None) -> Frame:
        """The next message, which has to be about the present launch; the process is ended at the deadline."""

        answers, waiting = self._channel.socket.fileno(), self._waiting

        def wait(begun: float | None) -> None:
            """Until something has come; what was printed before it is passed on."""
            last = min([end for end in (deadline, begun) if end is not None], default=float("inf"))
            ready = self._patience.look(lambda: waiting.poll(0))
            while not ready and (left := last - time.monotonic()) > 0:
                ready = waiting.poll(min(left, _LOOK) * 1e3)
                if not ready and taken(self._process.pid) > _MOST_MEMORY:
                    most = f"{_MOST_MEMORY / (1 << 30):.0f} GiB of memory, half of the host's"
                    raise BrokenPeer(f"it took more than {most}; its log is as long as MLUSIM_LOG_LIMIT allows")
            if len(ready) == 1 and ready[0][0] == answers and deadline is None:
                return  # nearly always
            if caller and any(source == caller.connection for source, _ in ready):
                raise CallerGone
            if begun is not None and not ready and time.monotonic() >= begun:
                raise BrokenPeer("it stopped in the middle of a message")
            if deadline is not None and time.monotonic() >= deadline:
                self._end_late()  # also one that prints all the time
            if any(source != answers for source, _ in ready):
                self._relay()

        wait(None)
        frame = self._channel.receive(wait)
        if frame.nonce != nonce:
            raise BrokenPeer("it answered a request that was not made")
        if deadline is not None and time.monotonic() >= deadline and not isinstance(frame.message, Answered):
            self._end_late()  # also one that talks all the time
            raise EOFError
        return frame

    def _end_late(self) -> None:
        self._late = True
        self._process.kill()

    def _relay(self) -> None:
        """Pass what kernels printed on to the user's standard output and standard error."""
        ready = dict(self._printed.poll(0))
        for output in self._outputs:
            if output.descriptor in ready:
                output.relay()

    @property
    def alive(self) -> bool:
        """Whether another launch can be sent: it runs, and has nothing to say."""
        begun = self._missing is not None
        return self._finalize.alive and (self._channel.quiet() if begun else self._process.poll() is None)

    def knows(self, memory: GlobalMemory) -> bool:
        """Whether a device's memory is attached."""
        return memory in self._attached

    def close(self) -> None:
        """End the process; a fork of the process that owns it only lets go of it."""
        self._finalize()


class _Pool:
    """The workers of a process: one for each launch that runs at the same time, kept for the next ones."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._all: weakref.WeakSet[Worker] = weakref.WeakSet()

    def launch(self, runtime: Path, job: Job) -> tuple[Log, list[Finding]]:
        """Run one launch, in a worker that knows the memory if there is one; see `Worker.launch`."""
        target = job.request.target
        modules = {home(target.shape.isa), *check_modules(target.checking.further)}
        with self._worker(runtime, modules, job.memory) as worker:
            return worker.launch(job)

    def describe(self, runtime: Path, library: Path, kernels: int, isa: str) -> Description:
        """What is in an image of a dialect, as a worker sees it."""
        with self._worker(runtime, {home(isa)}) as worker:
            return worker.describe(library, kernels)

    def missing(self, runtime: Path) -> dict[str, str]:
        """What the sandbox of the workers lacks on this host."""
        with self._worker(runtime) as worker:
            return worker.missing()

    def begin(self, runtime: Path, isa: str) -> None:
        """Start a worker for the next launch on a device of a dialect, unless one waits for it.

        This does not wait for the worker.
        """
        with self._lock:
            waiting = bool(self._idle)
        if not waiting:
            with self._worker(runtime, {home(isa)}):
                pass

    def let_go(self) -> None:
        """In a fork: close what leads to the workers, which go on for the process that started them."""
        for worker in list(self._all):
            worker.close()

    @contextlib.contextmanager
    def _worker(
        self, runtime: Path, modules: AbstractSet[str] = frozenset(), memory: GlobalMemory | None = None
    ) -> Iterator[Worker]:
        """A worker that has imported these modules, for this thread alone."""
        worker = self._take(modules, memory)
        if worker is None:
            worker = Worker(runtime, frozenset(modules))
            self._all.add(worker)
        try:
            yield worker
        finally:
            with self._lock:
                self._idle.append(worker)
                gone = [self._idle.pop(0)] if len(self._idle) > _IDLE else []
            for old in gone:
                old.close()

    def _take(self, modules: AbstractSet[str], memory: GlobalMemory | None) -> Worker | None:
        """One that waits and is as wanted, if there is one."""
        with self._lock:
            self._idle = [worker for worker in self._idle if worker.alive]
            fitting = [worker for worker in self._idle if modules <= worker.modules]
            found = max(fitting, key=lambda worker: memory is not None and worker.knows(memory), default=None)
            if found is not None:
                self._idle.remove(found)
            return found


@lru_cache(maxsize=1)
def pool(process: int) -> _Pool:
    """The pool of a process. A forked child gets its own, and lets go of its parent's workers."""
    del process
    made = _Pool()
    os.register_at_fork(after_in_child=made.let_go)
    return made
