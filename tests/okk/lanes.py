"""The local memory of a BM1684 in NumPy, one index at a time, and calls on it in Python kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from mlusim.simulator import Device, Finding, launch

LANES, EU_WORDS, WORDS = 64, 32, 8192
LANE_BYTES = 4 * WORDS
Four = tuple[int, int, int, int]
#: Values that functions of floats treat apart, subnormal ones among them.
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 3e38, -3e38, 1.5e-38, 0.1, 1 / 3, 16777217.0)


@cache
def device() -> Device:
    """A BM1684 with small lanes."""
    return Device.load("bm1684").replace({"shape.spaces.local.bytes": LANES * LANE_BYTES})


def ceiling(x: int, step: int) -> int:
    return -(-x // step) * step


@dataclass(frozen=True)
class Tensor:
    """[n, c, h, w] words at an address of local memory; ``stride`` None is the aligned layout."""

    address: int
    shape: Four
    stride: Four | None = None
    words: int = 1  # of an element

    @property
    def strides(self) -> Four:
        """In elements, those of the aligned layout too."""
        _, c, h, w = self.shape
        channel = ceiling(h * w, EU_WORDS)
        return self.stride or ((self.address // LANE_BYTES + c + LANES - 1) // LANES * channel, channel, w, 1)

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Lane and word of every element."""
        start, offset = divmod(self.address, LANE_BYTES)
        n, c, h, w = np.ix_(*map(np.arange, self.shape))
        ns, cs, hs, ws = (stride * self.words for stride in self.strides)
        word = offset // 4 + n * ns + (start + c) // LANES * cs + h * hs + w * ws
        lane = np.broadcast_to((start + c) % LANES, word.shape)
        assert 0 <= word.min() <= word.max() < WORDS
        return lane, word


@dataclass
class Room:
    """All of local memory as words [lane, word], and places in it for one operand after the other."""

    seed: int
    start: int
    image: np.ndarray = field(init=False)
    used: int = 0  # words of a lane

    def __post_init__(self) -> None:
        self.chance = np.random.default_rng(self.seed)
        self.image = self.chance.standard_normal((LANES, WORDS)).astype(np.float32).view(np.uint32)
        spread = self.chance.random(self.image.shape) < 0.2
        self.image[spread] = self.chance.choice(np.array(SPECIAL, np.float32), self.image.shape).view(np.uint32)[spread]

    def tensor(self, shape: Four, layout: str = "aligned", values: Any = None, start: int | None = None) -> Tensor:
        """A tensor behind the ones before; ``values`` (of any 32-bit type) fill it."""
        lane = self.start if start is None else start
        rows, (h, w) = (lane + shape[1] + LANES - 1) // LANES, shape[2:]
        stride: Four | None = None
        offset = ceiling(self.used, EU_WORDS)
        if layout == "apart":
            line = 2 * w + 1
            stride, offset = (rows * (h * line + 3) + 1, h * line + 3, line, 2), offset + 1
        elif layout == "compact":
            stride, offset = (rows * h * w, h * w, w, 1), offset + 3
        elif layout == "repeated":  # one element of each channel for all of it
            stride = (0, 1, 0, 0)
        made = Tensor(lane * LANE_BYTES + 4 * offset, shape, stride)
        self.used = int(made.places()[1].max()) + 1
        if values is not None:
            self.put(made, np.asarray(values))
        return made

    def raw(self, tensor: Tensor) -> np.ndarray:
        """Its words."""
        return self.image[tensor.places()]

    def read(self, tensor: Tensor, kind: str = "float32") -> np.ndarray:
        """Its elements."""
        return self.raw(tensor).view(kind)

    def put(self, tensor: Tensor, values: np.ndarray) -> None:
        """New elements of a type of 32 bits."""
        words = np.ascontiguousarray(values.astype(values.dtype, copy=False)).view(np.uint32)
        self.image[tensor.places()] = np.broadcast_to(words, tensor.shape)


class Outside(NamedTuple):
    """An address so many bytes into system memory, as a pointer to elements of a type."""

    offset: int
    kind: str


#: The name of a function, and its arguments in order.
Call = Sequence[Any]


def flushed(values: np.ndarray) -> np.ndarray:
    """Without subnormal numbers."""
    return np.where(np.abs(values) < 2.0**-126, np.copysign(np.float32(0), values), values)


def float32(values: np.ndarray) -> np.ndarray:
    """Rounded once, without subnormal numbers."""
    with np.errstate(all="ignore"):
        return flushed(np.asarray(values).astype(np.float32))


def run(
    image: np.ndarray, *calls: Call, system: np.ndarray | None = None
) -> tuple[list[Finding], np.ndarray, np.ndarray]:
    """Findings, local memory (words) and system memory (bytes) after some calls."""
    local = image.copy()
    outside = np.zeros(4096, np.uint8) if system is None else system.copy()
    whole = (1, LANES, 1, WORDS)

    def kernel(unit: Any, held: Any, out: Any) -> None:
        unit.okk_initialize()
        unit.okk_gdma_32bit_cpy_S2L(0, held, whole, None, None)
        for name, *arguments in calls:
            passed = ((out + a.offset).cast(a.kind) if isinstance(a, Outside) else a for a in arguments)
            getattr(unit, name)(*passed)
        unit.okk_gdma_32bit_cpy_L2S(held, 0, whole, None, None)
        unit.okk_poll()

    done = launch(kernel, (1, 1, 1), args=[local, outside], device=device(), on_finding="collect")
    return [f for f in done.findings if f.rule not in ("unread", "unwritten", "unused")], local, outside


def differences(found: np.ndarray, wanted: np.ndarray, target: Tensor | None = None, ulps: float = 0) -> str:
    """Where two memories differ; floats of the target may be off by ulps, and any NaN stands for another."""
    wrong = found != wanted
    if target is not None:
        mine, other = (np.ascontiguousarray(words[target.places()]).view(np.float32) for words in (wanted, found))
        with np.errstate(all="ignore"):
            near = np.abs(mine.astype(np.float64) - other) <= ulps * np.spacing(np.abs(mine).astype(np.float32))
        wrong[target.places()] &= ~(near & (ulps > 0)) & ~(np.isnan(mine) & np.isnan(other))
    if not wrong.any():
        return ""
    lane, word = (int(at[0]) for at in np.nonzero(wrong))
    values = (np.array([words[lane, word]]).view(np.float32)[0] for words in (wanted, found))
    return f"{wrong.sum()} words differ, the first at lane {lane} word {word}: not {' but '.join(map(str, values))}"


def addresses(*tensors: Tensor) -> list[int]:
    return [tensor.address for tensor in tensors]


def strides(*tensors: Tensor) -> list[Four | None]:
    return [tensor.stride for tensor in tensors]


#: Start lane and shape: 1, 64, 70 and 130 channels, with more than one image.
SHAPES: Sequence[tuple[int, Four]] = (
    (0, (1, 1, 2, 3)), (3, (2, 64, 1, 5)), (60, (2, 70, 3, 7)), (0, (3, 130, 1, 2)), (60, (1, 130, 2, 2)),
    (3, (2, 3, 5, 33)),
)  # fmt: skip
