"""C that comes with mlusim: built once for a machine by the compiler that builds kernels."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path

from ..findings import BuildError
from . import PASSES
from .compiler import Compiler
from .process import LimitReached

_FLAGS = ("-O2", "-ffp-contract=off", "-fPIC", "-shared", "-x", "c")


@lru_cache(maxsize=8)
def built_library(source: Path, *headers: Path) -> ctypes.CDLL | None:
    """The library of a source, with the headers beside it; None without a compiler that builds it."""
    try:
        compiler = Compiler()

        def make(path: Path) -> None:
            result = compiler.run([*_FLAGS, "-o", str(path), str(source)], path.parent)
            if result.returncode or not path.is_file():
                raise BuildError(f"{compiler.title} cannot build {source.name}")

        key = [
            compiler.version,
            *_FLAGS,
            *(file.read_text(encoding="utf-8") for file in (source, *headers, *sorted(PASSES.parent.glob("*.h")))),
        ]
        return ctypes.CDLL(str(compiler.cache.file(f"libmlusim_{source.stem}.so", "\0".join(key), make)))
    except (BuildError, LimitReached, OSError):
        return None
