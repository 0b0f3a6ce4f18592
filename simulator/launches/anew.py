"""Images of a kernel's source that are built for further runs.

They have smaller tiles, other bytes in local variables, or other functions of the source as kernels.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...isa.cached import cached_property
from ..findings import BuildError, Finding
from ..kernelc.build import Builder, Source
from ..kernelc.declared import declared_as
from .budget import budget_of
from .image import LaunchableImage

if TYPE_CHECKING:
    from ..checks.results import TileSize
    from ..kernelc.declared import KernelDecl
    from ..kernelc.references import Reference
    from ..kernelc.tiles import SizeConstant

#: Functions that a kernel is compared with, at most.
_MOST_REFERENCES = 12


@dataclass(frozen=True)
class BuiltReference:
    """A function of a kernel's source, built as a kernel of its own; ``alike``: its name says the same.

    So it is, too, with a function of the ``host`` if one of the names says nothing. ``order`` has, for each of its
    parameters, the number of the kernel's that it stands for. ``committed``: it is the kernel itself, as the last
    commit has it.
    """

    name: str
    declared: KernelDecl | None
    order: Sequence[int]
    image: LaunchableImage
    host: bool = False
    alike: bool = True
    committed: bool = False

    def passed(self, values: Sequence[Any]) -> list[Any]:
        """What it is passed in the kernel's place."""
        return [values[at] for at in self.order]


