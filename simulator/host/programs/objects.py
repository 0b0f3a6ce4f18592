"""Objects of sources with host code, kept by what the preprocessor makes of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ...kernelc.inputs import HOST, KERNELS, embedded
from ...launches.device import Device
from ...native.compiler import Compiler
from .build import HEADERS, HostUnit, check, preprocessed, read_unit


def built_objects(compiler: Compiler, units: Sequence[HostUnit], device: Device) -> list[Path]:
    """An object for each source, kernels and host code in one; BuildError for one that does not compile."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda unit: _object(compiler, unit, device), units))


def _object(compiler: Compiler, unit: HostUnit, device: Device) -> Path:
    return _of_kernels(compiler, unit, device) if unit.path.suffix == KERNELS else _of_host(compiler, unit)


def _of_kernels(compiler: Compiler, unit: HostUnit, device: Device) -> Path:
    read = read_unit(unit, device)

    def make(path: Path) -> None:
        assembly = path.with_suffix(".s")
        assembly.write_text(read.assembly(), encoding="utf-8")
        check(unit, compiler.run(["-c", "-o", str(path), str(assembly)], path.parent))

    return compiler.cache.file("kernels.o", read.key(), make)


def _of_host(compiler: Compiler, unit: HostUnit) -> Path:
    options, language = unit.options, HOST.get(unit.path.suffix, "c++")
    standard = [options.standard_for(language, "c++17" if language == "c++" else "c11")] if options.standard else []
    given = [*standard, *unit.flags, *options.folders(), f"-isystem{HEADERS}", *options.preprocess()]
    text = preprocessed(compiler, unit, ["-E", "-x", language, *given, str(unit.path.absolute())])
    step = ["-c", *standard, *unit.flags, "-x", "c++-cpp-output" if language == "c++" else "cpp-output"]

    def make(path: Path) -> None:
        source = path.with_suffix(".i")
        source.write_bytes(text.encode(errors="surrogateescape"))
        check(unit, compiler.run([*step, *options.folders(), "-o", str(path), str(source)], path.parent))

    key = [compiler.version, *step, text, embedded(text, options.include)]
    return compiler.cache.file("host.o", "\0".join(key), make)
