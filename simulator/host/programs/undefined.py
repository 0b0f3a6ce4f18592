"""Functions that a program calls and nothing defines, at link time or when it is loaded, and what helps."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ...findings import BuildError, rules
from ...native.elf import Elf

#: In the words of ld, gold and lld: the name, demangled where the linker can.
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) ?([`'][^`'\n]+'|[^`'\n]+)")
#: What all functions of an API begin with: small letters, up to the first other one.
_FAMILY = re.compile(r"[a-z]+_?")
#: So many functions of the sources are named.
_MOST = 3
#: How alike two names are at least, and how many are named.
_ALIKE, _NEAREST = 0.6, 2
#: Exit code of a program that the loader has not started.
NOT_LOADED = 127


def undefined(messages: str, libraries: Iterable[Path]) -> list[str]:
    """What functions a linker has found no definition of, in sentences that say what to do."""
    names = list(dict.fromkeys(name.strip("`' ") for name in _UNDEFINED.findall(messages)))
    offered = _offered(libraries) if names else []
    siblings = {name: _siblings(name, offered) for name in names}
    own = [name for name in names if not siblings[name]]
    said = [_instead(name.partition("(")[0], siblings[name]) for name in names if siblings[name]]
    if own:
        more = f" and {len(own) - _MOST} more" if len(own) > _MOST else ""
        said.append(f"no source defines {', '.join(own[:_MOST])}{more}; name the sources that do, too")
    return said


def not_linked(what: str, source: Path, messages: str, libraries: Iterable[Path]) -> BuildError:
    """The error of what a linker has not made, with its messages; ``source``, the first one, has the finding."""
    missing = undefined(messages, libraries)
    said = "".join(f"\n  {sentence}" for sentence in missing)
    finding = rules.build.failed("; ".join(missing) or "does not link", source)
    return BuildError(f"{what} does not link:{said}\n{messages.strip()}", finding)


def linked(step: Sequence[str], libraries: Iterable[Path]) -> int:
    """Run a compiler of a toolkit: its exit code. What it says is passed on, and what it misses is said after it."""
    done = subprocess.run(step, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    said = undefined(done.stderr, libraries) if done.returncode else []
    sys.stderr.write(done.stderr + "".join(f"{Path(step[0]).name}: {sentence}\n" for sentence in said))
    return done.returncode


def _siblings(name: str, offered: Sequence[str]) -> list[str]:
    """The functions that an API has whose family a name is of; none if it is of none."""
    family = _FAMILY.match(name)
    found = [other for other in offered if family and other.startswith(family[0])]
    return found if len(found) >= _NEAREST else []


def _instead(name: str, siblings: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, siblings, _NEAREST, _ALIKE)
    instead = f"call {' or '.join(near)}, or " if near else ""
    return f"{name} is no function that mlusim has; {instead}define it in a source of your own"


def _offered(libraries: Iterable[Path]) -> list[str]:
    symbols = (symbol for library in libraries for symbol in Elf(library).dynamic_symbols())
    return sorted({symbol.name for symbol in symbols if symbol.defined and _FAMILY.match(symbol.name)})


def foreign_libraries(libraries: Mapping[str, Path], environment: Mapping[str, str]) -> Iterator[str]:
    """Of each folder in LD_LIBRARY_PATH whose libraries come before ours: a sentence that says what to do."""
    for folder in filter(None, environment.get("LD_LIBRARY_PATH", "").split(os.pathsep)):
        others = [name for name, ours in libraries.items() if _differs(Path(folder, name), ours)]
        if others:
            yield (
                f"LD_LIBRARY_PATH names {folder}, whose {others[0]} is not of this mlusim; take the folder out, or "
                "write that toolkit anew with mlusim toolkit"
            )


def _differs(path: Path, ours: Path) -> bool:
    return path.is_file() and path.read_bytes() != ours.read_bytes()
