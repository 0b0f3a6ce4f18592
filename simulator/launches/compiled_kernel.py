"""Kernels of programs, as they are launched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from ..checks.results import TileSize
from ..core.execution import Launch
from ..engines.engine import LaunchEngine, Outcome
from ..engines.tasks.layouts import PointerType, Scalar, Structure, Type
from ..engines.worker.isolated import IsolatedEngine, LocalEngine
from ..engines.worker.request import LaunchTarget
from ..findings import Finding
from ..kernelc.declared import KernelDecl
from ..spent import current, phase
from .anew import BuiltAnew, BuiltReference
from .arguments import FLOATS, LaunchArguments, Signature, arrays_among, parse_signature
from .copies import ArrayCopies
from .device import Device
from .image import LaunchableImage
from .launching import Named
from .options import LaunchOptions
from .repeats import whole
from .structures import StructureValue, members_of, with_member

#: Whole numbers below this are floating-point numbers as well.
_EXACT = 1 << 53


def target_of(device: Device) -> LaunchTarget:
    """What the process that runs kernels has to know of a device."""
    return LaunchTarget(device.shape, device.name, device.checking)


def _exact(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number that is a floating-point number as well."""
    return whole(value) and abs(value) < _EXACT


def _with_floats(kind: Type | None, value: Any) -> Any:
    """A structure, or a mapping for one, whose floating-point members hold such numbers; anything else as it is."""
    target = kind.target() if isinstance(kind, PointerType) else kind
    members = members_of(value)
    for field in target.fields if isinstance(target, Structure) else ():
        given = members.get(field.name)
        if isinstance(field.type, Scalar) and field.type.code in FLOATS and _exact(given):
            value = with_member(value, field.name, float(given))
    return value


class CompiledKernel:
    """A kernel of an image, on a device."""

    unbuilt = ""

    def __init__(
        self, name: str, declared: KernelDecl | None, image: LaunchableImage, device: Device, runtime: Path,
        anew: BuiltAnew | None = None,
    ) -> None:  # fmt: skip
        """``anew`` builds images of the same source in smaller tiles, and one with other bytes in its locals."""
        self._anew = anew
        self.name, self._declared, self.image, self._device, self.runtime = name, declared, image, device, runtime
        self._number = number = image.kernels.index(name)
        parameters = parse_signature(image.description.signatures[number])
        self._signature = Signature(
            name, parameters, declared, lambda: image.layouts.parameters(number), lambda: image.layouts.enumerators
        )
        self._floats = [at for at, one in enumerate(parameters) if one.code in FLOATS and not one.pointer]
        named = declared.parameters if declared else ()
        self._parameters = [Named(p.name, "const" in p.text.partition("*")[0].split(), True) for p in named]

    def parameters(self) -> Sequence[Named]:
        """The parameters as its source has them."""
        return self._parameters

    def typed(self, values: Sequence[Any]) -> Sequence[Any]:
        """The arguments; a whole number that a floating-point parameter or member takes is such a number."""
        return [self._typed(at, value) for at, value in enumerate(values)]

    def _typed(self, at: int, value: Any) -> Any:
        if isinstance(value, StructureValue):
            return _with_floats(value.kind.layout, value)
        if isinstance(value, Mapping):
            return _with_floats(self._signature.type(at), value)
        return float(value) if at in self._floats and _exact(value) else value

    def arrays(self, values: Sequence[Any]) -> list[tuple[str, np.ndarray]]:
        """The arrays among the arguments, also inside of structures."""
        return arrays_among(values)

    def in_tiles(self) -> Iterator[tuple[TileSize, CompiledKernel]]:
        """The same kernel in smaller tiles."""
        for tile, image in self._anew.in_tiles(self.name) if self._anew else ():
            yield tile, self._of(image)

    def sizes(self) -> frozenset[int]:
        """The whole numbers that its source defines, or makes it with."""
        return self._anew.sizes(self.name) if self._anew else frozenset()

    def poisoned(self) -> CompiledKernel | None:
        """The same kernel with other bytes in local variables that nothing sets; None if it has none."""
        image = self._anew.poisoned(self.name) if self._anew else None
        return self._of(image) if image else None

    def may_leave(self, member: str) -> bool:
        """Whether it does not name a member of a structure that other kernels of its source take, too."""
        return self._anew is not None and self.lacks(member) and self._anew.shares_structure(self.name)

    def lacks(self, word: str) -> bool:
        """Whether its body is known, and does not have a word."""
        return self._anew is not None and self._anew.lacks(self.name, word)

    def suspicious(self) -> Sequence[Finding]:
        """What of its scalar code, and of functions of its source that it calls, cannot be meant."""
        return self._anew.suspicious(self.name) if self._anew else ()

    def references(self, values: Sequence[Any]) -> Iterator[tuple[BuiltReference, CompiledKernel]]:
        """The functions of its source that may compute the same of these arguments, as kernels."""
        for one in self._anew.references(self.name, values) if self._anew else ():
            yield one, CompiledKernel(one.name, one.declared, one.image, self._device, self.runtime)

    def _of(self, image: LaunchableImage) -> CompiledKernel:
        return CompiledKernel(self.name, self._declared, image, self._device, self.runtime)

    def ready(
        self, values: Sequence[Any], copies: ArrayCopies, options: LaunchOptions
    ) -> nullcontext[Callable[[Launch], Outcome]]:
        """Another process, or this one."""
        image = self.image
        arguments = tuple(LaunchArguments(self._signature, values, copies).bytes)
        engine = self._engine(options.isolate)

        def run(launch: Launch) -> Outcome:
            asked = launch._replace(
                library=image.library, entry=self._number, arguments=arguments, profiled=current() is not None
            )
            with phase("process of the kernel"):
                outcome = engine.run(asked, options.progress)
            with phase("source lines"):
                return image.lines.located(*outcome)

        return nullcontext(run)

    def _engine(self, isolate: bool) -> LaunchEngine:
        memory, target = self._device.memory, target_of(self._device)
        if not isolate:
            return LocalEngine(self.runtime, memory, target)
        return IsolatedEngine(self.runtime, memory, target, advice="run it with isolate=False under a debugger")
