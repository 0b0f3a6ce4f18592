"""A call in the making, of a function that is not done to every element by itself."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.isa.lane_cases import Case, Room, Struct, local_memory
from tests.isa.references.lanes import Four, Tensor, continuous, system_put, system_raw
from tests.isa.references.numbers import encode, size_of
from tests.isa.references.values import mixed

ALIGNED, STRIDED, COMPACT = "aligned", "apart", "compact"
Index = tuple[int, int, int, int]


@dataclass
class Bench:
    """A call in the making: operands here and outside, and arguments in order."""

    chip: str
    chance: random.Random
    start: int
    kind: str

    def __post_init__(self) -> None:
        self.room = Room(local_memory(self.chip, self.chance.random()), self.chance, self.start)
        self.local, self.lanes = self.room.local, self.room.local.lanes
        self.system = bytearray(self.chance.randbytes(1 << 15))
        self.outside = 0
        self.moved: list[tuple[Tensor, bool]] = []

    def inside(self, shape: Four, layout: str = ALIGNED, lane: int | None = None, kind: str = "") -> Tensor:
        """A tensor across lanes, of random values."""
        room = replace(self.room, start=self.start if lane is None else lane)
        kind = kind or self.kind
        if layout == COMPACT:
            rows, (_, _, h, w) = -(-(room.start + shape[1]) // self.lanes), shape
            made = room.tensor("dense", shape, kind)
            made = replace(made, stride=(rows * h * w, h * w, w, 1))
        elif layout == "line":
            width = self.local.eu_bytes // size_of(kind)
            line = -(-shape[3] // width) * width
            rows = -(-(room.start + shape[1]) // self.lanes)
            made = room.tensor(ALIGNED, (shape[0], shape[1], shape[2], line), kind)
            made = replace(made, shape=shape, stride=(rows * shape[2] * line, shape[2] * line, line, 1))
        else:
            made = room.tensor(layout, shape, kind)
        self.room.used = room.used
        return made

    def beyond(self, shape: Four, stride: Four | None = None, kind: str = "") -> Tensor:
        """A tensor in system memory, of random values."""
        kind = kind or self.kind
        size = size_of(kind)
        strides = stride or continuous(shape)
        made = Tensor(-(-self.outside // size) * size + size, shape, kind, stride)
        self.outside = made.address + size * (1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)))
        self.system += self.chance.randbytes(max(self.outside - len(self.system), 0))
        count = shape[0] * shape[1] * shape[2] * shape[3]
        system_put(self.system, made, [encode(kind, [value]) for value in mixed(kind, count, self.outside)])
        return made

    def values(self, tensor: Tensor, outside: bool = False) -> dict[Index, bytes]:
        """The bytes of every element."""
        raw = system_raw(self.system, tensor) if outside else self.local.raw(tensor)
        return dict(zip(tensor.indices(), raw, strict=True))

    def case(
        self, name: str, dst: Tensor, outside: bool, value: Callable[[Index], bytes], arguments: list[Any]
    ) -> Case:
        """The call whose result is ``value`` of every index of ``dst``."""
        before, system = self.local.image(), bytes(self.system)
        found = [value(index) for index in dst.indices()]
        if outside:
            system_put(self.system, dst, found)
        else:
            self.local.put(dst, found)
        return Case(
            f"tpu_{name}", (dst,), before, self.local, arguments=tuple(arguments), system_before=system,
            system=bytes(self.system), written_outside=outside,
        )  # fmt: skip


def dim4(fields: Four | None) -> Struct:
    return Struct("dim4", fields)
