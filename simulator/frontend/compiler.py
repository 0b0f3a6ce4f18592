"""The host's C++ compiler: finding it, running it, and a cache of what it built."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from ..findings import BuildError

CSRC = Path(__file__).resolve().parent.parent / "native" / "csrc"
#: The runtime and the headers of kernels that run as blocks of threads.
THREADS = CSRC.parent.parent / "simt" / "csrc"
_CANDIDATES = ("g++", "clang++", "c++")


def cache_folder() -> Path:
    """Where builds are kept: $MLUSIM_CACHE, or mlusim in the user's cache folder."""
    given = os.environ.get("MLUSIM_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mlusim"


@lru_cache(maxsize=8)
def _identify(command: str) -> str:
    return subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]


class Compiler:
    """A C++ compiler of this machine."""

    def __init__(self) -> None:
        """$CXX, or the first of g++, clang++ and c++ on the path; BuildError when there is none."""
        wanted = os.environ.get("CXX")
        command = shutil.which(wanted) if wanted else next(filter(None, map(shutil.which, _CANDIDATES)), None)
        if command is None:
            named = f"$CXX names {wanted!r}, which is not on the path" if wanted else "no C++ compiler is on the path"
            raise BuildError(f"{named}; install one (Debian and Ubuntu: apt-get install g++) or set CXX")
        self.command = command
        self.version = _identify(command)

    def run(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        """Run the compiler with messages in plain English; the caller looks at the return code."""
        environment = {**os.environ, "LC_ALL": "C"}
        return subprocess.run([self.command, *arguments], capture_output=True, text=True, env=environment, check=False)

    def cached(self, name: str, key: str, make: Callable[[Path], None]) -> Path:
        """The file ``name`` of the build ``key``; ``make(path)`` builds it when the cache lacks it."""
        digest = hashlib.sha256(f"{self.version}\0{key}".encode()).hexdigest()[:24]
        folder = cache_folder() / digest
        target = folder / name
        if not target.exists():
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                part = Path(scratch) / name
                make(part)
                os.replace(part, target)
        return target

    def accepted(self, *spellings: str) -> list[str]:
        """The flags of the first spelling that the compiler takes; one thing has several names, or none."""

        def make(path: Path) -> None:
            probe = ["-E", "-x", "c++", os.devnull]
            path.write_text(
                next((flags for flags in spellings if not self.run([*flags.split(), *probe]).returncode), "")
            )

        return self.cached("flags", "\0".join(spellings), make).read_text().split()

    def runtime(self) -> Path:
        """The native runtime as a shared library."""
        return self._built("libmlusim_rt.so", CSRC / "mlusim_rt.cpp", "mlusim_*", ["-shared", "-lpthread"])

    def threads_runtime(self) -> Path:
        """The runtime of blocks of threads as an object, to be linked into images."""
        # setjmp and longjmp change stacks here, which a fortified C library takes for a fault.
        options = ["-c", "-fvisibility=hidden", "-U_FORTIFY_SOURCE"]
        return self._built("simt_rt.o", THREADS / "simt_rt.cpp", "simt*", options)

    def _built(self, name: str, main: Path, sources: str, options: list[str]) -> Path:
        """The file ``name`` made from a source of our own, which includes others beside it."""

        def make(path: Path) -> None:
            result = self.run(["-std=c++17", "-O2", "-g", "-fPIC", "-o", str(path), str(main), *options])
            if result.returncode:
                raise BuildError(f"{self.command} cannot build the runtime of mlusim:\n{result.stderr}")

        return self.cached(name, "\0".join(file.read_text() for file in sorted(main.parent.glob(sources))), make)
