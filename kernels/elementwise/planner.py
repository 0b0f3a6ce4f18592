"""The planner: from shapes, strides and types to a policy, a variant, and the parts that cores and NRAM take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np
from mlusim.simulator import Device

from .metadata import Metadata, Shape, elements_coincide
from .operators import Operator
from .plan import Buffer, Plan, Walk
from .types import INT8, INT32, OperatorTypes
from .variants import HALF8, VARIANTS, VariantLayout, find_variant

#: Axes that a kernel walks, as in the operator library.
MAX_DIMENSIONS = 7
#: Elements of a slice, as in PyTorch's `gpu_kernel_impl`.
MAX_SLICE = 65535
#: Elements that are worth a further core.
PER_CORE = 2048
#: Elements by which tiles are rounded, so that every buffer begins at a multiple of 64 bytes.
_UNIT = 64
#: Scratch buffers that int8 with scales needs beside an operator's, and that its division needs.
_QUANTIZED, _DIVISION = 3, 9


@dataclass(frozen=True)
class OperandView:
    """An array as the planner sees it; addresses count modulo 64 bytes."""

    shape: Shape
    strides: Shape  # bytes
    dtype: np.dtype
    address: int


class Chip(NamedTuple):
    """What the planner asks of a device."""

    name: str
    cores: int
    nram: int  # bytes that kernels have of a core's

    @classmethod
    def of(cls, device: Device) -> Chip:
        """That of a device."""
        space = device.shape.spaces["nram"]
        return cls(device.name, device.shape.cores, space.bytes - space.reserved)


@lru_cache(maxsize=256)  # programs call the same operators on the same shapes again and again
def make_plan(
    operator: Operator,
    chip: Chip,
    out: OperandView,
    inputs: tuple[OperandView, ...],
    types: OperatorTypes,
    *,
    scaled: bool = False,
    variant: str | None = None,
) -> Plan:
    """Plan an operator on arrays whose shapes broadcast to that of ``out``.

    Raises ValueError for an output whose elements coincide, more than 7 axes after merging, and a variant that is
    unknown or does not apply.
    """
    if variant is not None and variant not in VARIANTS:
        raise ValueError(f"variant is {variant!r}; pass one of {', '.join(VARIANTS)}")
    metadata = Metadata.create(
        out.shape, out.strides, out.dtype.itemsize, [(a.shape, a.strides, a.dtype.itemsize) for a in inputs]
    )
    if not metadata.output_contiguous and elements_coincide(out.shape, out.strides, out.dtype.itemsize):
        raise ValueError(
            f"out has shape {list(out.shape)} and strides of {list(out.strides)} bytes, so that elements coincide; "
            "pass another"
        )
    arrays = (out, *inputs)
    strides = [metadata.output_strides, *map(metadata.input_strides, range(len(inputs)))]
    channels_last = is_channels_last(out.shape, out.strides, out.dtype.itemsize)
    in_order = variant in ("stride", "limit_nhwc") or (variant is None and channels_last and _all_dense(metadata))
    shape, strides, origins = merge_axes(out.shape, strides, reorder=not in_order, merge=variant != "stride")
    if len(shape) > MAX_DIMENSIONS:
        raise ValueError(
            f"{operator.name} of shape {list(out.shape)} has {len(shape)} axes after merging, and kernels walk at most "
            f"{MAX_DIMENSIONS}; copy an input with np.ascontiguousarray, so that more of them merge"
        )
    dtypes = tuple(array.dtype for array in arrays)
    addresses = tuple((array.address + origin) % 64 for array, origin in zip(arrays, origins, strict=True))
    layout = VariantLayout(shape, strides, dtypes, addresses, channels_last and in_order)
    found = find_variant(layout, variant)
    if found is None:
        raise ValueError(
            f"variant {variant!r} does not apply to {operator.name} of shapes "
            f"{' and '.join(str(list(a.shape)) for a in inputs)}; leave variant out, and the plan says which does"
        )
    name, parameters = found
    contiguous = name == "nobroadcast"
    result, compute = types.result, types.compute
    cast = out.dtype != result or any(array.dtype != types.argument for array in inputs)
    width = HALF8 if name == "half8" else vector_width(dtypes, addresses) if contiguous and not cast else 1
    elements = metadata.output_size
    axes = (1,) * (2 - len(shape)) + shape
    steps = [(0,) * (2 - len(shape)) + own for own in strides]
    scratch = _scratch(operator, out.dtype, result, compute, scaled)
    parts = _Parts(chip, axes, width, elements)
    repeats = [_repeats(own, axes, axes[-2]) for own in steps[1:]]
    parts.fit(_bytes_per_element(out.dtype, inputs, compute, repeats, scratch))
    repeats = [_repeats(own, axes, parts.tile[0]) for own in steps[1:]]
    room = -(-parts.tile[0] * parts.tile[1] // _UNIT) * _UNIT
    return Plan(
        operator=operator.name, device=chip.name,
        policy=("contiguous" if contiguous else "strided") + "_cast" * cast,
        variant=name, int8_form=scaled, parameters=parameters, metadata=metadata, result=result, compute=compute,
        vector_width=width, body=elements // width * width, remainder=elements % width, shape=shape,
        output=Walk("out", out.dtype, strides[0], origins[0]),
        inputs=tuple(
            Walk("ab"[n], a.dtype, strides[n + 1], origins[n + 1], repeats[n], not any(steps[n + 1][:-1]))
            for n, a in enumerate(inputs)
        ),
        cores=parts.cores, slices=parts.slices, slice_shape=parts.slice, tiles=parts.tiles, tile_shape=parts.tile,
        room=room, nram=_nram(out.dtype, inputs, compute, repeats, scratch, room),
    )  # fmt: skip


def merge_axes(
    shape: Shape, strides: Sequence[Shape], *, reorder: bool = True, merge: bool = True
) -> tuple[Shape, list[Shape], list[int]]:
    """Merge adjacent axes that every array, the output first, walks as one: alike broadcast, at matching strides.

    Axes of length 1 go. Axes along which the output runs backwards are turned round, for all arrays; with ``reorder``
    they are put in the order of the output's memory. Returns the shape, the strides of each array, and for each the
    offset in bytes of the element at which the walk begins.
    """
    origins = [0] * len(strides)
    axes = []
    for number, length in enumerate(shape):
        if length != 1:
            steps = [own[number] for own in strides]
            if steps[0] < 0:
                for array, step in enumerate(steps):
                    origins[array] += step * (length - 1)
                    steps[array] = -step
            axes.append((length, steps))
    if reorder:
        axes.sort(key=lambda axis: -axis[1][0])
    merged: list[tuple[int, list[int]]] = []
    for length, steps in axes:
        if merge and merged and merged[-1][1] == [step * length for step in steps]:
            merged[-1] = (merged[-1][0] * length, steps)
        else:
            merged.append((length, steps))
    return (
        tuple(length for length, _ in merged),
        [tuple(steps[array] for _, steps in merged) for array in range(len(strides))],
        origins,
    )


def vector_width(types: Sequence[np.dtype], addresses: Sequence[int]) -> int:
    """4, 2 or 1: the most elements by which every address is aligned."""
    for width in (4, 2):
        if all(address % (width * dtype.itemsize) == 0 for dtype, address in zip(types, addresses, strict=True)):
            return width
    return 1


def is_channels_last(shape: Shape, strides: Shape, itemsize: int) -> bool:
    """Whether an image [N, C, H, W] lies as [N, H, W, C] in memory, and not as it stands."""
    if len(shape) != 4 or shape[1] == 1 or shape[2] * shape[3] == 1 or 0 in shape:
        return False
    _, channels, height, width = shape
    order = (height * width * channels * itemsize, itemsize, width * channels * itemsize, channels * itemsize)
    return all(length == 1 or step == own for length, step, own in zip(shape, order, strides, strict=True))


def _all_dense(metadata: Metadata) -> bool:
    return all(map(metadata.input_contiguous, range(metadata.input_size)))


def _repeats(strides: Shape, axes: Shape, tile_rows: int) -> bool:
    """Whether a tile has an element of an array more than once."""
    return (strides[-1] == 0 and axes[-1] > 1) or (strides[-2] == 0 and tile_rows > 1)


def _scratch(operator: Operator, out: np.dtype, result: np.dtype, compute: np.dtype, scaled: bool) -> int:
    """Scratch buffers of a tile."""
    if scaled:
        return _QUANTIZED + max(operator.scratch, _DIVISION)
    own = (operator.whole_scratch or 0) if compute == INT32 else operator.scratch
    rounds = out != result or INT8 in (out, result)
    return max(own, int(rounds))


def _bytes_per_element(
    out: np.dtype, inputs: Sequence[OperandView], compute: np.dtype, repeats: Sequence[bool], scratch: int
) -> int:
    return sum(size for _, size in _buffers(out, inputs, compute, repeats, scratch))


def _buffers(
    out: np.dtype, inputs: Sequence[OperandView], compute: np.dtype, repeats: Sequence[bool], scratch: int
) -> list[tuple[str, int]]:
    """The buffers of a tile, each with its bytes for an element, in the order in which they are written first."""
    named = list(zip("ab", inputs, strict=False))
    found = [(f"{name} stage {turn}", array.dtype.itemsize) for turn in (0, 1) for name, array in named]
    for (name, array), repeated in zip(named, repeats, strict=False):
        if repeated:
            found.append((f"{name} repeated", array.dtype.itemsize))
        if array.dtype != compute:
            found.append((f"{name} values", compute.itemsize))
    # Where the computation is long, results go while the next ones are computed; else a larger tile is worth more.
    found += [(f"out stage {turn}", out.itemsize) for turn in ((0, 1) if scratch else (0,))]
    if out != compute:
        found.append(("out values", compute.itemsize))
    if scratch:
        found.append(("scratch", scratch * compute.itemsize))
    return found


def _nram(
    out: np.dtype, inputs: Sequence[OperandView], compute: np.dtype, repeats: Sequence[bool], scratch: int, room: int
) -> tuple[Buffer, ...]:
    found, offset = [], 0
    for name, size in _buffers(out, inputs, compute, repeats, scratch):
        found.append(Buffer(name, offset, size * room))
        offset += size * room
    return tuple(found)


class _Parts:
    """Slices for cores and tiles for NRAM."""

    def __init__(self, chip: Chip, axes: Shape, width: int, elements: int) -> None:
        self._budget = chip.nram
        self._rows, self._cols, self._width = prod(axes[:-1]), axes[-1], width
        self._most = max(1, min(chip.cores, elements // PER_CORE))
        self.cores = self.slices = self.tiles = 0
        self.slice = self.tile = (0, 0)

    def fit(self, bytes_per_element: int) -> None:
        """Choose tiles of equal size, as many for every core, and of them slices of at most 65535 elements."""
        rows, cols = self._rows, self._cols
        if not rows * cols:
            return
        capacity = min(self._budget // bytes_per_element // _UNIT * _UNIT, MAX_SLICE // _UNIT * _UNIT)
        if cols > capacity or rows < self._most:  # tiles are parts of rows, and each row is cut alike
            pieces = max(-(-cols // capacity), -(-self._most // rows))
            if rows * pieces > self._most:
                pieces = -(-(-(-rows * pieces // self._most) * self._most) // rows)
            tile = _round_up(-(-cols // pieces), self._width, capacity)
            grouped = self._grouped(pieces, tile, rows)
            self.tile, self.slice = (1, tile), (1, tile * grouped)
        else:
            share = -(-rows // self._most)
            fewest = -(-share // (capacity // cols))
            # A few more tiles, where cores would else have unequal shares by more than a sixteenth.
            even = (n for n in range(fewest, 2 * fewest) if -(-share // n) * n * 16 <= share * 17)
            pieces = next(even, fewest)
            tile = -(-share // pieces)
            grouped = self._grouped(pieces, tile * cols, self._most)
            self.tile, self.slice = (tile, cols), (tile * grouped, cols)
        self.tiles = grouped
        self.slices = -(-rows // self.slice[0]) * -(-cols // self.slice[1])
        self.cores = min(self._most, self.slices)

    def _grouped(self, pieces: int, elements: int, times: int) -> int:
        """How many tiles make a slice: the most that leave every core as many slices as any other."""
        for count in range(min(pieces, MAX_SLICE // elements), 1, -1):
            if pieces % count == 0 and times * pieces // count % self._most == 0:
                return count
        return 1


def _round_up(count: int, width: int, limit: int) -> int:
    """A multiple of ``width`` that is at most ``limit``."""
    return min(-(-count // width) * width, limit // width * width)
