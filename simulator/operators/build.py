"""From sources with host code to a library of operators."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..device import Device
from ..findings import BuildError, Finding, rules
from ..frontend.compiler import Compiler
from ..frontend.inputs import HOST, KERNELS, unreadable
from ..frontend.options import Options
from ..host.build import INCLUDE, Unit, assemble
from ..host.runtime import LIBRARIES, host_library
from ..log import Location

_FLAGS = ("-g", "-O1", "-fPIC", "-w")


def build_operators(sources: Sequence[Path], options: Options, device: Device) -> Path:
    """Build sources into a library. BuildError for what does not compile, or calls what nobody defines."""
    compiler = Compiler()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda source: _object(compiler, source, options, device), dict.fromkeys(sources)))
    libraries = [host_library(compiler, name) for name in LIBRARIES]
    places = [f"-Wl,-rpath,{library.parent}" for library in libraries]
    links = [*map(str, libraries), *places, "-lpthread", "-ldl"]

    def make(path: Path) -> None:
        step = ["-shared", "-o", str(path), *map(str, objects), *links, "-Wl,-z,defs"]
        done = compiler.run(step, path.parent)
        if done.returncode:
            missing = _missing(done.messages)
            finding = Finding(rules.BUILD, missing or "the sources do not link", location=Location(str(sources[0]), 0))
            advice = f"{missing}; name the sources that define them too\n" if missing else ""
            raise BuildError(f"the library of operators does not link: {advice}{done.messages.strip()}", finding)

    key = "\0".join([compiler.version, *links, *(_digest(path) for path in objects)])
    return compiler.cache.file("operators.so", key, make)


def _object(compiler: Compiler, source: Path, options: Options, device: Device) -> Path:
    """The object of a source, kept by what the preprocessor makes of it."""
    if problem := unreadable(source):
        raise BuildError(f"{source} {problem}", Finding(rules.BUILD, problem, location=Location(str(source), 0)))
    if source.suffix == KERNELS:
        text = assemble(Unit(source, options, _FLAGS), device)
        language, step = "assembler", ["-c"]
    else:
        language = HOST[source.suffix]
        standard = options.standard_for(language, "c++17" if language == "c++" else "c11")
        given = [standard, *_FLAGS, *options.folders(), f"-isystem{INCLUDE}", *options.preprocess()]
        done = compiler.run(["-E", "-x", language, *given, str(source.absolute())])
        if done.returncode:
            raise _failed(source, done.messages)
        text = done.output.decode(errors="surrogateescape")
        language, step = ("c++-cpp-output" if language == "c++" else "cpp-output"), ["-c", standard, *_FLAGS]

    def make(path: Path) -> None:
        given = path.with_suffix(".i")
        given.write_bytes(text.encode(errors="surrogateescape"))
        done = compiler.run([*step, "-x", language, "-o", str(path), str(given)], path.parent)
        given.unlink()
        if done.returncode:
            raise _failed(source, done.messages)

    return compiler.cache.file("host.o", "\0".join([compiler.version, language, *step, text]), make)


def _failed(source: Path, messages: str) -> BuildError:
    finding = Finding(rules.BUILD, "does not compile", location=Location(str(source), 0))
    return BuildError(f"{source} does not compile for the host:\n{messages.strip()}", finding)


def _missing(messages: str) -> str:
    """The functions that nobody defines, in a sentence."""
    parts = messages.split("undefined reference to `")[1:]
    names = list(dict.fromkeys(part.partition("'")[0] for part in parts))
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"no source defines {', '.join(names[:3])}{more}"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