class BuiltAnew:
    """What is built of a source for launches that are compared with themselves; each image is built once."""

    def __init__(self, builder: Builder, source: Source, others: Sequence[Source]) -> None:
        """``others`` are what its kernels may be linked with."""
        self._builder, self._source, self._others = builder, source, others
        self._tiles: dict[str, list[tuple[TileSize, LaunchableImage]]] = {}
        self._poisoned: dict[str, LaunchableImage | None] = {}
        self._references: dict[str, list[BuiltReference]] = {}
        self._lacking: dict[tuple[str, str], bool] = {}
        self._suspicious: dict[str, list[Finding]] = {}

    def in_tiles(self, kernel: str) -> list[tuple[TileSize, LaunchableImage]]:
        """The images in smaller tiles that compile and fit: another size may be what this one leaves, and grow."""
        if kernel not in self._tiles:
            from concurrent.futures import ThreadPoolExecutor  # few launches are compared with smaller tiles

            from ..checks.results import TileSize

            def built(constant: SizeConstant, smaller: Source) -> tuple[TileSize, LaunchableImage] | None:
                with suppress(BuildError):
                    size = TileSize(constant.name, constant.value, constant.less, constant.given)
                    return size, self._image(smaller, kernel)
                return None

            making = []
            with ThreadPoolExecutor(os.cpu_count()) as threads, suppress(BuildError, OSError):
                for size in self._builder.in_tiles(self._source, kernel):
                    making.append(threads.submit(built, *size))
            self._tiles[kernel] = [*filter(None, (made.result() for made in making))]  # whole: others may look for it
        return [(size, image.present()) for size, image in self._tiles[kernel]]

    def sizes(self, kernel: str) -> frozenset[int]:
        """The whole numbers that the source defines, or makes the kernel with."""
        with suppress(OSError):
            return self._builder.sizes(self._source, kernel)
        return frozenset()

    def poisoned(self, kernel: str) -> LaunchableImage | None:
        """An image with other bytes in local variables that nothing sets.

        None where it has no such variables, or the compiler cannot fill them.
        """
        if kernel not in self._poisoned:
            from ..native.elf import Elf  # few launches are compared with it

            self._poisoned[kernel] = None
            source = self._builder.poisoned(self._source)
            with suppress(BuildError, OSError):
                image, usual = self._image(source, kernel) if source else None, self._image(self._source, kernel)
                if image and (
                    image.kernels != usual.kernels
                    or Elf(image.library).section(".text") != Elf(usual.library).section(".text")
                ):
                    self._poisoned[kernel] = image
        made = self._poisoned[kernel]
        return made and made.present()

    def shares_structure(self, kernel: str) -> bool:
        """Whether other kernels of the source take a structure that this one takes, and may use other members of it."""
        from ..kernelc.references import structures_of  # few launches have arrays in structures

        blocks, declared = self._source.blocks, {one.name: one for one in self._source.declared}
        taken = {name: {structure} for name, structure in blocks.items()}
        taken |= {name: structures_of(one) for name, one in declared.items()}
        own = declared_as(kernel, taken)
        return any(not kinds.isdisjoint(taken.get(own, ())) for name, kinds in taken.items() if name != own)

    def lacks(self, kernel: str, word: str) -> bool:
        """Whether the body of a kernel is known, and does not have a word."""
        if (kernel, word) not in self._lacking:
            from ..kernelc.bodies import lacks  # few launches ask

            self._lacking[kernel, word] = lacks(self._source.text, self._function(kernel), word)
        return self._lacking[kernel, word]

    def suspicious(self, kernel: str) -> list[Finding]:
        """What the text of a kernel, and of functions that it calls, cannot mean."""
        if kernel not in self._suspicious:
            from ..kernelc.suspicious import suspicious  # few launches ask

            with suppress(BuildError, OSError):
                file, text = self._source.path, self._source.path.read_text(encoding="utf-8", errors="surrogateescape")
                converted = self._builder.conversions(self._source, kernel)
                self._suspicious[kernel] = suspicious(text, converted, str(file), self._function(kernel), kernel)
        return self._suspicious.get(kernel, [])

    def _function(self, kernel: str) -> str:
        """The plain name of the function that a kernel is."""
        known = {*self._source.blocks, *(one.name for one in self._source.declared)}
        return declared_as(kernel, known).rpartition("::")[2]

    def references(
        self, kernel: str, values: Sequence[Any], declared: KernelDecl | None = None
    ) -> list[BuiltReference]:
        """The functions of the source that a kernel's arguments suit, if they compile; of kernels those of like names.

        Also the kernel as the last commit has it, if the source has been changed.

        ``values`` are the arguments, from which instances of templates follow. A kernel of another source is as
        ``declared`` there.
        """
        if kernel not in self._references:
            from ..checks.functions import subject_of  # few launches are compared with references
            from .deduction import instance_like

            named: dict[str, tuple[Reference, bool]] = {}
            with suppress(OSError, KeyError):  # of a kernel of C nothing is declared
                known = {one.name: one for one in self._source.declared}
                own, mine = declared or known[declared_as(kernel, known)], subject_of(kernel)
                found, source = self._builder.references(self._source, own)
                for one in found:
                    theirs = subject_of(one.declared.name)
                    alike = mine.is_that_of(theirs) or (one.host and not (any(mine) and any(theirs)))
                    with suppress(ValueError):
                        if alike or one.host:
                            passed = [values[at] for at in one.order]
                            named[instance_like(one.declared, kernel, own, passed)] = one, alike
            images = self._images_of(source, list(named)[:_MOST_REFERENCES]) if named else ()
            built = [
                BuiltReference(name, one.declared, one.order, image, one.host, alike)
                for name, image in images
                for one, alike in (named[name],)
            ]
            self._references[kernel] = [*built, *self._committed(kernel, len(values))]
        return [replace(one, image=one.image.present()) for one in self._references[kernel]]

    @cached_property
    def _committed_source(self) -> Source | None:
        """The source as the last commit has it, if it has been changed."""
        with suppress(BuildError, OSError):
            return self._builder.committed(self._source)
        return None

    def _committed(self, kernel: str, arguments: int) -> Iterator[BuiltReference]:
        """A kernel as the last commit has it, if it takes the same arguments there."""
        with suppress(BuildError, OSError):
            if source := self._committed_source:
                images = [self._image(part, kernel) for part in (self._source, source)]
                now, then = (image.description.signatures[image.kernels.index(kernel)] for image in images)
                mine, theirs = (image.layouts.structures for image in images)
                if now == then and all(mine.get(name, layout) == layout for name, layout in theirs.items()):
                    known = {one.name: one for one in source.declared}
                    declared = known.get(declared_as(kernel, known))
                    yield BuiltReference(kernel, declared, range(arguments), images[1], committed=True)

    def _images_of(self, source: Source, kernels: Sequence[str]) -> Iterator[tuple[str, LaunchableImage]]:
        """Kernels of a source with the image of all that compile together, or else of each that does."""
        try:
            image = self._image(source, *kernels)
            yield from ((kernel, image) for kernel in kernels)
        except BuildError:
            for kernel in kernels if len(kernels) > 1 else ():
                yield from self._images_of(source, [kernel])

    def _image(self, source: Source, *kernels: str) -> LaunchableImage:
        image = LaunchableImage(self._builder, self._builder.compile(source, kernels, self._others))
        budget_of(self._builder.shape, [image])
        return image
