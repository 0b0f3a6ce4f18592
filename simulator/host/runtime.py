"""The libraries that host programs are linked with, built when they are first wanted."""

from __future__ import annotations

from pathlib import Path

from ..findings import BuildError
from ..frontend.compiler import Compiler
from ..frontend.process import LimitReached
from .build import HERE, INCLUDE

_FLAGS = ("-std=c++17", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-shared")
#: The library and its sources.
_LIBRARIES = {"libcnrt.so": "host_*.cpp"}


def host_runtime(compiler: Compiler, flags: tuple[str, ...] = ()) -> Path:
    """The folder with the libraries; BuildError when the compiler cannot build them."""
    headers = [*sorted(HERE.glob("*.h")), INCLUDE / "cnrt.h", INCLUDE / "cn_api.h"]
    for name, pattern in _LIBRARIES.items():
        sources = sorted(HERE.glob(pattern))
        step = [*_FLAGS, *flags, f"-I{INCLUDE}", f"-Wl,-soname,{name}", *map(str, sources), "-lpthread", "-ldl"]

        def make(path: Path, step: list[str] = step) -> None:
            try:
                done = compiler.run([*step, "-o", str(path)], path.parent)
            except LimitReached as error:
                raise BuildError(f"{compiler.title} cannot build the host's runtime: {error}") from None
            if done.returncode:
                raise BuildError(f"{compiler.title} cannot build the host's runtime:\n{done.messages.strip()}")

        texts = [file.read_text(encoding="utf-8") for file in (*headers, *sources)]
        library = compiler.cache.file(name, "\0".join([compiler.version, *step, *texts]), make)
    return library.parent
