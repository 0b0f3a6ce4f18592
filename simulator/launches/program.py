"""Programs: kernel sources compiled for a device, and their launches."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...isa import DIALECTS
from ..engines.worker.layers import confines_builds
from ..findings import BuildError, Finding, rules
from ..kernelc.build import Builder, Source
from ..kernelc.options import Options
from ..spent import phase
from ..text import nearest, quoted
from .arguments import argument_list
from .budget import budget_of
from .compiled_kernel import CompiledKernel
from .deduction import example, instance
from .device import Device
from .extent import extent
from .image import LaunchableImage
from .launching import carry_out
from .options import LaunchOptions
from .repeats import Repeats, Splits
from .run import Run
from .structures import Structures

#: What stands for the arguments of a template in a list of kernels.
_ELLIPSIS = "<...>"
#: Frames from where a warning is given to who loads or launches.
_USER = 4


class Program:
    """Compiled kernels of one device."""

    def __init__(
        self, sources: Sequence[Path], options: Options, device: Device, instances: Sequence[str] = (),
        launched: Callable[[Path], Sequence[str]] | None = None,
    ) -> None:  # fmt: skip
        """``instances`` of templates are compiled along with the rest; ``launched`` says which a source launches."""
        self.device = device
        with phase("building"):
            self._builder = Builder(device.shape, options, confines_builds())
            self._runtime = self._builder.runtime()
            self._sources: list[Source] = [self._builder.read(path) for path in dict.fromkeys(sources)]
            if not self._sources:
                raise BuildError("no source was given; pass the path of at least one kernel source")
            self._images: dict[str, LaunchableImage] = {}
            self._declared = {kernel.name: kernel for source in self._sources for kernel in source.declared}
            self._blocks = {kernel: name for source in self._sources for kernel, name in source.blocks.items()}
            homes = [(self._home(_without_ellipsis(kernel)), kernel) for kernel in instances]
            homes += [(s, kernel) for s in self._sources if launched and s.templates for kernel in launched(s.path)]
            self._base = [self._compiled(s, *(kernel for home, kernel in homes if home is s)) for s in self._sources]
            for image in self._base:
                self._images.update(dict.fromkeys(image.kernels, image))
            #: What compiles and cannot work, as findings with their lines.
            self.warnings: list[Finding] = []
            for image in self._base:
                self._warn(image)
        self.budget = budget_of(device, self._base)

    def __repr__(self) -> str:
        return f"<Program for {self.device.name}: {', '.join(self.kernels) or 'no kernels'}>"

    @property
    def kernels(self) -> list[str]:
        """Names that `launch` takes; templates are shown with ``<...>``."""
        names = (
            name
            for source in self._sources
            for name in [*source.kernels, *(template + _ELLIPSIS for template in source.templates)]
        )
        return list(dict.fromkeys(names))

    @property
    def instances(self) -> list[str]:
        """The instances of templates that have been compiled, by their full names."""
        return [name for name in self._images if "<" in name]

    @property
    def signatures(self) -> dict[str, str]:
        """The kernels with their parameters, as the sources write them; of those that take a block, its structure."""
        blocks = {name: f"{name}(const {structure} *)" for name, structure in self._blocks.items()}
        return {name: str(self._declared.get(name.partition("<")[0], blocks.get(name, name))) for name in self.kernels}

    @property
    def structs(self) -> Structures:
        """The structures of the sources: ``program.structs.Param(n=3)`` is an argument of a launch.

        Those that only a template uses are known when it has been launched.
        """
        images = dict.fromkeys([*self._base, *self._images.values()])
        return Structures(lambda: {n: s for image in images for n, s in image.layouts.structures.items()})

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
        orders: int = 0,
        resplit: Splits = (),
        smaller: bool = False,
        expect: Mapping[str | int, Any] | None = None,
        tolerance: float | None = None,
    ) -> Run:
        """Run a kernel.

        ``kernel`` is its C++ name; template arguments that the arguments tell may be left out. ``args`` are in the
        order of the parameters, or a mapping from their names: numbers, ndarrays (copied to the device and, when the
        kernel is done, back), device arrays, addresses, None (null), names of an enumeration, structures (a mapping,
        a value of `structs`, bytes or a ctypes structure); a kernel that takes one structure may be given it alone, and
        one that takes a pointer to all of its arguments the members of theirs by name (members left out are zero).
        Arrays that share memory on the host share it on the device; a launch that raises changes none of them.
        ``dim`` and ``type`` default to what the dialect's kernels expect: one Block task, or one task for every core
        of a TPU. A CUDA kernel needs ``block`` too: it runs on a grid of ``dim`` blocks of ``block`` threads, either of
        them x, (x, y) or (x, y, z), with ``shared`` bytes of dynamic shared memory a block. ``time_limit`` (seconds)
        ends a kernel that does not. ``isolate=False`` runs the kernel in this process, for a debugger; a crash then is
        a crash. ``orders`` runs the kernel as many times more, in other orders of its tasks, and reports arrays that
        end up otherwise. ``resplit`` runs it with other numbers of tasks (``(1, 3, (8, "union2"))``, or "few") and
        ``smaller`` with smaller counts; elements that both runs write have to agree within rounding. ``expect`` says,
        by the names or numbers of parameters, what arrays hold when all is right, and ``tolerance`` how far they may be
        from it (relative; by default floats may lose half of their digits, and integers nothing; what a masked array
        masks may be anything): what is wrong is a finding that tells how it came about. An error finding raises
        KernelError;
        ``on_finding="collect"`` goes on where it can. Raises ValueError or TypeError for wrong arguments, before
        anything runs.
        """
        repeats = Repeats(orders, resplit, smaller)
        options = LaunchOptions(on_finding, time_limit, isolate, progress, repeats, expect, tolerance)
        kernel = _without_ellipsis(kernel)
        size = extent(self.device, dim, type, block, shared)
        values = self._in_order(kernel, args)
        name = self._instance(kernel, values)
        image, declared = self._present(self._image(name)), self._declared.get(name.partition("<")[0])
        return carry_out(
            self.device, CompiledKernel(name, declared, image, self.device, self._runtime), values, size, options
        )

    def _in_order(self, kernel: str, args: Any) -> Sequence[Any]:
        """The arguments of a launch in the order of the parameters; TypeError for names that are not theirs."""
        if not isinstance(args, Mapping):
            return argument_list(args)
        if isinstance(kernel, str) and kernel in self._blocks:
            return [self.structs[self._blocks[kernel]](**args)]
        declared = self._declared.get(kernel.partition("<")[0]) if isinstance(kernel, str) else None
        if declared is None:
            self._image(kernel)  # where there is no such kernel, that is what is wrong
            raise TypeError(
                f"{quoted(kernel)} does not say as which structure it reads its arguments; pass one by its name, as in "
                "program.structs.args_t(n=3)"
            )
        names = [parameter.name for parameter in declared.parameters]
        for name in args:
            if name not in names:
                raise TypeError(f"no parameter {quoted(name)}{nearest(str(name), names)}; the kernel is {declared}")
        if missing := [name for name in names if name not in args]:
            raise TypeError(f"no value for {' and '.join(missing)}; the kernel is {declared}")
        return [args[name] for name in names]

    def _instance(self, kernel: str, values: Sequence[Any]) -> str:
        """The name of the kernel with all template arguments."""
        if not isinstance(kernel, str) or kernel in self._images:
            return kernel
        declared = self._declared.get(kernel.partition("<")[0])
        return kernel if declared is None or not declared.template else instance(declared, kernel, values)

    def _image(self, kernel: str) -> LaunchableImage:
        if not isinstance(kernel, str):
            raise TypeError(f"kernel is {quoted(kernel)}; pass its name")
        home = self._home(kernel)
        if kernel not in self._images:
            self._images[kernel] = self._compiled(home, kernel)
            self._warn(self._images[kernel])
        return self._images[kernel]

    def _home(self, kernel: str) -> Source:
        """The source that a kernel is in; ValueError for one of none or of several, and for a template's bare name."""
        base = kernel.partition("<")[0]
        homes = [s for s in self._sources if base in s.templates or kernel in s.kernels]
        if not homes:
            listed = ", ".join(self.kernels) or "none"
            raise ValueError(f"no kernel {quoted(kernel)}; the kernels of this program are {listed}")
        if len(homes) > 1:
            where = " and in ".join(str(source.path) for source in homes)
            raise ValueError(f"kernel {base} is defined in {where}; load the one that you mean by itself")
        if kernel in homes[0].templates:
            declared = self._declared[kernel]
            raise ValueError(f"{declared} is a template; name its arguments, as in {example(declared)}")
        return homes[0]

    def _compiled(self, source: Source, *kernels: str) -> LaunchableImage:
        """The image of a source, linked with the others as far as it needs them."""
        others = [other for other in self._sources if other is not source]
        return LaunchableImage(self._builder, self._builder.compile(source, kernels, others))

    def _warn(self, image: LaunchableImage) -> None:
        """Say which instructions of an image nobody knows, once each; functions of host libraries are none."""
        dialect = DIALECTS[self.device.isa]
        said = {finding.instruction for finding in self.warnings}
        new = [
            replace(rules.not_modelled.unknown(name, dialect), location=place)
            for name, place in image.description.unknown
            if name not in said and name.startswith(dialect.prefix)
        ]
        self.warnings += new
        if new:
            lines = (f"{finding.location}: {finding.message}; {finding.suggestion}" for finding in new)
            warnings.warn("\n".join(lines), RuntimeWarning, stacklevel=_USER)

    def _present(self, image: LaunchableImage) -> LaunchableImage:
        """The image, built again where the cache has lost it since."""
        if not os.path.isfile(self._runtime):
            self._runtime = self._builder.runtime()
        return image.present()


