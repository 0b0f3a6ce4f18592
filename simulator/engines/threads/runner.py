"""Runs launches of thread blocks on the memory of one device: the Python side of native/threads/simt_rt.cpp."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...chip import Shape
from ...chip.launch_kinds import GRID
from ...core.memory import Memory
from ...findings import Collector, Finding, Squashed, rules
from ...log import Location, Log
from ..tasks import LoadedImage, load_image, load_runtime
from .abi import RANGE, Launch, Runtime
from .faults import Faults
from .grid import Grid
from .records import records

#: Calls of ``progress`` in a launch, at most.
_STEPS = 100


class SimtRunner:
    """Executes kernels of images. One process has one running at a time."""

    def __init__(self, shape: Shape, device: str, memory: Memory, runtime: Path) -> None:
        self.shape, self.device, self.memory = shape, device, memory
        self._path, self._native, self._libc = runtime, load_runtime(runtime), ctypes.CDLL(None)

    def close(self) -> None:
        """Nothing is kept here: shared memory is that of an image."""

    def run(
        self,
        library: Path,
        entry: int,
        kernel: str,
        arguments: Sequence[bytes],
        grid: Grid,
        *,
        on_finding: str,
        time_limit: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[Log, list[Finding]]:
        """Launch the kernel with the number ``entry`` in its image; ``arguments`` are the bytes of its parameters.

        Lines are places in the image, see `LineTable`.
        """
        self._native.mlusim_set_stack()
        image = load_image(self._path, library)
        runtime, limits = Runtime(image), self.shape.threads
        assert limits is not None
        values = [ctypes.create_string_buffer(value, max(len(value), 16)) for value in arguments]
        pointers = (ctypes.c_void_p * max(len(values), 1))(*(ctypes.addressof(value) for value in values))
        arrays = np.array([(entry.start, entry.end) for entry in self.memory.allocations()], RANGE[["start", "end"]])
        launch = Launch(
            grid=grid.blocks, block=grid.threads, dynamic_bytes=grid.shared, static_limit=limits.static_shared,
            arrays=arrays.ctypes.data, array_count=len(arrays), image=(image.low, image.high),
            collect=on_finding == "collect",
        )  # fmt: skip
        runtime.begin(ctypes.byref(launch), image.entry(entry), pointers)
        total = grid.blocks[0] * grid.blocks[1] * grid.blocks[2]
        step = -(-total // _STEPS) if progress else total
        self._native.mlusim_time_limit(time_limit or 0.0)
        try:
            for first in range(0, total, step):
                if not runtime.run(first, min(first + step, total)):
                    break
                if progress:
                    progress(min(first + step, total), total)
        finally:
            self._native.mlusim_time_limit(0.0)
            self._libc.fflush(None)
        return self._result(image, runtime, kernel, grid, on_finding, time_limit)

    def _result(
        self, image: LoadedImage, runtime: Runtime, kernel: str, grid: Grid, on_finding: str, limit: float | None
    ) -> tuple[Log, list[Finding]]:
        def locate(counters: list[int]) -> list[Location]:
            return [image.place(pc) for pc in counters]

        rows, declared = runtime.rows(), runtime.declared
        launch = {
            "kernel": kernel, "dim": list(grid.blocks), "type": GRID.name, "block": list(grid.threads),
            "shared": declared + grid.shared,
        }  # fmt: skip
        recorder = records(rows, self.shape, grid, declared, self.memory)
        log = recorder.finish(locate, self.shape, self.device, launch)
        collector, faults = Collector(), Faults(runtime, self._native, self.memory, self.shape, grid, limit)
        collector.begin(kernel, on_finding)
        for fault in runtime.faults():
            core = int(grid.cores(self.shape, np.array([fault.block]), declared)[0])
            collector.core, collector.task = core, int(fault.block)
            with suppress(Squashed):
                collector.report(
                    replace(faults.finding(fault, core), count=int(fault.count)), fault.pc, fault.related or None
                )
        if not len(rows) and not collector.has_error(besides=rules.NOT_MODELLED):
            collector.core = collector.task = -1
            advice = "see whether its threads return early, or a condition of the preprocessor leaves its body out"
            message = "the launch accessed no memory; its time is its overhead alone"
            collector.report(Finding(rules.EMPTY, message, suggestion=advice), 0)
        return log, collector.located(locate)
