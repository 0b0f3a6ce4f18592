"""Caches of builds that tests make for themselves."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from mlusim.simulator.native import PASSES, RUNTIME
from mlusim.simulator.native.build import tasks_runtime
from mlusim.simulator.native.cache import wanted_folder
from mlusim.simulator.native.compiler import Compiler
from mlusim.simulator.native.library import built_folder


def cache_with_ours(folder: Path) -> Path:
    """A new cache with the C++ of mlusim and nothing else: that takes many seconds to build, and is seldom tested."""
    compiler = Compiler()
    libraries = [tasks_runtime(compiler), *(Path(built_folder(part)._name) for part in sorted(PASSES.iterdir()))]
    for build in {library.parent for library in libraries}:
        shutil.copytree(build, folder / build.name)
    return folder


def with_objects(cache: Path) -> Path:
    """The same cache with the objects that the runtime is linked from."""
    for source in RUNTIME.glob("*.cpp"):
        for known in wanted_folder().glob(f"*/{source.stem}.o"):
            shutil.copytree(known.parent, cache / known.parent.name, dirs_exist_ok=True)
    return cache


if __name__ == "__main__":
    cache_with_ours(Path(sys.argv[1]))
