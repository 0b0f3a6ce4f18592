"""What the planner decided, as data that prints readably."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .metadata import Metadata, Shape


@dataclass(frozen=True)
class Buffer:
    """A part of NRAM, in bytes from the beginning of the kernel's."""

    name: str
    offset: int
    bytes: int


@dataclass(frozen=True)
class Walk:
    """How the kernel goes through one array."""

    name: str
    dtype: np.dtype
    strides: Shape  # in bytes, one for each merged axis
    origin: int  # bytes from the array's first element to that of the walk: not 0 where an axis is walked backwards
    repeats: bool = False  # elements are repeated within a tile
    one_row: bool = False  # all rows are the same

    def __str__(self) -> str:
        repeated = ", repeated on chip" if self.repeats else ""
        return f"{self.dtype}, strides {_shape(self.strides)} bytes{repeated}"


@dataclass(frozen=True)
class Plan:
    """How an operator is carried out; made by `plan`, which runs nothing.

    The output is taken as rows of columns: the last merged axis makes the columns, all others the rows. Slices and
    tiles are (rows, columns).
    """

    operator: str
    device: str
    policy: str  # contiguous, contiguous_cast, strided or strided_cast
    variant: str
    int8_form: bool  # int8 with scales
    parameters: Mapping[str, int]  # of the variant, in the terms of the operator library's kernels
    metadata: Metadata
    result: np.dtype  # of the operator, before it is cast to the type of the output
    compute: np.dtype
    vector_width: int
    body: int  # elements in whole vectors
    remainder: int
    shape: Shape  # of the merged axes
    output: Walk
    inputs: tuple[Walk, ...]
    cores: int
    slices: int
    slice_shape: tuple[int, int]
    tiles: int  # in a slice
    tile_shape: tuple[int, int]
    room: int  # elements of a tile's buffers
    nram: tuple[Buffer, ...] = field(repr=False)

    def __hash__(self) -> int:
        return hash((self.operator, self.variant, self.shape, self.tile_shape))

    @property
    def nram_bytes(self) -> int:
        """Bytes of NRAM in use."""
        return max((buffer.offset + buffer.bytes for buffer in self.nram), default=0)

    def __str__(self) -> str:
        parameters = [f"{name}={value}" for name, value in self.parameters.items()]
        rows = [
            ("operator", f"{self.operator} on {self.device}, {_shape(self.metadata.output_shape)} {self.result}"),
            ("policy", f"{self.policy}, computed in {self.compute}"),
            ("variant", " ".join([self.variant + "_int8" * self.int8_form, *parameters])),
            ("vectors", f"{self.vector_width} wide: {self.body} elements in vectors, {self.remainder} after them"),
            ("axes", f"{_shape(self.shape)} after merging"),
            *((f"  {walk.name}", str(walk)) for walk in (self.output, *self.inputs)),
            ("slices", f"{self.slices} of at most {_shape(self.slice_shape)}, over {self.cores} cores in turn"),
            ("tiles", f"{self.tiles} in a slice, of at most {_shape(self.tile_shape)}"),
            ("NRAM", f"{self.nram_bytes} bytes"),
            *((f"  {b.name}", f"{b.offset:#08x} .. {b.offset + b.bytes:#08x}") for b in self.nram),
        ]  # fmt: skip
        return "\n".join(f"{name:<16}{text}".rstrip() for name, text in rows)


def _shape(shape: Shape) -> str:
    return " x ".join(map(str, shape)) or "1"
