"""The libraries that host programs are linked with, built when they are first wanted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..findings import BuildError
from ..frontend.compiler import Compiler
from ..frontend.process import LimitReached
from .build import HERE, INCLUDE
from .wire import messages_version

_FLAGS = ("-std=c++17", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-shared")
#: The libraries, their sources, and those that they call.
LIBRARIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "libcnrt.so": ("host_*.cpp", ()),
    "libcndrv.so": ("cndrv*.cpp", ("libcnrt.so",)),
    "libcnnl.so": ("cnnl_*.cpp", ("libcnrt.so",)),
    "libcndev.so": ("cndev.cpp", ("libcnrt.so",)),
}


def host_library(compiler: Compiler, name: str, flags: Sequence[str] = ()) -> Path:
    """A library; BuildError when the compiler cannot build it. ``flags`` are further ones, such as a sanitizer's."""
    pattern, needed = LIBRARIES[name]
    files = [*sorted(HERE.glob("*.h")), *sorted(INCLUDE.glob("c*.h")), *sorted(HERE.glob(pattern))]
    below = [str(host_library(compiler, other, flags)) for other in needed]
    sources = [str(file) for file in files if file.suffix == ".cpp"]
    messages = f"-DMLUSIM_MESSAGES={messages_version():#x}ull"
    step = [*_FLAGS, *flags, messages, f"-I{INCLUDE}", f"-Wl,-soname,{name}", *sources, *below, "-lpthread", "-ldl"]

    def make(path: Path) -> None:
        try:
            done = compiler.run([*step, "-o", str(path)], path.parent)
        except LimitReached as error:
            raise BuildError(f"{compiler.title} cannot build {name}: {error}") from None
        if done.returncode:
            raise BuildError(f"{compiler.title} cannot build {name}:\n{done.messages.strip()}")

    texts = [file.read_text(encoding="utf-8") for file in files]
    return compiler.cache.file(name, "\0".join([compiler.version, *step, *texts]), make)
