"""From sources with host code to a library of operators."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from ...kernelc.inputs import check_readable
from ...kernelc.options import Options
from ...launches.device import Device
from ...native.compiler import Compiler
from ..programs.build import HostUnit
from ..programs.objects import built_objects
from ..programs.runtime import host_libraries
from ..programs.undefined import not_linked

_FLAGS = ("-g", "-O1", "-fPIC", "-w")


def build_operators(sources: Sequence[Path], options: Options, device: Device) -> Path:
    """Build sources into a library. BuildError for what does not compile, or calls an undefined function."""
    compiler = Compiler()
    paths = list(dict.fromkeys(sources))
    for path in paths:
        check_readable(path)
    objects = built_objects(compiler, [HostUnit(path, options, _FLAGS) for path in paths], device)
    libraries = [*host_libraries(compiler).values()]
    places = [f"-Wl,-rpath,{library.parent}" for library in libraries]
    links = [*map(str, libraries), *places, "-lpthread", "-ldl"]

    def make(path: Path) -> None:
        step = ["-shared", "-o", str(path), *map(str, objects), *links, "-Wl,-z,defs"]
        done = compiler.run(step, path.parent)
        if done.returncode:
            raise not_linked("the library of operators", sources[0], done.messages, libraries)

    key = "\0".join([compiler.version, *links, *(_digest(path) for path in objects)])
    return compiler.cache.file("operators.so", key, make)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
