"""A folder laid out like the vendor's SDK, with which a project's own build makes programs that run here."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...files import write_atomically
from ...launches.device import Device
from ...native.compiler import Compiler
from .facts import check_host_device
from .runtime import host_libraries
from .sdk import SDKS, Sdk

_MODULE = "mlusim.simulator.host.programs"
_MARK = "mlusim.conf"


def write_toolkit(folder: Path, names: Sequence[str]) -> list[Path]:
    """Write a toolkit for devices, the first being what kernels are compiled for; the files that it holds.

    ValueError for a folder that holds something else, OSError when it cannot be written, BuildError when the libraries
    cannot be built.
    """
    devices = [Device.load(name) for name in names]
    for device in devices:
        check_host_device(device)
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / "lib64" / _MARK).exists())):
        raise ValueError(f"{folder} is there, and no toolkit; name a new folder")
    compiler = Compiler()
    sdk = SDKS[devices[0].isa]
    if not sdk.tools:
        raise ValueError(f"there is no toolkit for programs of the {sdk.runtime}; `mlusim run` builds and runs them")
    if any(device.isa != devices[0].isa for device in devices):
        raise ValueError(f"{', '.join(names)} are of several vendors' SDKs; write a toolkit for each")
    libraries = host_libraries(compiler, isa=devices[0].isa)
    listed = ",".join(_device_word(name) for name in names)
    written = []
    for tool in sdk.tools:
        module = f"{_MODULE}.{sdk.compilers}"
        words = [sys.executable, "-I", "-m", module, tool, _device_word(names[0]), str(folder / "lib64")]
        # A build file's own CXX may be this very tool.
        text = f'#!/bin/sh\nCXX={shlex.quote(compiler.title)} exec {shlex.join(words)} "$@"\n'
        written.append(_write(folder / "bin" / tool, text))
        written[-1].chmod(0o755)
    for header in _headers(sdk):
        written.append(_write(folder / "include" / header.name, f'#include "{header}"\n'))
    for name, library in libraries.items():
        target = folder / "lib64" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(".part")
        shutil.copyfile(library, part)
        os.replace(part, target)
        written.append(target)
    for name, other in sdk.aliases.items():  # scripts for the linker
        written.append(_write(folder / "lib64" / name, f"INPUT({other})\n"))
    for path in sdk.modules:
        written.append(_write(folder / "cmake" / "modules" / path.name, path.read_text(encoding="utf-8")))
    written.append(_write(folder / "lib64" / _MARK, f"{sys.executable}\n{_MODULE}.serve\n{listed}\n"))
    written.append(_write(folder / "version.txt", "mlusim\n"))
    for vendor in SDKS.values():  # what a toolkit for another vendor's devices has left here
        for path in set(_files(vendor, folder)).difference(written):
            path.unlink(missing_ok=True)
    link = folder / "lib"
    if not link.is_symlink():
        link.symlink_to("lib64")
    return written


def _headers(sdk: Sdk) -> list[Path]:
    """The headers that programs may include; of two of a name the first folder's comes last."""
    found = sorted(header for headers in reversed(sdk.headers) for header in headers.glob("*.h"))
    return [header for header in found if not header.name.startswith("mlusim_")]


def _files(sdk: Sdk, folder: Path) -> Iterator[Path]:
    """Where a toolkit has the files that depend on its vendor."""
    yield from (folder / "bin" / tool for tool in sdk.tools)
    yield from (folder / "include" / header.name for header in _headers(sdk))
    yield from (folder / "lib64" / name for name in (*sdk.libraries, *sdk.aliases))
    yield from (folder / "cmake" / "modules" / path.name for path in sdk.modules)


def asked_of_make(folder: Path, name: str) -> str:
    """What a build file is given, so that it builds with a toolkit for a device."""
    return SDKS[Device.load(name).isa].asks.format(folder.absolute())


def _device_word(name: str) -> str:
    """A device as a file names it, wherever it is read."""
    return str(Path(name).absolute()) if name.endswith(".toml") else name


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as file:
        file.write(text.encode())
    return path
