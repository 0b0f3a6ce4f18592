"""Images of kernels that host programs carry."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ....isa import DIALECTS, declared_in
from ....isa.cached import cached_property
from ...chip import Shape
from ...chip.launch_kinds import LaunchKind, Three, whole_dim
from ...engines.description import decode_description
from ...engines.tasks.lines import LineTable
from ...native.compiler import Compiler
from .facts import LARGEST_DIM
from .origin import Origin

if TYPE_CHECKING:
    from ...launches.anew import BuiltAnew
    from ...launches.image import LaunchableImage

_NAME = "kernels.so"

#: So many bytes are more than the padding at the end of a structure, which the one of the host may lack.
_PADDING = 8


@dataclass(frozen=True)
class ProgramImage:
    """The kernels of one source of a host program. ``shape`` is that of the device that they were built for."""

    library: Path
    kernels: tuple[str, ...]
    signatures: tuple[str, ...]  # of each, see `arguments.parse_signature`
    sizes: tuple[tuple[int, ...], ...]  # bytes of the parameters of each
    blocks: tuple[int, ...]  # bytes of the structure that the one parameter of a kernel points to, 0: not known
    lines: LineTable
    runtime: str
    declared: str  # the instructions, which its kernels call by number
    shape: dict[str, Any]
    digest: str  # of the library as it was built
    origin: Origin

    @cached_property
    def anew(self) -> BuiltAnew | None:
        """What builds its kernels anew; None where their source is no longer what it was built of."""
        return self.origin.anew(Shape.from_dict(self.shape), self.kernels, self.digest)

    def refused(self, shape: Shape, runtime: str) -> str:
        """Why it cannot run on a device of this shape, "" if it can."""
        same_language = self.shape["isa"] == shape.isa
        if self.runtime != runtime or (same_language and self.declared != declared_in(DIALECTS[shape.isa])):
            return "the program was built by another version of mlusim; build it again"
        built, now = self.shape, shape.to_dict()
        if built != json.loads(json.dumps(now)):
            return (
                f"the kernels were built for a device of {built['isa']} arch {built['arch']} with {built['clusters']} "
                f"clusters, and run on another one (arch {shape.arch}, {shape.clusters} clusters); build them for it"
            )
        return ""

    def misfit(self, kernel: int, shape: Shape, dim: Three, kind: LaunchKind | None, sizes: Sequence[int]) -> str:
        """What is wrong with a launch of a kernel on such a device, with arguments of these bytes; "" if nothing is."""
        if kind is None:
            return "the type of the launch is none of cnrtFunctionType_t"
        if not kind.transactions and max(dim) > LARGEST_DIM:  # the program itself knows the limits of a grid
            return f"a launch of {'x'.join(map(str, dim))} tasks; a dimension is {LARGEST_DIM} at most"
        try:
            kind.check(shape, whole_dim(dim))
        except ValueError as error:
            return str(error)
        wanted = self.sizes[kernel]
        if len(wanted) != len(sizes):
            return f"{self.kernels[kernel]} takes {len(wanted)} arguments, and {len(sizes)} are passed"
        for number, (size, given) in enumerate(zip(wanted, sizes, strict=True)):
            if size and size != given:
                return f"argument {number} of {self.kernels[kernel]} has {size} bytes, and {given} are passed"
        block = self.blocks[kernel]
        if block and sum(sizes) <= block - _PADDING:
            return f"{self.kernels[kernel]} reads its arguments as {block} bytes, and {sum(sizes)} are passed"
        return ""


#: What has the kernel of a launch, and its lines.
Built: TypeAlias = "ProgramImage | LaunchableImage"


class Images:
    """The images that a program has announced, by number, and why one cannot run on a device."""

    def __init__(self, compiler: Compiler, runtime: str) -> None:
        """``runtime`` is the one that runs them, in a word."""
        self._compiler, self._runtime = compiler, runtime
        self._announced: dict[int, tuple[str, str]] = {}  # digest, what is said of it
        self._loaded: dict[int, ProgramImage] = {}
        self._refused: dict[tuple[int, str], str] = {}

    def announce(self, number: int, said: str) -> bool:
        """Whether this machine has kept the image of which the program says this; else its bytes have to come."""
        digest, _, about = said.partition("\n")
        self._announced[number] = digest, about
        library = kept_image(self._compiler, digest)
        if library is not None:
            self._load(number, library, digest, about)
        return library is not None

    def bring(self, number: int, content: bytes) -> None:
        """The bytes of an announced image have come."""
        digest, about = self._announced[number]
        if hashlib.sha256(content).hexdigest() == digest:
            self._load(number, keep_image(self._compiler, digest, content), digest, about)

    def on(self, shape: Shape, device: str, number: int) -> tuple[ProgramImage | None, str]:
        """An image for the device of this shape and name, or None and why it cannot run there; looked at once."""
        image = self._loaded.get(number)
        if image is None:
            return None, "the image of the program's kernels is damaged; build the program again"
        if (number, device) not in self._refused:
            self._refused[number, device] = image.refused(shape, self._runtime)
        problem = self._refused[number, device]
        return None if problem else image, problem

    def _load(self, number: int, library: Path, digest: str, about: str) -> None:
        with suppress(ValueError, KeyError, TypeError):  # what is said of it is damaged
            self._loaded[number] = read_image(library, digest, about)


def kept_image(compiler: Compiler, digest: str) -> Path | None:
    """The library of an image that this machine has kept."""
    return compiler.cache.find(_NAME, _key(digest))


def keep_image(compiler: Compiler, digest: str, content: bytes) -> Path:
    """Keep the library of an image."""

    def make(path: Path) -> None:
        path.write_bytes(content)

    return compiler.cache.file(_NAME, _key(digest), make)


def read_image(library: Path, digest: str, about: str) -> ProgramImage:
    """An image from its library and what the program says of it; ValueError, KeyError or TypeError if damaged."""
    *listed, text = about.rstrip("\n").split("\n")
    facts = json.loads(text)
    kernels = tuple(facts["kernels"])
    description = decode_description(json.dumps(facts["description"]).encode(), len(kernels))
    lines = LineTable(library, [variable.location for variable in description.variables])
    sizes = tuple(tuple(int(size) for size in line.split(",") if size) for line in listed)
    return ProgramImage(
        library,
        kernels,
        description.signatures,
        sizes,
        tuple(facts["blocks"]),
        lines,
        facts["runtime"],
        facts.get("declared", ""),
        facts["shape"],
        digest,
        Origin.read(facts["origin"]),
    )


def _key(digest: str) -> str:
    return f"image of a program {digest}"
