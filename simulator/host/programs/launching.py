"""The kernels of a host program: images that it brings, and launches."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import accumulate
from typing import NamedTuple

from ...checks.after_run import examine
from ...engines.worker.pool import WorkerDied, pool
from ...engines.worker.request import LaunchRequest
from ...findings import Finding, rules
from ...flow import Accesses
from ...launches.device import Device
from ...log import Log
from ...native.build import tasks_runtime
from ...native.compiler import Compiler
from ...timing import replay
from .images import Images, ProgramImage
from .memories import Memories
from .messages import Done, Place, handles
from .queues import Queue, Work
from .report import Launched, Report
from .waiting import Later, Queues

_TYPES = {1: "block", 4: "union1", 8: "union2", 16: "union4", 32: "union8", 64: "union16"}
_FAILED, _NO_MODULE = 632015, 101315  # cnrtRet_t


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
    """Launch a kernel of an image, ``type`` being a cnrtFunctionType_t; the body are the arguments, of these sizes."""

    queue: int
    image: int
    kernel: int
    x: int
    y: int
    z: int
    type: int
    place: Place
    sizes: tuple[int, ...]


class Kernels:
    """The images of one program and what runs them."""

    def __init__(
        self, memories: Memories, queues: Queues, report: Report, later: Later, time_limit: float | None
    ) -> None:
        """``time_limit`` (seconds) is that of a launch."""
        self.keep_logs = False
        self._memories, self._queues, self._report, self._later = memories, queues, report, later
        self._time_limit = time_limit
        compiler = Compiler()
        self._runtime = tasks_runtime(compiler)
        with suppress(Exception):  # the first launch says what is wrong
            pool(os.getpid()).begin(self._runtime)  # while the program begins as well
        self._images = Images(compiler, self._runtime.parent.name)

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
        if queue.failure[0]:
            return
        device = self._memories.devices[queue.device]
        image, problem = self._images.on(device.shape, device.name, message.image)
        if image is None:
            queue.failure = _NO_MODULE, problem
            self._later.catch_up()
            self._report.add(rules.build.unusable(problem), place)
            return
        kernel, dim, sizes = image.kernels[message.kernel], (message.x, message.y, message.z), message.sizes
        kind = _TYPES.get(message.type, "")
        problem = image.misfit(message.kernel, device.shape, dim, kind, sizes)
        if problem:
            queue.failure = _FAILED, problem
            self._later.catch_up()
            self._report.add(rules.declared.misfit(problem, kernel), place)
            return
        arguments = tuple(bytes(body[end - size : end]) for size, end in zip(sizes, accumulate(sizes), strict=True))
        request = LaunchRequest(
            device.shape, device.name, device.checks, image.library, message.kernel, kernel, arguments, dim, kind,
            "collect", self._time_limit, level=device.level,
        )  # fmt: skip
        log, findings = self._run(device, request)
        self._later.catch_up()
        ending = next((finding for finding in findings if finding.rule in rules.ENDING), None)
        if ending:
            queue.failure = _FAILED, f"{kernel} did not come to its end: {ending.message}"
        self._later.put(partial(self._follow, image, request, device, queue, place, log, findings))

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
        if device.level == "all":
            findings = [*examine(log, findings, request.on_finding), *findings]
        timeline = replay(log, device.rates)
        touched = cache(Accesses(log).touched)  # asked for again by all work that it may meet
        what, where = f"the launch of {request.kernel}", self._report.location(place)
        work = Work(queue.number, 0, what, where, touched, queue.device)
        cores = min(math.prod(request.dim), device.shape.cores)
        met = self._queues.time.add(work, timeline.total_us, cores, device.shape.cores)
        for finding in findings:
            self._report.add(self._memories.arrays.after_free(finding, queue.device, self._report.location))
        self._queues.tell(work, met)
        self._report.launches.append(
            Launched(request.kernel, queue.number, queue.device, place, request.dim, request.type, work.start, work.end,
                     log if self.keep_logs else None)
        )  # fmt: skip

    def _run(self, device: Device, request: LaunchRequest) -> tuple[Log, list[Finding]]:
        try:
            return pool(os.getpid()).launch(self._runtime, device.memory, request, None, self._later.catch_up)
        except WorkerDied as death:
            return Log.empty(device.shape, device.name, request.launch), [rules.process.died(death, request.kernel)]
