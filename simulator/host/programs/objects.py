"""Objects of sources with host code, kept by what the preprocessor makes of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ...kernelc.inputs import HOST, KERNELS, embedded
from ...launches.device import Device
from ...native.compiler import Compiler
from .build import HostUnit, check, preprocessed, read_unit, returning
from .cc import has_kernels, kernels_assembly
from .sdk import LINKED, SDKS


def built_objects(compiler: Compiler, units: Sequence[HostUnit], device: Device) -> list[Path]:
    """An object for each source, kernels and host code in one; BuildError for one that does not compile."""

    def is_for_tpu(unit: HostUnit) -> bool:
        if device.isa in LINKED or unit.path.suffix in KERNELS:
            return False
        return has_kernels(compiler, unit.path, unit.options, device)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        beside = [unit.path for unit, kernels in zip(units, pool.map(is_for_tpu, units), strict=True) if kernels]
        return list(pool.map(lambda unit: _object(compiler, unit, device, beside), units))


def _object(compiler: Compiler, unit: HostUnit, device: Device, beside: Sequence[Path]) -> Path:
    """The object of a source; ``beside`` are those of a TPU's kernels, which may call each other's functions."""
    if unit.path.suffix in KERNELS:
        read = read_unit(unit, device)
        return _of_kernels(compiler, unit, read.key(), read.assembly)
    if unit.path in beside:
        text = kernels_assembly(compiler, unit.path, unit.options, device, beside)
        return _of_kernels(compiler, unit, "\0".join([compiler.version, text]), lambda: text)
    return _of_host(compiler, unit, [f"-isystem{folder}" for folder in SDKS[device.isa].headers])


def _of_kernels(compiler: Compiler, unit: HostUnit, key: str, written: Callable[[], str]) -> Path:
    def make(path: Path) -> None:
        assembly = path.with_suffix(".s")
        assembly.write_text(written(), encoding="utf-8")
        check(unit, compiler.run(["-c", "-o", str(path), str(assembly)], path.parent))

    return compiler.cache.file("kernels.o", key, make)


def _of_host(compiler: Compiler, unit: HostUnit, headers: Sequence[str]) -> Path:
    options, language = unit.options, HOST.get(unit.path.suffix, "c++")
    standard = [options.standard_for(language, "c++17" if language == "c++" else "c11")] if options.standard else []
    given = [*standard, *unit.flags, *options.folders(), *headers, *options.preprocess()]
    text = preprocessed(compiler, unit, ["-E", "-x", language, *given, str(unit.path.absolute())])
    kind = "c++-cpp-output" if language == "c++" else "cpp-output"
    step = ["-c", *standard, *returning(compiler), *unit.flags, "-x", kind]

    def make(path: Path) -> None:
        source = path.with_suffix(".i")
        source.write_bytes(text.encode(errors="surrogateescape"))
        check(unit, compiler.run([*step, *options.folders(), "-o", str(path), str(source)], path.parent))

    key = [compiler.version, *step, text, embedded(text, options.include)]
    return compiler.cache.file("host.o", "\0".join(key), make)
