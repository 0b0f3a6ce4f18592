"""The libraries that host programs are linked with, built when they are first wanted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...native import HOST, INCLUDE
from ...native.build import BuildTarget, build
from ...native.compiler import Compiler
from .build import HEADERS
from .sdk import SDKS

#: The libraries of all, their sources, and those before them that they call.
_LIBRARIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "libcnrt.so": ("host_*.cpp", ()),
    "libcndrv.so": ("cndrv*.cpp", ("libcnrt.so",)),
    "libcnnl.so": ("cnnl_*.cpp", ("libcnrt.so",)),
    "libcndev.so": ("cndev.cpp", ("libcnrt.so",)),
    "libbmlib.so": ("bmlib.cpp", ("libcnrt.so",)),
    "libtpuv7_rt.so": ("tpuv7_rt.cpp", ("libcnrt.so",)),
    "libcudart.so": ("cudart*.cpp", ("libcnrt.so",)),
}
#: So many sources are compiled as one.
_TOGETHER = 5


def host_libraries(compiler: Compiler, flags: Sequence[str] = (), isa: str = "bang") -> dict[str, Path]:
    """The libraries of an ISA's SDK by name; BuildError when the compiler cannot build one.

    ``flags`` are further ones, such as a sanitizer's.
    """
    folders = (f"-I{folder}" for folder in (HEADERS, INCLUDE / "sophgo", INCLUDE / "cuda"))
    # They mostly ask another process: with -O1 the compiler takes two thirds of the time.
    words = ("-O1", "-fvisibility=hidden", "-fno-optimize-sibling-calls", *flags, *folders)
    made: dict[str, Path] = {}
    for name in SDKS[isa].libraries:
        pattern, needed = _LIBRARIES[name]
        # What is to be done at the end of the program stays loaded until then. In a toolkit they lie in one folder.
        link = ("-shared", f"-Wl,-soname,{name}", "-Wl,-z,nodelete", "-Wl,-rpath,$ORIGIN", "-lpthread", "-ldl")
        below = tuple(made[other] for other in needed)
        sources = tuple(sorted(HOST.glob(pattern)))
        # Most of the time that a source of them takes goes into headers that all have.
        units = -(-len(sources) // _TOGETHER)
        made[name] = build(compiler, BuildTarget(name, name, sources, words, link, below, units))
    return made
