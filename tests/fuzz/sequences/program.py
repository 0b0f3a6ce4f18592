"""Random programs: a few arrays and a sequence of steps on them, most legal, some with one thing wrong."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

GDRAM, NRAM, WRAM = "gdram", "nram", "wram"
#: The arrays of a program, in the order in which steps number them: memory and bytes.
ARRAYS = (
    (GDRAM, 4096), (GDRAM, 1000), (GDRAM, 4096), (NRAM, 4096), (NRAM, 4096), (NRAM, 1000), (WRAM, 4096),
)  # fmt: skip
ARGUMENTS = 3
COPY, COPY_2D, COPY_3D, COPY_ASYNC, COPY_2D_ASYNC, BINARY, SCALAR, UNARY, FILL, STORE, MOVE, WAIT, WIDEN = range(13)
COPIES = {COPY, COPY_2D, COPY_3D, COPY_ASYNC, COPY_2D_ASYNC}
#: Element types by their number in a step: name and bytes.
TYPES = (("float", 4), ("half", 2), ("int32", 4), ("int16", 2), ("int8", 1), ("int64", 8))
BINARIES = ("__bang_add", "__bang_sub", "__bang_mul", "__bang_maxequal", "__bang_minequal")
UNARIES = ("__bang_abs", "__bang_square")
WAITS = (("__sync", ("compute", "io", "move")), ("__sync_io", ("io",)), ("__sync_move", ("move",)))
#: Enumeration of the directions of a copy, by source and target.
DIRECTIONS = {
    (GDRAM, NRAM): 0, (NRAM, GDRAM): 1, (GDRAM, WRAM): 4, (WRAM, GDRAM): 5, (NRAM, NRAM): 8, (NRAM, WRAM): 9,
    (WRAM, NRAM): 10, (GDRAM, GDRAM): 19,
}  # fmt: skip
FIELDS = 19


@dataclass(frozen=True)
class Step:
    """One instruction: its kind, a variant of it, operands as (array, byte), a count, and further numbers."""

    kind: int
    variant: int = 0
    type: int = 0
    dst: tuple[int, int] = (0, 0)
    a: tuple[int, int] = (0, 0)
    b: tuple[int, int] = (0, 0)
    count: int = 0
    more: tuple[int, ...] = ()

    def numbers(self) -> list[int]:
        """As the kernels read it: FIELDS numbers."""
        numbers = [self.kind, self.variant, self.type, *self.dst, *self.a, *self.b, self.count, *self.more]
        return numbers + [0] * (FIELDS - len(numbers))


@dataclass(frozen=True)
class Program:
    """``places``: where in host memory each argument begins; arguments that overlap there share memory."""

    places: tuple[int, ...]
    steps: tuple[Step, ...]
    tasks: int = 1
    aliased: bool = field(default=False)


#: Arguments apart; one twice; one as a part of another; two that overlap.
_APART, _SHARED = (0, 8192, 16384), ((0, 8192, 0), (0, 256, 8192), (0, 8192, 2048))


def draw(rng: random.Random, grain: int, length: int = 24) -> Program:
    """A program of up to ``length`` steps, most of them on addresses and sizes that are multiples of ``grain``."""
    aliased = rng.random() < 0.3
    wrong = 0 if aliased else rng.choice((0, 0, 0.02, 0.1))
    steps = [_load(rng, array) for array in (3, 4, 5) if rng.random() < 0.9]
    steps += [_step(rng, wrong, grain) for _ in range(rng.randrange(1, length))]
    places = rng.choice(_SHARED) if aliased else _APART
    return Program(places, (*steps, Step(WAIT)), aliased=aliased)


def _load(rng: random.Random, array: int) -> Step:
    """Fill an array of NRAM from an argument, so that most steps read what was written."""
    size = ARRAYS[array][1]
    source = rng.choice([n for n in range(ARGUMENTS) if ARRAYS[n][1] >= size])
    return Step(COPY, 0, 0, (array, 0), (source, 0), count=size, more=(DIRECTIONS[GDRAM, NRAM],))


def _step(rng: random.Random, wrong: float, grain: int) -> Step:
    kind = rng.choices(
        (COPY, COPY_2D, COPY_3D, COPY_ASYNC, COPY_2D_ASYNC, BINARY, SCALAR, UNARY, FILL, STORE, MOVE, WAIT, WIDEN),
        (4, 3, 2, 4, 2, 6, 3, 2, 3, 2, 2, 4, 2),
    )[0]
    bad = rng.random() < wrong
    if kind == WAIT:
        return Step(WAIT, rng.randrange(len(WAITS)))
    if kind in COPIES:
        return _copy(rng, kind, bad, grain)
    if kind in (STORE, MOVE):
        return _scalar(rng, kind, bad)
    return _vector(rng, kind, bad, grain)


def _copy(rng: random.Random, kind: int, bad: bool, least: int) -> Step:
    while True:
        dst, src = rng.randrange(len(ARRAYS)), rng.randrange(len(ARRAYS))
        direction = DIRECTIONS.get((ARRAYS[src][0], ARRAYS[dst][0]))
        if direction is not None:
            break
    grain = 16 if WRAM in (ARRAYS[dst][0], ARRAYS[src][0]) else rng.choice((1, 4, 64))
    if least > 1 and GDRAM not in (ARRAYS[dst][0], ARRAYS[src][0]):
        grain = least
    segments = {COPY_2D: (rng.randrange(4),), COPY_2D_ASYNC: (rng.randrange(4),)}.get(kind, (0,))
    if kind == COPY_3D:
        segments = (rng.randrange(3), rng.randrange(3))
    room = min(ARRAYS[dst][1], ARRAYS[src][1])
    pieces = 1
    for segment in segments:
        pieces *= segment + 1
    size = max(rng.randrange(0, max(room // pieces // 2, 2)) // grain, 1) * grain
    if bad and rng.random() < 0.5:
        size = rng.choice((-1, -size, 1 << 20, (1 << 31) - 1, -(1 << 31), 5000))
    steps = [_strides(rng, kind, side, abs(size), segments, grain) for side in (dst, src)]
    spans = [sum(s * n for s, n in zip(strides, segments, strict=False)) + size for strides in steps]
    starts = [_start(rng, array, span, grain, bad) for array, span in zip((dst, src), spans, strict=True)]
    if kind == COPY_3D:
        (d0, d1), (s0, s1) = steps
        more = (direction, d0, segments[0], d1, segments[1], s0, segments[0], s1, segments[1])
    elif kind in (COPY_2D, COPY_2D_ASYNC):
        more = (direction, steps[0][0], steps[1][0], -1 if bad and rng.random() < 0.2 else segments[0])
    else:
        more = (direction,)
    return Step(kind, 0, 0, (dst, starts[0]), (src, starts[1]), count=size, more=more)


def _strides(rng: random.Random, kind: int, array: int, size: int, segments: tuple[int, ...], grain: int) -> list[int]:
    """From segment to segment, in bytes; those of 2-D copies may be short, so that segments overlap."""
    grain = max(grain, 8)
    if kind == COPY_3D:
        size = min(size, 1 << 20)  # its multiples are numbers of 32 bits
        inner = -(-size // grain) * grain + rng.randrange(2) * grain
        return [inner, inner * (segments[0] + 1) + rng.randrange(2) * grain]
    if kind in (COPY_2D, COPY_2D_ASYNC):
        return [max(size // grain + rng.randrange(-1, 2), 0) * grain]
    return []


def _start(rng: random.Random, array: int, span: int, grain: int, bad: bool) -> int:
    last = ARRAYS[array][1] - span
    if bad and rng.random() < 0.4:
        return rng.choice((max(last, 0) + grain, ARRAYS[array][1] - 1, 1 << 40, 3))
    return rng.randrange(0, max(last, 0) // grain + 1) * grain


def _vector(rng: random.Random, kind: int, bad: bool, least: int) -> Step:
    types = {BINARY: 3, SCALAR: 3, UNARY: 2, FILL: 5, WIDEN: 1}[kind]
    type = rng.randrange(types)
    size = {WIDEN: 4}.get(kind, TYPES[type][1])
    arrays = [rng.choice((3, 4, 5)) for _ in range(3)]
    room = min(ARRAYS[array][1] for array in arrays)
    count = rng.randrange(1, room // size // rng.choice((1, 2, 8)))
    if bad and rng.random() < 0.5:
        count = rng.choice((0, -1, room, 1 << 20, (1 << 31) - 1, -(1 << 31)))
    count = max(count * size // least, 1) * least // min(size, least) if least > 1 and not bad else count
    grain = least if least > 1 else rng.choice((size, 64))
    starts = [_start(rng, array, max(count, 1) * size, grain, bad) for array in arrays]
    if rng.random() < 0.3:  # in place
        arrays[0], starts[0] = arrays[1], starts[1]
    variant = rng.randrange(len(BINARIES if kind == BINARY else UNARIES))
    places = list(zip(arrays, starts, strict=True))
    return Step(kind, variant, type, places[0], places[1], places[2], count, (rng.randrange(-5, 6),))


def _scalar(rng: random.Random, kind: int, bad: bool) -> Step:
    type = rng.choice((2, 3, 4, 5))
    size = TYPES[type][1]
    arrays = [rng.randrange(6) for _ in range(2)]
    starts = [_start(rng, array, size, size, bad) // size * size for array in arrays]
    places = list(zip(arrays, starts, strict=True))
    return Step(kind, 0, type, places[0], places[1], more=(rng.randrange(-100, 100),))
