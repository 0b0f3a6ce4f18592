"""The kernels of a host program: images that it brings, and launches."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from ...chip.launch_kinds import BLOCK, CORES, GRID, UNIONS, LaunchKind, ThreadGrid
from ...core.execution import Launch, log_limit
from ...engines.engine import Outcome
from ...engines.worker.isolated import IsolatedEngine
from ...engines.worker.pool import Caller, CallerGone, pool
from ...findings import Finding, rules
from ...launches.compiled_kernel import target_of
from ...launches.device import Device
from ...launches.host_memory import one_for_freed
from ...launches.launching import examined
from ...launches.repeats import NONE
from ...launches.run import Run
from ...launches.watchers import watchers
from ...log import Location, Log
from ...native.build import tasks_runtime
from ...native.compiler import Compiler
from ...spent import current, phase
from .images import Built, Images, ProgramImage
from .known import Followed, Known, followed
from .memories import Memories
from .messages import Done, Place, handles
from .queues import Queue, Work
from .report import CutOff, Launched, ProgramReport
from .sdk import SDKS, FailureStatuses
from .waiting import Later, Queues

#: Values of cnrtFunctionType_t, 0 for a kernel that host code launches by its name on several cores, 2 for a grid.
_KINDS: dict[int, LaunchKind] = {0: CORES, 1: BLOCK, 2: GRID, **{4 * kind.clusters: kind for kind in UNIONS}}


class AnnounceImage(NamedTuple):
    """The program has an image; the body is its digest, a line, and what is said of it."""

    image: int


class ImageAnnounced(NamedTuple):
    """Whether the bytes of an image are wanted."""

    wanted: bool


class BringImage(NamedTuple):
    """The body is an image that has been announced."""

    image: int


class LaunchKernel(NamedTuple):
    """Launch a kernel of an image, ``type`` being a key of `_KINDS`; the body are the arguments, of these sizes.

    ``block`` and ``shared`` are of a grid: threads of a block, and bytes of shared memory besides its own.
    """

    queue: int
    image: int
    kernel: int
    x: int
    y: int
    z: int
    type: int
    block_x: int
    block_y: int
    block_z: int
    shared: int
    place: Place
    sizes: tuple[int, ...]


class Kernels:
    """The images of one program and what runs them."""

    def __init__(
        self, memories: Memories, queues: Queues, report: ProgramReport, later: Later, connection: int,
        time_limit: float | None,
    ) -> None:  # fmt: skip
        """``connection`` is the descriptor that leads to the program, ``time_limit`` (seconds) that of a launch."""
        self.keep_logs, self.repeats = False, NONE
        self._memories, self._queues, self._report, self._later = memories, queues, report, later
        self._profiled, self._time_limit, self._log_limit = current() is not None, time_limit, log_limit()
        # two things at a time have no profile
        self._caller = Caller(connection, (lambda: None) if self._profiled else later.catch_up)
        compiler = Compiler()
        self._runtime = tasks_runtime(compiler)
        with suppress(Exception):  # the first launch says what is wrong
            pool(os.getpid()).begin(self._runtime, memories.devices[0].isa)  # while the program begins as well
        self._images, self._known = Images(compiler, self._runtime.parent.name), Known()

    @handles
    def _announce(self, message: AnnounceImage, body: memoryview) -> ImageAnnounced:
        said = bytes(body).decode(errors="replace")
        return ImageAnnounced(not self._images.announce(message.image, said))

    @handles
    def _bring(self, message: BringImage, body: memoryview) -> Done:
        self._images.bring(message.image, bytes(body))
        return Done()

    @handles
    def _launch(self, message: LaunchKernel, body: memoryview) -> None:
        queue, place = self._queues.time.queue(message.queue), message.place
        if queue.failure[0] or self._report.cut_off:  # the program has gone: what it has queued goes with it
            return
        device = self._memories.devices[queue.device]
        failures = SDKS[device.isa].failures
        image, problem = self._images.on(device.shape, device.name, message.image)
        if image is None:
            queue.failure = failures.module, problem
            self._later.catch_up()
            self._report.add(rules.build.unusable(problem), place)
            return
        kernel, dim, sizes = image.kernels[message.kernel], (message.x, message.y, message.z), message.sizes
        kind = _KINDS.get(message.type)
        if isinstance(kind, ThreadGrid):
            kind = ThreadGrid(kind.name, (message.block_x, message.block_y, message.block_z), message.shared)
        problem = image.misfit(message.kernel, device.shape, dim, kind, sizes)
        if kind is None or problem:
            queue.failure = failures.ended, problem
            self._later.catch_up()
            self._report.add(rules.declared.misfit(problem, kernel), place)
            return
        arguments = tuple(bytes(body[end - size : end]) for size, end in zip(sizes, accumulate(sizes), strict=True))
        launch = Launch(
            kernel, dim, kind, "collect", self._time_limit, log_limit=self._log_limit,
            library=image.library, entry=message.kernel, arguments=arguments, profiled=self._profiled,
            each=kind is CORES and sizes == (math.prod(dim) * image.blocks[message.kernel],),
            placed=self._memories.arrays.variables(queue.device), exact=kind.transactions,
        )  # fmt: skip
        try:
            outcome, told = self._carried_out(image, device, launch, queue.device)
        except CallerGone:
            self._report.cut_off = CutOff(kernel, place)
            return
        self._later.catch_up()
        queue.failure = _failure(kernel, outcome, failures)
        self._later.put(partial(self._follow, launch, told, queue, place))

    def _carried_out(
        self, image: ProgramImage, device: Device, launch: Launch, ordinal: int
    ) -> tuple[Outcome, Callable[[], Followed]]:
        """What a launch has given, and what says what follows from it; `CallerGone` when the program has ended."""
        engine = IsolatedEngine(self._runtime, device.memory, target_of(device), self._caller)

        def run(own: Launch) -> Outcome:
            with phase("process of the kernel"):
                return engine.run(own)

        def located(given: Outcome, built: Built = image) -> Outcome:
            with phase("source lines"):
                return built.lines.located(*given)

        def checked(own: Launch, log: Log, findings: list[Finding]) -> Outcome:
            with phase("checks of the log"):
                return log, examined(device.checking, own, log, findings)

        def timed(log: Log, findings: list[Finding]) -> Followed:
            return followed(log, findings, Run(findings, log, device.rates).time_us)

        if repeats := self.repeats or watchers(os.getpid()).repeats():
            from .repeating import repeated  # most programs need not wait for it

            done = repeated(device, launch, image, repeats, lambda own, built: checked(own, *located(run(own), built)))
            self._report.tried[launch.kernel] = done.tried
            return done.outcome, partial(timed, *done.told())
        outcome = run(launch)
        which, follow = (ordinal, launch.library, launch.entry), lambda *own: timed(*checked(launch, *own))
        return outcome, partial(self._known.followed, which, partial(located, outcome), follow)

    def _follow(self, launch: Launch, told: Callable[[], Followed], queue: Queue, place: Place) -> None:
        """What follows from a launch that has run: its findings, when it ran, and what it is not ordered with."""
        (log, findings, time_us, touched), device = told(), self._memories.devices[queue.device]
        what, where = f"the launch of {launch.kernel}", self._report.location(place)
        work = Work(queue.number, 0, what, where, touched, queue.device)
        cores = min(math.prod(launch.dim), device.shape.cores)
        with phase("order of queues"):
            met = self._queues.time.add(work, time_us, cores, device.shape.cores)
        explained = [self._explained(finding, launch, queue, where) for finding in findings]
        for finding in one_for_freed(explained):
            self._report.add(finding)
        self._queues.tell(work, met)
        self._report.launches.append(
            Launched(launch.kernel, queue.number, queue.device, place, launch.dim, launch.kind.name, work.start,
                     work.end, log if self.keep_logs else None, bool(log.left_out))
        )  # fmt: skip

    def _explained(self, finding: Finding, launch: Launch, queue: Queue, where: Location) -> Finding:
        """A finding with what host code has to do with it, which launched the kernel ``where``."""
        if rules.bounds.is_outside_memory(finding):
            space = self._memories.devices[queue.device].memory.memory.space.name
            if not rules.bounds.may_be_for(finding, space):  # no host code gives memory of the chip
                return replace(finding, related=where)
            return rules.host_code.no_device_memory(finding, where)
        if finding.rule == rules.uninitialized.UNINITIALIZED and not launch.kind.transactions:
            for number, name, made in self._memories.arrays.unwritten(launch.arguments):
                return rules.host_code.never_written(finding, number, name, self._report.location(made))
        return self._memories.arrays.sourced(finding, queue.device, self._report.location)


def _failure(kernel: str, outcome: Outcome, statuses: FailureStatuses) -> tuple[int, str]:
    """The status of a queue that has run a kernel, and why it has failed; a card ends one that leaves all memory."""
    for finding in outcome[1]:
        if finding.rule in rules.ENDING:
            status = statuses.asserted if finding.rule == rules.assertion.ASSERT else statuses.ended
            return status, f"{kernel} did not come to its end: {finding.message}"
    outside = next((finding for finding in outcome[1] if rules.bounds.is_outside_memory(finding)), None)
    return (statuses.outside, f"{kernel} failed: {outside.message}") if outside else (0, "")
