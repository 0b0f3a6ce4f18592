"""C++ that comes with mlusim: built once for a machine by the compiler that builds kernels."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path

from ..findings import BuildError
from . import PASSES
from .compiler import Compiler
from .process import LimitReached

#: Sums of times are equal on all machines: nothing is contracted.
_FLAGS = ("-O2", "-ffp-contract=off", "-fPIC", "-shared")


def built_folder(folder: Path) -> ctypes.CDLL:
    """The library of all C++ in a folder; BuildError without a compiler that builds it."""
    sources, headers = (tuple(sorted(folder.rglob(kind))) for kind in ("*.cpp", "*.h"))
    return _built(folder.name, ("-std=c++17", "-O3"), sources, headers)


@lru_cache(maxsize=8)
def _built(name: str, language: tuple[str, ...], sources: tuple[Path, ...], headers: tuple[Path, ...]) -> ctypes.CDLL:
    compiler, flags = Compiler(), (*_FLAGS, *language)

    def make(path: Path) -> None:
        # All at once: one by one, they read the standard headers again and again.
        together = [argument for source in sources[1:] for argument in ("-include", str(source))]
        try:
            result = compiler.run([*flags, *together, "-o", str(path), str(sources[0])], path.parent)
        except LimitReached as error:
            raise BuildError(f"{compiler.title} cannot build {name}, a part of mlusim: {error}") from None
        if result.returncode or not path.is_file():
            raise BuildError(f"{compiler.title} cannot build {name}, a part of mlusim; it says:\n{result.messages}")

    files = (*sources, *headers, *sorted(PASSES.parent.glob("*.h")))
    key = [compiler.version, *flags, *(file.read_text(encoding="utf-8") for file in files)]
    path = compiler.cache.file(f"libmlusim_{name}.so", "\0".join(key), make)
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise BuildError(
            f"{name}, a part of mlusim that {compiler.title} has built, cannot be loaded: {error}"
        ) from None
