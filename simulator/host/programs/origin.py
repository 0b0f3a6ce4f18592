"""What the image of a program was built of, so that it can be built anew where its launches are compared."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...chip import Shape
from ...findings import BuildError
from ...kernelc.options import Options

if TYPE_CHECKING:
    from ...kernelc.build import Source
    from ...launches.anew import BuiltAnew


class Origin(NamedTuple):
    """The source of an image, the sources that its kernels may be linked with, and what the compiler was told."""

    path: str
    beside: tuple[str, ...]
    options: Options

    @classmethod
    def of(cls, source: Source, others: Sequence[Source], options: Options) -> Origin:
        """What an image of a source is built of."""
        return cls(str(source.path.absolute()), tuple(str(other.path.absolute()) for other in others), options)

    def facts(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"path": self.path, "beside": self.beside, **asdict(self.options)}

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> Origin:
        """From plain data; KeyError or TypeError if damaged."""
        include, macros, headers, beside = (_texts(facts[of]) for of in ("include", "macros", "headers", "beside"))
        path, standard = _texts([facts["path"], facts["standard"]])
        return cls(path, beside, Options(include, macros, headers, standard))

    def anew(self, shape: Shape, kernels: Sequence[str], digest: str) -> BuiltAnew | None:
        """What builds the source again; None where that does not give the library with this digest any more."""
        from ...kernelc.build import Builder  # few programs need it
        from ...launches.anew import BuiltAnew

        with suppress(BuildError, OSError):
            builder = Builder(shape, self.options)
            source, *others = (builder.read(Path(path)) for path in (self.path, *self.beside))
            now = builder.compile(source, kernels, others).library.read_bytes()
            if hashlib.sha256(now).hexdigest() == digest:
                return BuiltAnew(builder, source, others)
        return None


def _texts(given: Sequence[Any]) -> tuple[str, ...]:
    if not all(isinstance(text, str) for text in given):
        raise TypeError("these are no texts")
    return tuple(given)
