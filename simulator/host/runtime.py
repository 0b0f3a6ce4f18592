"""The libraries that host programs are linked with, built when they are first wanted."""

from __future__ import annotations

from pathlib import Path

from ..findings import BuildError
from ..frontend.compiler import Compiler
from ..frontend.process import LimitReached
from .build import HERE, INCLUDE

_FLAGS = ("-std=c++17", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-shared")


def host_runtime(compiler: Compiler, flags: tuple[str, ...] = ()) -> Path:
    """The folder with libcnrt.so; BuildError when the compiler cannot build it."""
    return _library(compiler, "libcnrt.so", "host_*.cpp", (*flags, "-lpthread", "-ldl")).parent


def operator_library(compiler: Compiler, flags: tuple[str, ...] = ()) -> Path:
    """The folder with libcnnl.so; BuildError when the compiler cannot build it."""
    runtime = host_runtime(compiler, flags)
    links = (f"-L{runtime}", "-lcnrt", f"-Wl,-rpath,{runtime}")
    return _library(compiler, "libcnnl.so", "cnnl_*.cpp", (*flags, *links)).parent


def _library(compiler: Compiler, name: str, pattern: str, flags: tuple[str, ...]) -> Path:
    headers = [*sorted(HERE.glob("*.h")), *(INCLUDE / header for header in ("cnrt.h", "cn_api.h", "cnnl.h"))]
    sources = sorted(HERE.glob(pattern))
    step = [*_FLAGS, f"-I{INCLUDE}", f"-Wl,-soname,{name}", *map(str, sources), *flags]

    def make(path: Path) -> None:
        try:
            done = compiler.run([*step, "-o", str(path)], path.parent)
        except LimitReached as error:
            raise BuildError(f"{compiler.title} cannot build {name}: {error}") from None
        if done.returncode:
            raise BuildError(f"{compiler.title} cannot build {name}:\n{done.messages.strip()}")

    texts = [file.read_text(encoding="utf-8") for file in (*headers, *sources)]
    return compiler.cache.file(name, "\0".join([compiler.version, *step, *texts]), make)
