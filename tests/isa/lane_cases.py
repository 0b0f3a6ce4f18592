"""Calls of instructions on tensors: operands in the local memory of a core, and memory as the reference leaves it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from mlusim.simulator import Device

from tests.isa.references import tensors
from tests.isa.references.lanes import Four, Local, Tensor
from tests.isa.references.numbers import encode, size_of
from tests.isa.references.values import mixed

#: `data_type_t` of the element types.
CODES = {"uint8": 0, "int8": 1, "half": 3, "float": 5, "uint16": 6, "int16": 7, "uint32": 8, "int32": 9, "bfloat16": 11,
         "float8e5m2": 15, "float8e4m3": 47}  # fmt: skip
#: Bytes of a lane here: so few that all of them can be compared after every instruction.
LANE_BYTES = 4096
#: How an operand may lie; the last two are for sources.
LAYOUTS = ("aligned", "dense", "apart", "turned", "repeated", "one")
PLAIN = LAYOUTS[:4]
COPIES = ("tpu_gdma_cpy_S2L", "tpu_gdma_cpy_L2S")
#: Floats of the tables that `tpu_bdc_fp32_pow` reads, one copy in every lane.
TABLES = (32, 64, 192)


@dataclass(frozen=True)
class Struct:
    """An argument that C passes by pointer, None for null."""

    name: str
    fields: tuple[int, ...] | None


@dataclass(frozen=True)
class Outside:
    """A byte of system memory."""

    offset: int


@dataclass(frozen=True)
class Case:
    """One call: its operands in order, and memory before and after it; ``near`` = steps that floats may be off."""

    name: str
    operands: tuple[Tensor, ...]
    before: bytes
    local: Local
    mode: int = 0
    system_before: bytes = bytes(4)
    system: bytes = bytes(4)
    near: float = 0
    arguments: tuple[Any, ...] = ()  # in the vendor's order, where the name alone does not say what they are
    written_outside: bool = False  # the first operand lies in system memory
    works: tuple[Tensor, ...] = ()  # to which the system memory is copied afterwards

    @property
    def inside(self) -> list[Tensor]:
        """The operands in local memory."""
        return [t for number, t in enumerate(self.operands) if number != self.outside]

    @property
    def outside(self) -> int:
        """The number of the operand in system memory, -1 where there is none."""
        return {"tpu_gdma_cpy_S2L": 1, "tpu_gdma_cpy_L2S": 0}.get(self.name, -1)

    def difference(self, image: bytes, system: bytes) -> str:
        """Where memory is not what the reference says, "" where it is."""
        found = Local(self.local.lanes, self.local.lane_bytes, self.local.eu_bytes)
        found.load(image)
        if self.outside != 0 and not self.written_outside:
            tensors.accept(found, self.local, self.operands[0], self.near)
        for what, mine, wanted in (("local", image, self.local.image()), ("system", system, self.system)):
            if mine != wanted:
                wrong = [at for at, (a, b) in enumerate(zip(mine, wanted, strict=True)) if a != b]
                lane, byte = divmod(wrong[0], LANE_BYTES)
                where = f"{what} memory, {lane} x {LANE_BYTES} + {byte}"
                return f"{self.name} {self.mode} {self.operands}: {len(wrong)} bytes differ, the first is {where}"
        return ""


@cache
def device(chip: str) -> Device:
    """A chip with small lanes."""
    lanes = Device.load(chip).shape.lanes
    return Device.load(chip).replace({"shape.spaces.local.bytes": lanes * LANE_BYTES})


def local_memory(chip: str, seed: object = 0) -> Local:
    """The local memory of a core, full of bytes that no two lanes have alike."""
    shape = device(chip).shape
    local = Local(shape.lanes, LANE_BYTES, shape.eu_bytes)
    local.load(random.Random(f"{chip} {seed}").randbytes(shape.lanes * LANE_BYTES))
    return local


def whole(local: Local) -> Four:
    """The shape, in bytes, of all of a local memory."""
    return (1, local.lanes, 64, local.lane_bytes // 64)


@dataclass
class Room:
    """Places in a local memory for one operand after the other, each with values of its own."""

    local: Local
    chance: random.Random
    start: int  # the lane in which all of them begin
    used: int = 0  # bytes of a lane

    def tensor(self, layout: str, shape: Four, kind: str, values: Sequence[Any] | None = None) -> Tensor:
        """A tensor behind the ones before it; of random values unless they are given."""
        size = size_of(kind)
        stride = strides(layout, shape, -(-(self.start + shape[1]) // self.local.lanes), self.chance)
        multiple = self.local.eu_bytes if stride is None else size
        offset = -(-(self.used + 1) // multiple) * multiple
        if stride and offset % self.local.eu_bytes == 0:
            offset += size  # where an aligned tensor could not be
        tensor = Tensor(self.start * self.local.lane_bytes + offset, shape, kind, stride)
        count = len(list(tensor.indices()))
        given = mixed(kind, count, f"{self.start} {offset}") if values is None else [*values] * count
        self.local.write(tensor, given[:count])
        self.used = self.local.end(tensor)
        return tensor


def strides(layout: str, shape: Four, rows: int, chance: random.Random) -> Four | None:
    """Strides in elements: None; no gaps; gaps; the last dimension outermost; some dimensions, or all, repeated."""
    n, _, h, w = shape
    if layout == "aligned":
        return None
    if layout == "one":
        return (0, 0, 0, 0)
    if layout == "turned":
        return (h * rows, h, 1, n * h * rows)
    gap = 0 if layout == "dense" else 1
    step = 1 + gap * chance.randrange(3)
    line = w * step + gap * chance.randrange(4)
    channel = h * line + gap * chance.randrange(5)
    found = [rows * channel + gap, channel, line, step]
    if layout == "repeated":
        for axis in chance.sample(range(4), 2):
            found[axis] = 0
    return (found[0], found[1], found[2], found[3])


def shapes(lanes: int) -> Iterator[tuple[int, Four]]:
    """Start lane and shape: channels fewer than the lanes, as many, and more than twice as many."""
    for start in (0, 5, lanes - 1):
        yield start, (2, 3, 2, 3)
        yield start, (1, lanes, 1, 2)
        yield start, (2, 2 * lanes + 3, 1, 2)
    yield 5, (3, lanes - 5, 2, 2)  # ends with the last lane
    yield 1, (1, 1, 1, 1)


def rooms(chip: str, seed: object) -> Iterator[tuple[Room, Four]]:
    """Empty rooms, and the shape of what is to be put into them."""
    chance = random.Random(f"{chip} {seed}")
    for number, (start, shape) in enumerate(shapes(device(chip).shape.lanes)):
        yield Room(local_memory(chip, number), chance, start), shape


def binary(name: str, local: Local, dst: Tensor, src0: Tensor, src1: Tensor) -> Case:
    """A function of two tensors."""
    before = local.image()
    tensors.binary(local, name, dst, src0, src1)
    zeros = 0.5 if name in tensors.EXTREMES else 0  # steps: which of two zeros wins is not stated
    return Case(name, (dst, src0, src1), before, local, near=zeros)


def cast(local: Local, dst: Tensor, src: Tensor, mode: int) -> Case:
    """`tpu_bdc_cast`."""
    before = local.image()
    tensors.cast(local, dst, src, mode)
    return Case("tpu_bdc_cast", (dst, src), before, local, mode)


def power(local: Local, start: int, bases: Sequence[float], exponents: Sequence[float]) -> Case:
    """`tpu_bdc_fp32_pow`; afterwards the first system bytes are copied to its work operands, which it clobbers."""
    shape = (1, 48, 1, 3)
    room = Room(local, random.Random(start), start)
    dst, src0, src1, *works = (room.tensor("aligned", shape, "float", v) for v in ([0.0], bases, exponents, None, None))
    room.start = 0
    tables = [room.tensor("aligned", (1, local.lanes, 1, count), "float") for count in TABLES]
    before, system = local.image(), encode("float", range(144))
    tensors.fp32_pow(local, dst, src0, src1)
    for work in works:
        tensors.cpy_s2l(local, system, work, Tensor(0, shape, "float"))
    operands = (dst, src0, src1, *works, *tables)
    return Case("tpu_bdc_fp32_pow", operands, before, local, 0, system, system, tensors.POWER_ULPS)


def copy(name: str, room: Room, layout: str, shape: Four, kind: str) -> Case:
    """A copy from or to system memory: a continuous tensor there, or one with gaps that it leaves."""
    n, c, h, w = shape
    inside = room.tensor(layout, shape, kind)
    channel = h * (2 * w + 1) + room.chance.randrange(3)
    stride = None if layout == "aligned" else (c * channel + 1, channel, 2 * w + 1, 2)
    outside = Tensor(3 * size_of(kind), shape, kind, stride)
    before, system = (
        room.local.image(),
        random.Random(str(shape)).randbytes(size_of(kind) * (n * (c * channel + 1) + 9)),
    )
    after = bytearray(system)
    if name == "tpu_gdma_cpy_S2L":
        tensors.cpy_s2l(room.local, system, inside, outside)
        return Case(name, (inside, outside), before, room.local, 0, system, system)
    tensors.cpy_l2s(after, room.local, outside, inside)
    return Case(name, (outside, inside), before, room.local, 0, system, bytes(after))
