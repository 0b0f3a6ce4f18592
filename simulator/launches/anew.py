"""Images of a kernel's source that are built for further runs: in smaller tiles, or with other bytes in its locals."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ..findings import BuildError
from ..kernelc.build import Builder, Source
from .budget import budget_of
from .image import LaunchableImage

if TYPE_CHECKING:
    from ..checks.results import TileSize


class BuiltAnew:
    """What is built of a source for launches that are compared with themselves; each image is built once."""

    def __init__(self, builder: Builder, source: Source, others: Sequence[Source]) -> None:
        """``others`` are what its kernels may be linked with."""
        self._builder, self._source, self._others = builder, source, others
        self._tiles: dict[str, list[tuple[TileSize, LaunchableImage]]] = {}
        self._poisoned: dict[str, LaunchableImage | None] = {}

    def in_tiles(self, kernel: str) -> list[tuple[TileSize, LaunchableImage]]:
        """The images in smaller tiles that compile and fit: another size may be what this one leaves, and grow."""
        if kernel not in self._tiles:
            from ..checks.results import TileSize  # few launches are compared with smaller tiles

            built = []
            with suppress(BuildError, OSError):
                for constant, smaller in self._builder.in_tiles(self._source, kernel):
                    with suppress(BuildError):
                        size = TileSize(constant.name, constant.value, constant.less, constant.given)
                        built.append((size, self._image(smaller, kernel)))
            self._tiles[kernel] = built  # whole: another thread may look for it
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

    def _image(self, source: Source, kernel: str) -> LaunchableImage:
        image = LaunchableImage(self._builder, self._builder.compile(source, (kernel,), self._others))
        budget_of(self._builder.shape, [image])
        return image
