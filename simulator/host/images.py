"""Images of kernels that host programs carry."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..execution import check_launch
from ..findings import BuildError
from ..frontend.compiler import Compiler
from ..hardware import Shape
from ..native import LineTable
from ..worker.answer import decode_description

_NAME = "kernels.so"


@dataclass(frozen=True)
class ProgramImage:
    """The kernels of one source of a host program. ``shape`` is that of the device that they were built for."""

    library: Path
    kernels: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]  # bytes of the parameters of each kernel
    lines: LineTable
    runtime: str
    shape: dict[str, Any]

    def refused(self, shape: Shape, runtime: str) -> str:
        """Why it cannot run on a device of this shape, "" if it can."""
        if self.runtime != runtime:
            return "the program was built by another version of mlusim; build it again"
        built, now = self.shape, shape.to_dict()
        if built != json.loads(json.dumps(now)):
            return (
                f"the kernels were built for a device of {built['isa']} arch {built['arch']} with {built['clusters']} "
                f"clusters, and run on another one (arch {shape.arch}, {shape.clusters} clusters); build them for it"
            )
        return ""

    def misfit(self, kernel: int, shape: Shape, dim: tuple[int, int, int], kind: str, sizes: Sequence[int]) -> str:
        """What is wrong with a launch of a kernel on such a device, with arguments of these bytes; "" if nothing is."""
        if not kind:
            return "the type of the launch is none of cnrtFunctionType_t"
        try:
            check_launch(shape, dim, kind)
        except ValueError as error:
            return str(error)
        wanted = self.sizes[kernel]
        if len(wanted) != len(sizes):
            return f"{self.kernels[kernel]} takes {len(wanted)} arguments, and {len(sizes)} are passed"
        for number, (size, given) in enumerate(zip(wanted, sizes, strict=True)):
            if size and size != given:
                return f"argument {number} of {self.kernels[kernel]} has {size} bytes, and {given} are passed"
        return ""


def kept_image(compiler: Compiler, digest: str) -> Path | None:
    """The library of an image that this machine has kept."""
    try:
        return compiler.cache.file(_NAME, _key(digest), _missing)
    except FileNotFoundError:
        return None
    except BuildError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise


def is_image(digest: str, content: bytes) -> bool:
    """Whether bytes are those of the image that a program names."""
    return hashlib.sha256(content).hexdigest() == digest


def keep_image(compiler: Compiler, digest: str, content: bytes) -> Path:
    """Keep the library of an image."""

    def make(path: Path) -> None:
        path.write_bytes(content)

    return compiler.cache.file(_NAME, _key(digest), make)


def read_image(library: Path, about: str) -> ProgramImage:
    """An image from its library and what the program says of it; ValueError, KeyError or TypeError if damaged."""
    *listed, text = about.rstrip("\n").split("\n")
    facts = json.loads(text)
    kernels = tuple(facts["kernels"])
    description = decode_description(json.dumps(facts["description"]).encode(), len(kernels))
    lines = LineTable(library, [variable.location for variable in description.variables])
    sizes = tuple(tuple(int(size) for size in line.split(",") if size) for line in listed)
    return ProgramImage(library, kernels, sizes, lines, facts["runtime"], facts["shape"])


def _key(digest: str) -> str:
    return f"image of a program {digest}"


def _missing(path: Path) -> None:
    raise FileNotFoundError(path)
