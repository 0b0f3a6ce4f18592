"""C++ that comes with mlusim and is loaded into this process: passes over logs."""

from __future__ import annotations

import ctypes
from functools import lru_cache, partial
from pathlib import Path

from ..findings import BuildError
from . import PASSES
from .build import BuildTarget, build, tasks_runtime
from .compiler import Compiler

#: Sums of times are equal on all machines: nothing is contracted. What Python calls is marked, see entry.h.
_FLAGS = ("-ffp-contract=off", "-fwhole-program")


def runtime_and_passes(compiler: Compiler) -> Path:
    """The runtime of kernels that run as tasks; the first time, the passes over their logs are built along with it."""
    return tasks_runtime(compiler, [partial(built_folder, folder) for folder in sorted(PASSES.iterdir())])


@lru_cache(maxsize=8)
def built_folder(folder: Path) -> ctypes.CDLL:
    """The library of all C++ in a folder; BuildError without a compiler that builds it."""
    name, compiler = folder.name, Compiler()
    sources = tuple(sorted(folder.rglob("*.cpp")))
    # One unit: the passes call functions of each other's for every record.
    target = BuildTarget(f"libmlusim_{name}.so", f"{name}, a part of mlusim", sources, _FLAGS, units=1)
    path = build(compiler, target)
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise BuildError(
            f"{name}, a part of mlusim that {compiler.title} has built, cannot be loaded: {error}"
        ) from None
