"""Runs launches of thread blocks on the memory of one device: the Python side of native/threads/launch.cpp."""

from __future__ import annotations

import ctypes
import itertools
import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...checks.at_issue.checking import Checking
from ...chip import Shape
from ...core.execution import Launch
from ...core.memory import Memory
from ...findings import Collector, Squashed, rules
from ...log import Location
from ..engine import OnProgress, Outcome
from ..tasks.abi import load_runtime
from ..tasks.image import LoadedImage, load_image
from .abi import RANGE, GridLaunch, ModuleVariable, Runtime
from .faults import Faults
from .followed import followed
from .grid import Grid
from .initialized import note_accesses
from .lost import lost_stores
from .records import records

#: Calls of ``progress`` in a launch, at most.
_STEPS = 100


class SimtRunner:
    """Executes kernels of images. One process has one running at a time."""

    def __init__(self, shape: Shape, device: str, memory: Memory, runtime: Path, checking: Checking) -> None:
        self.shape, self.device, self.memory, self._checking = shape, device, memory, checking
        self._path, self._native, self._libc = runtime, load_runtime(runtime), ctypes.CDLL(None)

    def close(self) -> None:
        """Nothing is kept here: shared memory is that of an image."""

    def run(self, launch: Launch, progress: OnProgress | None = None) -> Outcome:
        """Carry out a launch."""
        self._native.mlusim_set_stack()
        image = load_image(self._path, launch.library)
        runtime, limits, grid = Runtime(image), self.shape.threads, Grid.of(launch)
        assert limits is not None
        padded = [value.ljust(-(-len(value) // 16) * 16, b"\0") for value in launch.arguments]
        values = ctypes.create_string_buffer(b"".join(padded), sum(map(len, padded)) + 16)
        places = [*itertools.accumulate(map(len, padded), initial=ctypes.addressof(values))]
        pointers = (ctypes.c_void_p * len(places))(*places)
        placed = {one.address for one in launch.placed}
        entries = (entry for entry in self.memory.allocations() if entry.start not in placed)
        arrays = np.array([(entry.start, entry.end) for entry in entries], RANGE[["start", "end"]])
        named = [ModuleVariable(one.key.encode(), one.address, one.functions) for one in launch.placed]
        variables = (ModuleVariable * len(placed))(*named)
        asked = GridLaunch(
            grid=grid.blocks, block=grid.threads, dynamic_bytes=grid.shared, static_limit=limits.static_shared,
            arrays=arrays.ctypes.data, array_count=len(arrays), image=(image.low, image.high),
            parameters=(places[0], places[-1]),
            collect=launch.on_finding == "collect", order=launch.order, exact=launch.exact,
            unchecked=not self._checking.of_rules, stored=launch.stored and self._checking.of_logs,
            focus=self.memory.base + launch.focus if launch.focus >= 0 else 0, poison=launch.poison,
            placed=ctypes.addressof(variables), placed_count=len(placed),
        )  # fmt: skip
        runtime.begin(ctypes.byref(asked), image.entry(launch.entry), pointers)
        total = math.prod(grid.blocks)
        step = -(-total // _STEPS) if progress else total
        self._native.mlusim_time_limit(launch.time_limit or 0.0)
        try:
            for first in range(0, total, step):
                if not runtime.run(first, min(first + step, total)):
                    break
                if progress:
                    progress(min(first + step, total), total)
        finally:
            self._native.mlusim_time_limit(0.0)
            self._libc.fflush(None)
        return self._result(image, runtime, launch, grid)

    def _result(self, image: LoadedImage, runtime: Runtime, launch: Launch, grid: Grid) -> Outcome:
        def locate(counters: list[int]) -> list[Location]:
            return [image.place(pc) for pc in counters]

        rows, declared = runtime.rows(), runtime.declared
        pieces = runtime.pieces() if launch.exact else None
        header = launch.header | {"shared": declared + grid.shared}
        if launch.focus >= 0:
            recorder = followed(runtime.events(), self.shape, self.memory)
        else:
            recorder = records(rows, self.shape, grid, declared, self.memory, pieces)
        log = recorder.finish(locate, self.shape, self.device, header)
        collector, faults = Collector(), Faults(runtime, self._native, self.memory, self.shape, grid, launch.time_limit)
        collector.begin(launch.kernel, launch.on_finding)
        for fault in runtime.faults():
            core = int(grid.cores(self.shape, np.array([fault.block]), declared)[0])
            collector.core, collector.task = core, int(fault.block)
            with suppress(Squashed):
                collector.report(
                    replace(faults.finding(fault, core), count=int(fault.count)), fault.pc, fault.related or None
                )
        for finding, pc in note_accesses(rows, pieces, self.memory) if launch.exact else ():
            collector.core = collector.task = -1
            with suppress(Squashed):
                collector.report(finding, pc)
        if launch.stored and not runtime.faults():
            for finding, pc in lost_stores(runtime.stored(), rows, locate):
                collector.leave_tasks()
                collector.report(finding, pc)
        if not len(rows) and not collector.has_error(besides=rules.not_modelled.NOT_MODELLED):
            collector.leave_tasks()
            collector.report(rules.empty.no_access(), 0)
        return log, collector.located(locate)
