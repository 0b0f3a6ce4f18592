"""The libraries that host programs are linked with, built when they are first wanted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...findings import BuildError
from ...native import HOST
from ...native.compiler import Compiler
from ...native.process import LimitReached
from .build import HEADERS
from .messages import messages_version

_FLAGS = ("-std=c++17", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-shared")
#: The libraries, their sources, and those before them that they call.
LIBRARIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "libcnrt.so": ("host_*.cpp", ()),
    "libcndrv.so": ("cndrv*.cpp", ("libcnrt.so",)),
    "libcnnl.so": ("cnnl_*.cpp", ("libcnrt.so",)),
    "libcndev.so": ("cndev.cpp", ("libcnrt.so",)),
}


def host_libraries(compiler: Compiler, flags: Sequence[str] = ()) -> dict[str, Path]:
    """The libraries by name; BuildError when the compiler cannot build one.

    ``flags`` are further ones, such as a sanitizer's.
    """
    headers = [*sorted(HOST.glob("*.h")), *sorted(HEADERS.glob("c*.h"))]
    texts = [file.read_text(encoding="utf-8") for file in headers]
    messages = f"-DMLUSIM_MESSAGES={messages_version():#x}ull"
    made: dict[str, Path] = {}
    for name, (pattern, needed) in LIBRARIES.items():
        sources = sorted(HOST.glob(pattern))
        below = [made[other] for other in needed]
        words = [*_FLAGS, *flags, messages, f"-I{HEADERS}", f"-Wl,-soname,{name}"]
        step = [*words, *map(str, [*sources, *below]), "-lpthread", "-ldl"]
        own = [file.read_text(encoding="utf-8") for file in sources]
        key = "\0".join([compiler.version, *step, *texts, *own])
        made[name] = compiler.cache.file(name, key, partial(_build, compiler, name, step))
    return made


def _build(compiler: Compiler, name: str, step: Sequence[str], path: Path) -> None:
    try:
        done = compiler.run([*step, "-o", str(path)], path.parent)
    except LimitReached as error:
        raise BuildError(f"{compiler.title} cannot build {name}: {error}") from None
    if done.returncode:
        raise BuildError(f"{compiler.title} cannot build {name}:\n{done.messages.strip()}")