def _without_ellipsis(kernel: str) -> str:
    """The name of a kernel, where it is given as `Program.kernels` lists a template."""
    return kernel.removesuffix(_ELLIPSIS) if isinstance(kernel, str) else kernel


def checked_instances(instances: Any) -> list[str]:
    """A list of names; TypeError for anything else."""
    if isinstance(instances, (str, bytes)) or not isinstance(instances, Iterable):
        raise TypeError(f"instances is {quoted(instances)}; pass a list of names, such as ['fill<float, 64>']")
    names = list(instances)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{quoted(name)} among instances is no name of a kernel")
    return names


def checked_paths(what: str, paths: Any) -> list[Path]:
    """A list of paths; TypeError or ValueError for anything else."""
    if isinstance(paths, (str, bytes, os.PathLike)) or not isinstance(paths, Iterable):
        raise TypeError(f"{what} is {quoted(paths)}; pass a list of paths, such as ['scale.mlu']")
    found = []
    for path in paths:
        if not isinstance(path, (str, os.PathLike)) or isinstance(text := os.fspath(path), bytes):
            raise TypeError(f"{quoted(path)} among {what} is no path; pass strings or Paths")
        if "\0" in text or not text:
            raise ValueError(f"{quoted(text)} among {what} is no path of a file")
        found.append(Path(text))
    return found
