"""The host's C++ compiler: finding it and running it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ...isa.cached import cached_property
from ..findings import BuildError
from ..spent import phase
from . import RUNTIME
from .cache import BuildCache
from .process import CommandResult, LimitReached, Limits, run_limited

#: What stands before a path in an option.
_NOT_PATH = re.compile(r"^-(?:I|isystem)")
#: Where a system has its toolchains and libraries, and variables that name further places.
_SYSTEM = (
    "/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/opt", "/nix/store", "/gnu/store",
    "/etc/ld.so.cache", "/dev/null", "/dev/urandom",
)  # fmt: skip
_PATHS = (
    "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
)  # fmt: skip
_CANDIDATES = ("g++", "clang++", "c++")
_WAY_OUT = "install one (Debian and Ubuntu: apt-get install g++) or set CXX"
_OTHER = f"set it to a C++ compiler, or unset it for the first of {', '.join(_CANDIDATES)} on the path"
#: Seconds in which a compiler says what it is.
_ASKED = Limits(seconds=60)


class Compiler:
    """A C++ compiler of this machine, with the cache of what it built."""

    def __init__(self) -> None:
        """$CXX, or the first of g++, clang++ and c++ on the path; BuildError when there is none."""
        self.command = _command(os.environ.get("CXX", "").strip())
        try:
            self.limits = Limits.of(os.environ)
        except ValueError as error:
            raise BuildError(str(error)) from None
        program = os.stat(self.command[0])
        #: What it says it is; and what tells it from others, with the time and size of its program.
        self.says = _version(self.command, program.st_mtime_ns, program.st_size)
        self.version = f"{self.title} {program.st_mtime_ns} {program.st_size} {self.says}"
        self.cache = BuildCache()

    @property
    def title(self) -> str:
        """The command as one would type it."""
        return shlex.join(self.command)

    def run(
        self, arguments: Sequence[str], scratch: Path | None = None, readable: Sequence[Path] | None = None
    ) -> CommandResult:
        """Run the compiler with messages in plain English; the caller looks at the return code.

        Its temporary files go to ``scratch``. If ``readable`` is given, it reads nothing but what is below these, what
        the arguments name and where the toolchain lies; PermissionError where it cannot be kept to that. Raises
        LimitReached when it takes more time or memory than it may.
        """
        command = [*self.command, *arguments]
        places = None
        if readable is not None:
            named = (_NOT_PATH.sub("", word) for word in arguments)
            own = [scratch] if scratch else []
            places = [*readable, *own, *map(Path, filter(os.path.isabs, named)), *self._places]
        with phase("compiler"):
            return run_limited(command, _environment(scratch), self.limits, places)

    @cached_property
    def _places(self) -> list[Path]:
        """Where a toolchain lies: in the system's folders, beside its program, and where it says that it looks."""
        said = self.run(["-print-search-dirs"]).output.decode(errors="replace")
        said += self.run(["-E", "-v", "-x", "c++", os.devnull]).messages
        named = [*self.command, *(os.environ.get(name, "") for name in _PATHS), *said.split()]
        paths = [path for text in named for path in re.split("[:;=]", text) if path.startswith("/") and path.strip("/")]
        own = [RUNTIME.parent, Path(self.command[0]).resolve().parent]
        return [*own, *map(Path, dict.fromkeys([*_SYSTEM, *paths]))]

    def accepted(self, *spellings: str) -> list[str]:
        """The flags of the first spelling that the compiler takes; one thing has several names, or none."""

        def make(path: Path) -> None:
            probe = ["-E", "-x", "c++", os.devnull]
            chosen = next((flags for flags in spellings if not self.run([*flags.split(), *probe]).returncode), "")
            path.write_text(f"{chosen}\n", encoding="utf-8")

        found = self.cache.file("flags", "\0".join([self.version, *spellings]), make)
        return found.read_text(encoding="utf-8").partition("\n")[0].split()


def _command(wanted: str) -> tuple[str, ...]:
    """The words that start the compiler; ``wanted`` is a path, a name, or a command with arguments."""
    if not wanted:
        found = next(filter(None, map(shutil.which, _CANDIDATES)), None)
        if found is None:
            raise BuildError(f"no C++ compiler is on the path; {_WAY_OUT}")
        return (os.path.abspath(found),)
    try:
        words = [wanted] if shutil.which(wanted) else shlex.split(wanted)
    except ValueError as error:
        raise BuildError(f"$CXX is {wanted!r}, which is no command ({error}); {_OTHER}") from None
    found = shutil.which(words[0]) if words else None
    if found is None:
        raise BuildError(f"$CXX names {wanted!r}, which is not there; {_OTHER}")
    return (os.path.abspath(found), *words[1:])


@lru_cache(maxsize=8)
def _version(command: tuple[str, ...], modified: int, size: int) -> str:
    """The first line of a compiler's version; the other two tell whether it has changed since."""
    del modified, size
    title = shlex.join(command)
    try:
        result = run_limited([*command, "--version"], _environment(None), _ASKED)
    except LimitReached as error:
        raise BuildError(f"$CXX names {title}, which is no C++ compiler ({error}); {_OTHER}") from None
    version = result.output.decode(errors="backslashreplace").partition("\n")[0].strip()
    if result.returncode or not version:
        said = result.messages.strip().partition("\n")[0] or "it gives no version"
        raise BuildError(f"$CXX names {title}, which is no C++ compiler ({said}); {_OTHER}")
    return version


def _environment(scratch: Path | None) -> dict[str, str]:
    environment = {**os.environ, "LC_ALL": "C"}
    return {**environment, "TMPDIR": str(scratch)} if scratch else environment
