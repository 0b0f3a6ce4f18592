"""Builds C++ of mlusim's own into the cache: sources to objects, objects to what they are linked to.

Each is built once for what goes into it: its text and the headers that it includes by names in quotes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from ..findings import BuildError
from . import IMAGES, RUNTIME, THREADS
from .compiler import Compiler
from .machine import check_machine
from .process import LimitReached

#: Without debug information, which takes a quarter of the time; CXX="g++ -g" brings it.
_FLAGS = ("-std=c++17", "-O2", "-fPIC", "-fno-semantic-interposition")
_INCLUDE = re.compile(r'^ *# *include "(.+)"$', re.M)
_HEADER_BYTES = 20


@dataclass(frozen=True)
class BuildTarget:
    """A file that is linked from the objects of its sources, and what messages call it.

    ``flags`` are of the compiler, ``link`` of the linker; ``inputs`` are files that it is given beside the objects.
    ``units``: the sources are compiled as so many, not each by itself. Of one unit, functions of one source are inlined
    in another; of a few, headers are parsed a few times.
    """

    name: str
    title: str
    sources: tuple[Path, ...]
    flags: tuple[str, ...] = ()
    link: tuple[str, ...] = ("-shared",)
    inputs: tuple[Path, ...] = ()
    units: int = 0


#: Loaded beside the images of kernels that run as tasks; the map says what images and Python see of it. Products are
#: rounded before they are added, as in Python, on processors that need not do so, too.
_TASKS = BuildTarget(
    "libmlusim_rt.so",
    "the runtime of mlusim",
    tuple(sorted(RUNTIME.glob("*.cpp"))),
    flags=("-ffp-contract=off",),
    link=("-shared", "-Wl,--no-undefined", f"-Wl,--version-script={RUNTIME / 'exports.map'}", "-lpthread"),
    units=4,
)
#: Linked into each image of kernels that run as blocks of threads. setjmp and longjmp change stacks there, which a
#: fortified C library takes for a fault.
_THREADS = BuildTarget(
    "simt_rt.o",
    "the runtime of mlusim",
    (*sorted(THREADS.glob("*.cpp")), RUNTIME / "heap.cpp"),
    flags=(f"-I{RUNTIME}", "-fvisibility=hidden", "-U_FORTIFY_SOURCE"),
    link=("-r", "-nostdlib"),
)
#: Linked into images that throw exceptions, and run as tasks.
_UNCAUGHT = BuildTarget(
    "uncaught.o",
    "the runtime of mlusim",
    (IMAGES / "uncaught.cpp",),
    flags=(f"-I{RUNTIME}",),
    link=("-r", "-nostdlib"),
)


def tasks_runtime(compiler: Compiler, along: Iterable[Callable[[], object]] = ()) -> Path:
    """The runtime of kernels that run as tasks, a shared library; BuildError as below, and on another machine."""
    check_machine()
    return build(compiler, _TASKS, along)


def threads_runtime(compiler: Compiler) -> Path:
    """The runtime of blocks of threads, an object for images; BuildError as below."""
    return build(compiler, _THREADS)


def uncaught_handler(compiler: Compiler) -> Path:
    """What makes an uncaught exception a finding, an object for images; BuildError as below."""
    return build(compiler, _UNCAUGHT)


def build(compiler: Compiler, target: BuildTarget, along: Iterable[Callable[[], object]] = ()) -> Path:
    """The file of a target, in the cache; BuildError where the compiler cannot build it for this machine.

    Where it is not there yet, ``along`` is called at the same time; who needs what that makes meets its errors.
    """
    flags = [*_FLAGS, *target.flags]
    folders = [flag[2:] for flag in flags if flag.startswith("-I")]
    together = -(-len(target.sources) // target.units) if target.units else 1
    units = [target.sources[first : first + together] for first in range(0, len(target.sources), together)]
    known = [compiler.version, *(flag for flag in flags if not flag.startswith("-I"))]  # not where our headers lie
    keys = {unit: "\0".join([*known, *_texts(unit, folders)]) for unit in units}
    scripts = [Path(flag.partition("=")[2]) for flag in target.link if flag.startswith("-Wl,--version-script=")]
    beside = [*map(str, target.inputs), *(script.read_text(encoding="utf-8") for script in scripts)]
    key = "\0".join([*keys.values(), *target.link, *beside])

    def make(path: Path) -> None:
        from concurrent.futures import ThreadPoolExecutor  # most processes build nothing

        with ThreadPoolExecutor(os.cpu_count()) as workers:
            for call in along:
                workers.submit(call)
            objects = workers.map(partial(_object, compiler, target.title, flags), keys.items())
            words = ["-o", str(path), *map(str, [*objects, *target.inputs]), *flags, *target.link]
        _run(compiler, target.title, words, path)
        if _machine(path) != _machine(Path("/proc/self/exe")):
            raise BuildError(f"{compiler.title} builds for another machine; set CXX to a compiler for this one")

    return compiler.cache.file(target.name, key, make)


def _object(compiler: Compiler, title: str, flags: Iterable[str], unit: tuple[tuple[Path, ...], str]) -> Path:
    (source, *others), key = unit

    def make(made: Path) -> None:
        before = [word for other in others for word in ("-include", str(other))]
        _run(compiler, title, [*flags, *before, "-c", "-o", str(made), str(source)], made)

    return compiler.cache.file(f"{source.stem}.o", key, make)


def _run(compiler: Compiler, title: str, words: list[str], made: Path) -> None:
    try:
        done = compiler.run(words, made.parent)
    except LimitReached as error:
        raise BuildError(f"{compiler.title} cannot build {title}: {error}") from None
    if done.returncode or not made.is_file():
        said = done.messages.strip() or f"it ended with exit code {done.returncode} and wrote nothing"
        raise BuildError(f"{compiler.title} cannot build {title}; set CXX to a C++ compiler. It says:\n{said}")


def _texts(sources: Iterable[Path], folders: Iterable[str]) -> list[str]:
    """The texts of sources and of our headers that go into them."""
    waiting, found = [*map(str, sources)], dict[str, str]()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path], names = _read(path, os.stat(path).st_mtime_ns)
            for name in names:
                places = (os.path.normpath(f"{folder}/{name}") for folder in (os.path.dirname(path), *folders))
                waiting += [place for place in places if place in found or os.path.isfile(place)][:1]
    return list(found.values())


@lru_cache(maxsize=1024)
def _read(path: str, modified: int) -> tuple[str, tuple[str, ...]]:
    """The text of a file as it was last ``modified``, and the names that it includes in quotes: many units have it."""
    text = Path(path).read_text(encoding="utf-8")
    return text, tuple(_INCLUDE.findall(text))


def _machine(path: Path) -> bytes:
    """Word size and processor of an ELF file."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    return header[:6] + header[18:20]
