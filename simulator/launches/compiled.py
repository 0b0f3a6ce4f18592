"""Source files, compiled for a device."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...isa import DIALECTS
from ..engines.worker.layers import confines_builds
from ..findings import ADVICE, BuildError, Finding, rules
from ..kernelc.build import Builder, Source
from ..kernelc.declared import declared_as
from ..kernelc.languages import language_class
from ..kernelc.options import Options
from ..spent import phase
from ..text import quoted
from .anew import BuiltAnew
from .budget import budget_of
from .device import Device
from .image import LaunchableImage

if TYPE_CHECKING:
    from .compiled_kernel import CompiledKernel
    from .structures import Structures

#: What stands for the arguments of a template in a list of kernels.
_ELLIPSIS = "<...>"
#: Frames from where a warning is given to who loads or launches.
_USER = 4


class CompiledSources:
    """Compiled kernels of one device, with what they take of its memories; `Program` launches them."""

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
            self._homes: dict[str, Source] = {}
            self._made: dict[str, CompiledKernel] = {}  # by `Program`, for its launches
            self._anew: dict[Path, BuiltAnew] = {}
            self._declared = {kernel.name: kernel for source in self._sources for kernel in source.declared}
            self._blocks = {kernel: name for source in self._sources for kernel, name in source.blocks.items()}
            homes = [(self._home(without_ellipsis(kernel)), kernel) for kernel in instances]
            homes += [(s, kernel) for s in self._sources if launched and s.templates for kernel in launched(s.path)]
            self._base = [self._compiled(s, *(kernel for home, kernel in homes if home is s)) for s in self._sources]
            for image in self._base:
                self._images.update(dict.fromkeys(image.kernels, image))
            #: What compiles and cannot work, as findings with their lines.
            self.warnings: list[Finding] = []
            for image in self._base:
                self._warn(image)
        self.budget = budget_of(device.shape, self._base)

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
        return {name: str(self._declared.get(self._base_name(name), blocks.get(name, name))) for name in self.kernels}

    @property
    def structs(self) -> Structures:
        """The structures of the sources: ``program.structs.Param(n=3)`` is an argument of a launch.

        Those that only a template uses are known when it has been launched.
        """
        from .structures import Structures  # few programs are asked for them

        images = dict.fromkeys([*self._base, *self._images.values()])
        return Structures(lambda: {n: s for image in images for n, s in image.layouts.structures.items()})

    def _image(self, kernel: str) -> LaunchableImage:
        if not isinstance(kernel, str):
            raise TypeError(f"kernel is {quoted(kernel)}; pass its name")
        home = self._home(kernel)
        if kernel not in self._images:
            self._images[kernel] = self._compiled(home, kernel)
            self._warn(self._images[kernel])
        return self._images[kernel]

    def _base_name(self, kernel: str) -> str:
        """The name of a kernel without the arguments of a template."""
        return declared_as(kernel, self._declared)

    def _home(self, kernel: str) -> Source:
        """The source that a kernel is in; ValueError for one of none or of several, and for a template's bare name."""
        if kernel not in self._homes:
            self._homes[kernel] = self._found(kernel)
        return self._homes[kernel]

    def _found(self, kernel: str) -> Source:
        base = self._base_name(kernel)
        homes = [s for s in self._sources if base in s.templates or kernel in s.kernels]
        if not homes:
            known = f"the kernels of this program are {', '.join(self.kernels)}"
            if not self.kernels:
                known = f"this program has none: mark them with {language_class(self._builder.dialect).kernel_mark}"
            raise ValueError(f"no kernel {quoted(kernel)}; {known}")
        if len(homes) > 1:
            where = " and in ".join(str(source.path) for source in homes)
            raise ValueError(f"kernel {base} is defined in {where}; load the one that you mean by itself")
        if kernel in homes[0].templates:
            from .deduction import example

            declared = self._declared[kernel]
            raise ValueError(f"{declared} is a template; name its arguments, as in {example(declared)}")
        return homes[0]

    def _compiled(self, source: Source, *kernels: str) -> LaunchableImage:
        """The image of a source, linked with the others as far as it needs them."""
        others = [other for other in self._sources if other is not source]
        return LaunchableImage(self._builder, self._builder.compile(source, kernels, others))

    def _built_anew(self, kernel: str) -> BuiltAnew:
        """What is built of a kernel's source for launches that are compared with themselves."""
        return self._anew_of(self._home(kernel))

    def _anew_of(self, source: Source) -> BuiltAnew:
        if source.path not in self._anew:
            others = [other for other in self._sources if other is not source]
            self._anew[source.path] = BuiltAnew(self._builder, source, others)
        return self._anew[source.path]

    def _warn(self, image: LaunchableImage) -> None:
        """Say once what compiles in an image and cannot work.

        Instructions that are unknown, but for functions of host libraries, local variables that are read unset, and
        macros that a source defines again.
        """
        dialect = DIALECTS[self.device.isa]
        said = {finding.instruction for finding in self.warnings}
        new = [
            replace(rules.not_modelled.unknown(name, dialect), location=place)
            for name, place in image.description.unknown
            if name not in said and name.startswith(dialect.prefix)
        ]
        unset = (
            replace(rules.uninitialized.local(name, sure), location=place)
            for name, sure, place in image.description.unset
        )
        macros = self._builder.macros
        redefined = (found for source in self._sources for found in source.redefined)
        again = (rules.build.redefined(name, macros[name] or "1", file, line) for name, file, line in redefined)
        new += [finding for finding in (*unset, *again) if finding not in self.warnings]
        self.warnings += new
        if new:
            lines = [f"{f.location}: {f.message}; {f.suggestion}" for f in new if f.severity != ADVICE]
            if lines:
                warnings.warn("\n".join(lines), RuntimeWarning, stacklevel=_USER)

    def _present(self, image: LaunchableImage) -> LaunchableImage:
        """The image, built again where the cache has lost it since."""
        if not os.path.isfile(self._runtime):
            self._runtime = self._builder.runtime()
        return image.present()


def without_ellipsis(kernel: str) -> str:
    """The name of a kernel, where it is given as `Program.kernels` lists a template."""
    return kernel.removesuffix(_ELLIPSIS) if isinstance(kernel, str) else kernel
