"""C that comes with mlusim: built once for a machine by the compiler that builds kernels."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path

from ..findings import BuildError
from . import PASSES
from .compiler import Compiler
from .process import LimitReached

_FLAGS = ("-O2", "-ffp-contract=off", "-fPIC", "-shared")


def built_library(source: Path, *headers: Path) -> ctypes.CDLL | None:
    """The library of a source in C, with the headers beside it; None without a compiler that builds it."""
    return _built(source.stem, ("-x", "c"), (source,), (*headers, *PASSES.parent.glob("*.h")))


def built_folder(folder: Path) -> ctypes.CDLL | None:
    """The library of all C++ in a folder, which includes headers beside it; None without a compiler that builds it."""
    headers = (*PASSES.parent.glob("*.h"), *folder.parent.glob("*.h"), *folder.rglob("*.h"))
    return _built(folder.name, ("-std=c++17",), tuple(sorted(folder.rglob("*.cpp"))), tuple(sorted(headers)))


@lru_cache(maxsize=8)
def _built(
    name: str, language: tuple[str, ...], sources: tuple[Path, ...], headers: tuple[Path, ...]
) -> ctypes.CDLL | None:
    flags = (*_FLAGS, *language)
    try:
        compiler = Compiler()

        def make(path: Path) -> None:
            # All at once: one by one, they read the standard headers again and again.
            together = [argument for source in sources[1:] for argument in ("-include", str(source))]
            result = compiler.run([*flags, *together, "-o", str(path), str(sources[0])], path.parent)
            if result.returncode or not path.is_file():
                raise BuildError(f"{compiler.title} cannot build {name}")

        key = [compiler.version, *flags, *(file.read_text(encoding="utf-8") for file in (*sources, *headers))]
        return ctypes.CDLL(str(compiler.cache.file(f"libmlusim_{name}.so", "\0".join(key), make)))
    except (BuildError, LimitReached, OSError):
        return None
