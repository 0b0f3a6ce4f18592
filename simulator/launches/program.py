"""Programs: kernel sources compiled for a device, and their launches."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...isa import DIALECTS
from ..device import Device
from ..findings import BuildError, Finding, budget_finding, rules
from ..frontend.build import Builder, Image, Source
from ..log import Log
from ..memory import Variable
from ..native import load_image
from ..worker.pool import WorkerDied, pool
from ..worker.process import execute, local_host
from ..worker.request import LaunchRequest
from .arguments import LaunchArguments, parse_signature
from .copies import ArrayCopies
from .defaults import check_on_finding, launch_shape, raise_on_error, thread_grid
from .run import Run


@dataclass(frozen=True)
class SpaceBudget:
    """Bytes that the variables of a program declare in one on-chip space, and how many the space has.

    Kernels leave the last ``reserved`` bytes to the vendor's compiler by convention.
    """

    space: str
    declared: int
    limit: int
    reserved: int = 0


def load(sources: Sequence[str | Path], include: Sequence[str | Path] = (), *, device: Device) -> Program:
    """Compile kernel sources for a device; nothing runs yet.

    Raises BuildError (`.finding` has file and line) when a source does not compile or its on-chip variables
    do not fit. Builds are cached by content.
    """
    if isinstance(sources, (str, Path)):
        raise TypeError(f"sources is {sources!r}; pass a list of paths, such as [{str(sources)!r}]")
    return Program([Path(source) for source in sources], include, device)


class Program:
    """Compiled kernels of one device."""

    def __init__(self, sources: Sequence[Path], include: Sequence[str | Path], device: Device) -> None:
        self.device = device
        self._builder = Builder(device.shape, include)
        self._runtime = self._builder.compiler.runtime()
        self._sources: list[Source] = [self._builder.read(path) for path in sources]
        if not self._sources:
            raise BuildError("no source was given; pass the path of at least one kernel source")
        self._images: dict[str, Image] = {}
        self._base = [self._builder.compile(source, ()) for source in self._sources]
        for image in self._base:
            self._images.update(dict.fromkeys(image.kernels, image))
        self.budget = self._budget()

    @property
    def kernels(self) -> list[str]:
        """Names that `launch` takes; templates are shown with ``<...>``."""
        return [
            name
            for source in self._sources
            for name in [*source.kernels, *(f"{template}<...>" for template in source.templates)]
        ]

    def launch(
        self,
        kernel: str,
        dim: int | Sequence[int] | None = None,
        type: str | None = None,
        args: Any = (),
        *,
        block: int | Sequence[int] | None = None,
        shared: int = 0,
        on_finding: str = "raise",
        time_limit: float | None = None,
        isolate: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> Run:
        """Run a kernel.

        ``kernel`` is its C++ name, with template arguments where it is a template. ``args`` are numbers, ndarrays
        (copied to the device and, when the kernel is done, back), device arrays, addresses, None (null) or bytes
        (structures); a kernel that takes one structure may be given it alone, as bytes or a ctypes structure.
        ``dim`` and ``type`` default to what the dialect's kernels expect: one Block task, or one task for every core
        of a TPU. A CUDA kernel needs ``block`` too: it runs on a grid of ``dim`` blocks of ``block`` threads, either of
        them x, (x, y) or (x, y, z), with ``shared`` bytes of dynamic shared memory a block. ``time_limit`` (seconds)
        ends a kernel that does not. ``isolate=False`` runs the kernel in this process, for a debugger; a crash then is
        a crash. An error finding raises KernelError;
        ``on_finding="collect"`` goes on where it can. Raises ValueError or TypeError for wrong arguments, before
        anything runs.
        """
        check_on_finding(on_finding)
        if time_limit is not None and not time_limit > 0:
            raise ValueError(f"time_limit is {time_limit!r} seconds; pass a number above 0, or None")
        if time_limit is not None and not isolate:
            raise ValueError("time_limit needs a process of its own; leave out time_limit or isolate=False")
        grid = thread_grid(self.device, dim, type, block, shared)
        size, kind = (grid.blocks, "grid") if grid else launch_shape(self.device, dim, type)
        image = self._image(kernel)
        values = args if isinstance(args, (list, tuple)) else [args]
        number = image.kernels.index(kernel)
        signature = load_image(self._runtime, image.library).signature(number)
        copies = ArrayCopies(self.device.memory)
        try:
            arguments = LaunchArguments(kernel, parse_signature(signature), values, copies)
            request = LaunchRequest(
                self.device.shape, self.device.name, self.device.checks, image.library, number, kernel,
                tuple(arguments.bytes), size, kind, on_finding, time_limit, grid,
            )  # fmt: skip
            log, findings = self._execute(request, isolate, progress)
            copies.finish(copy_back=True)
        finally:
            copies.finish(copy_back=False)
        return raise_on_error(Run(findings, log, self.device.rates), on_finding)

    def _execute(
        self, request: LaunchRequest, isolate: bool, progress: Callable[[int, int], None] | None
    ) -> tuple[Log, list[Finding]]:
        memory, runtime = self.device.memory, self._runtime
        if not isolate:
            return execute(local_host(runtime), memory.memory, request, progress)
        try:
            return pool(os.getpid()).launch(runtime, memory, request, progress)
        except WorkerDied as death:
            finding = Finding(
                rules.CRASH, f"the process that ran the kernel ended ({death})", kernel=request.kernel,
                suggestion="run it with isolate=False under a debugger",
            )  # fmt: skip
            return Log.empty(self.device.shape, self.device.name, request.launch), [finding]

    def _image(self, kernel: str) -> Image:
        if kernel in self._images:
            return self._images[kernel]
        base = kernel.partition("<")[0]
        for source in self._sources:
            if base in source.templates and kernel == base:
                raise ValueError(f"{kernel} is a template; name its arguments, as in {kernel}<float>")
            if base in source.templates:
                image = self._builder.compile(source, [kernel])
                self._images[kernel] = image
                return image
        listed = ", ".join(self.kernels) or "none"
        raise ValueError(f"no kernel {kernel!r}; the kernels of this program are {listed}")

    def _budget(self) -> dict[str, SpaceBudget]:
        """Declared bytes per on-chip space; over budget is a BuildError."""
        found = {}
        variables = [variable for image in self._base for variable in declared_variables(self._builder, image)]
        for name, space in self.device.shape.spaces.items():
            if DIALECTS[self.device.isa].spaces[name].variables:
                mine = [variable for variable in variables if variable.space == name]
                declared = sum(variable.size for variable in mine)
                found[name] = SpaceBudget(name, declared, space.budget, space.reserved)
                if declared > space.budget:
                    largest = max(mine, key=lambda variable: variable.size)
                    finding = replace(
                        budget_finding(name, declared, space.bytes, largest.name),
                        location=largest.location,
                    )
                    raise BuildError(str(finding), finding)
        return found


def declared_variables(builder: Builder, image: Image) -> tuple[Variable, ...]:
    """The file-scope on-chip variables of an image."""
    try:
        return load_image(builder.compiler.runtime(), image.library).variables
    except OSError as error:
        # The loader names a variable that is declared extern and defined nowhere.
        problem = str(error).removeprefix(f"{image.library}: ")
        raise BuildError(
            f"{image.library.stem} cannot be loaded: {problem}; define what it names in the same source, or include it"
        ) from None
