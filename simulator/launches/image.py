"""Images that a program launches, with what is known of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...isa.cached import cached_property
from ..engines.description import Description, decode_description, encode_description
from ..findings import BuildError
from ..kernelc.build import Builder, Image

if TYPE_CHECKING:  # what is only built, and was before, needs none of them
    from ..engines.tasks.layouts import Layouts
    from ..engines.tasks.lines import LineTable

#: Changes with what is kept of an image.
_DESCRIPTION = "description 3"


class LaunchableImage:
    """An image with what is known of it. Nothing of it is loaded in this process: the worker has looked into it."""

    def __init__(self, builder: Builder, image: Image) -> None:
        """BuildError when it cannot be loaded."""
        self._builder, self._image = builder, image
        self.library, self.kernels = image.library, image.kernels
        self.description = _described(builder, image)

    @cached_property
    def layouts(self) -> Layouts:
        """How its structures are laid out."""
        from ..engines.tasks.layouts import Layouts

        return Layouts(self.library)

    @cached_property
    def lines(self) -> LineTable:
        """Where its code stands in the source."""
        from ..engines.tasks.lines import LineTable

        return LineTable(self.library, [variable.location for variable in self.description.variables])

    def present(self) -> LaunchableImage:
        """This image, or one that is built again where the cache has lost it since."""
        if self._image.is_whole:
            return self
        return LaunchableImage(
            self._builder, self._builder.compile(self._image.source, self._image.kernels, self._image.others)
        )


def _described(builder: Builder, image: Image) -> Description:
    """What is in an image, kept in the cache."""

    def make(path: Path) -> None:
        path.write_bytes(encode_description(_ask(builder.runtime(), image, builder.shape.isa)))

    key = f"{_DESCRIPTION} {image.library.parent.name}"
    kept = builder.compiler.cache.file("image.json", key, make).read_bytes()
    return decode_description(kept.partition(b"\n")[0], len(image.kernels))


def _ask(runtime: Path, image: Image, isa: str) -> Description:
    """Let the worker look into an image; BuildError for what its static initialisers do, and for missing symbols."""
    from ..engines.tasks.lines import LineTable
    from ..engines.worker.pool import WorkerDied, pool

    name = image.source.path
    try:
        return pool(os.getpid()).describe(runtime, image.library, len(image.kernels), isa)
    except WorkerDied as death:
        raise BuildError(f"{name} cannot be loaded: the process that loaded it {death}") from None
    except BuildError as error:
        if error.finding is not None:
            (found,) = LineTable(image.library, ()).located_findings([error.finding])
            raise BuildError(f"{name} cannot be loaded: {found}", found) from None
        # The loader names a variable that is declared extern and defined nowhere.
        problem = str(error).removeprefix(f"{image.library}: ")
        raise BuildError(
            f"{name} cannot be loaded: {problem}; define what it names in the same source, or include it"
        ) from None
