"""Boxes of tensors against a plain loop over their elements: places, contents, flags, bounds, lanes, segments."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest
from mlusim.simulator.chip import Space
from mlusim.simulator.core.memory import Allocation, Lanes, Memory, Tensor
from mlusim.simulator.core.memory.bytemap import ByteMap
from mlusim.simulator.core.memory.shadow import Shadow
from mlusim.simulator.core.memory.strides import segments
from mlusim.simulator.core.memory.tensor import (
    TensorShape,
    across_lanes,
    aligned_strides,
    continuous_strides,
    in_system_memory,
    system_bounds,
)

LANES = Lanes(count=5, size=1024, beat=16)
WHOLE = LANES.count * LANES.size
Four = tuple[int, int, int, int]


def block(bytes: int = WHOLE, map: bool = True) -> Allocation:
    """Fresh memory full of random bytes, none of them written."""
    memory = Memory(Space("local", bytes, 0, "core"), 0, 1)
    entry = memory.allocate(0, bytes)
    if map:
        entry.uninitialized = ByteMap(entry.start, entry.end)
    entry.clear()
    entry.view(np.dtype(np.uint8))[:] = np.frombuffer(random.Random(7).randbytes(bytes), np.uint8)
    return entry


def places(offset: int, shape: Four, strides: Four, size: int) -> list[int]:
    """The first byte of every element, w fastest: the definition of the layout."""
    first, inside = divmod(offset, LANES.size)
    found = []
    for n, c, h, w in itertools.product(*map(range, shape)):
        row, lane = divmod(first + c, LANES.count)
        element = n * strides[0] + row * strides[1] + h * strides[2] + w * strides[3]
        found.append(lane * LANES.size + inside + size * element)
    return found


def layouts() -> Iterator[tuple[int, Four, Four | None, np.dtype]]:
    """Offset, shape, strides and type."""
    chance = random.Random(3)
    for first, channels, dtype in itertools.product(range(LANES.count), (1, 3, 4, 5, 6, 10, 13), ("u1", "f2", "i4")):
        kind, shape = (
            np.dtype(dtype),
            (chance.randrange(1, 4), channels, chance.randrange(1, 4), chance.randrange(1, 5)),
        )
        if chance.random() < 0.4:
            yield first * LANES.size + 32, shape, None, kind
            continue
        step = chance.randrange(1, 4)
        line = shape[3] * step + chance.randrange(3)
        channel = shape[2] * line + chance.randrange(3)
        rows = -(-(first + channels) // LANES.count)
        strides = (rows * channel + chance.randrange(2), channel, line, step)
        yield first * LANES.size + kind.itemsize * chance.randrange(5), shape, strides, kind


def by_definition(offset: int, shape: Four, strides: Four | None, size: int) -> list[int]:
    """`places`, with the aligned layout where there are no strides: channels begin at multiples of 16 bytes."""
    rows = -(-(offset // LANES.size + shape[1]) // LANES.count)
    channel = -(-shape[2] * shape[3] * size // 16) * 16 // size
    return places(offset, shape, strides or (rows * channel, channel, shape[3], 1), size)


EVERY_LAYOUT = pytest.mark.parametrize(("offset", "shape", "strides", "kind"), list(layouts()))


@EVERY_LAYOUT
def test_contents_are_where_the_layout_says(offset: int, shape: Four, strides: Four | None, kind: np.dtype) -> None:
    entry = block()
    raw = entry.view(np.dtype(np.uint8))
    tensor = across_lanes(entry, offset, shape, strides, kind, LANES)
    assert len(tensor.boxes) <= 3
    where = by_definition(offset, shape, strides, kind.itemsize)
    before = raw.tobytes()
    read = tensor.read()
    assert read.shape == shape
    assert read.tobytes() == b"".join(before[at : at + kind.itemsize] for at in where)
    values = np.frombuffer(random.Random(9).randbytes(kind.itemsize * len(where)), kind).reshape(shape)
    tensor.write(values)
    wanted = bytearray(before)
    for at, value in zip(where, values.ravel(), strict=True):
        wanted[at : at + kind.itemsize] = value.tobytes()
    assert raw.tobytes() == wanted
    tensor.write(3)
    assert (tensor.read() == 3).all()
    tensor.apply(np.add, tensor.read().copy(), tensor.read())
    assert (tensor.read() == 6).all()


def test_tensors_share_bytes_if_elements_do() -> None:
    """Those that interleave, or lie in other lanes, do not."""
    entry, chance, made = block(), random.Random(5), list(layouts())
    outcomes = []
    for _ in range(2000):
        pair = [chance.choice(made) for _ in range(2)]
        one, other = (across_lanes(entry, offset, shape, strides, kind, LANES) for offset, shape, strides, kind in pair)
        bytes_ = (
            {at + byte for at in by_definition(offset, shape, strides, kind.itemsize) for byte in range(kind.itemsize)}
            for offset, shape, strides, kind in pair
        )
        wanted = bool(next(bytes_) & next(bytes_))
        assert one.shares(other) == wanted, pair
        outcomes.append((wanted, one.low < other.end and other.low < one.end and bool(one.mask & other.mask)))
    assert {(True, True), (False, False), (False, True)} <= set(outcomes)


@EVERY_LAYOUT
def test_flags_are_of_the_elements_alone(offset: int, shape: Four, strides: Four | None, kind: np.dtype) -> None:
    entry, size = block(), kind.itemsize
    tensor = across_lanes(entry, offset, shape, strides, kind, LANES)
    where = by_definition(offset, shape, strides, size)
    members = {entry.start + at + byte for at in where for byte in range(size)}

    def left() -> set[int]:
        return {at for start, end in entry.uninitialized for at in range(start, end)}

    everything = set(range(entry.start, entry.end))
    assert tensor.hole()[0] in members  # type: ignore[index]
    tensor.written()
    assert left() == everything - members
    assert tensor.hole() is None
    hole = entry.start + where[-1]
    entry.uninitialized.add(hole + size - 1, hole + size)
    assert tensor.hole() == (hole + size - 1, hole + size)
    raw = entry.view(np.dtype(np.uint8))
    before = bytearray(raw.tobytes())
    tensor.fill_poison()
    before[where[-1] + size - 1] = 0xFF
    assert raw.tobytes() == before
    tensor.forget()
    assert left() == everything
    runs = [
        run for box in tensor.boxes for run in segments(entry.start + box.offset, box.shape, box.strides, kind.itemsize)
    ]
    assert sorted(at for start, n in runs for at in range(start, start + n)) == sorted(members)


@EVERY_LAYOUT
def test_bounds_and_lanes(offset: int, shape: Four, strides: Four | None, kind: np.dtype) -> None:
    entry, size = block(), kind.itemsize
    tensor = across_lanes(entry, offset, shape, strides, kind, LANES)
    where = by_definition(offset, shape, strides, size)
    in_lane = [at % LANES.size for at in where]
    touched = {at // LANES.size for at in where}
    rows = {(offset // LANES.size + channel) // LANES.count for channel in range(shape[1])}
    assert tensor.low - entry.start == offset % LANES.size <= min(in_lane)
    assert tensor.end - entry.start >= max(in_lane) + size
    if 0 in rows:  # no lane needs more than the bounds say
        assert tensor.end - entry.start == max(in_lane) + size
    assert {lane for lane in range(LANES.count) if tensor.mask >> lane & 1} == touched
    assert tensor.mask < 1 << LANES.count
    assert (tensor.lane, tensor.lanes) == (offset // LANES.size, len(touched))


@pytest.mark.parametrize("strides", [None, (60, 20, 5, 2), (0, 20, 0, 1), (1, 3, 0, 12)])
@pytest.mark.parametrize("map", [True, False])
def test_system_memory(strides: Four | None, map: bool) -> None:
    entry, shape, kind = block(4096, map), (2, 3, 4, 2), np.dtype(np.int16)
    tensor = in_system_memory(entry, entry.start + 30, shape, strides, kind)
    ns, cs, hs, ws = strides or (24, 8, 2, 1)
    where = [
        30 + 2 * (n * ns + c * cs + h * hs + w * ws) for n, c, h, w in itertools.product(*[range(s) for s in shape])
    ]
    raw = entry.view(np.dtype(np.uint8)).tobytes()
    assert tensor.read().tobytes() == b"".join(raw[at : at + 2] for at in where)
    assert (tensor.low - entry.start, tensor.end - entry.start) == (30, max(where) + 2)
    assert system_bounds(entry.start + 30, shape, strides, 2) == (tensor.low, tensor.end)
    assert (tensor.mask, tensor.lane, tensor.lanes) == (-1, 0, 0)
    assert tensor.hole() is not None
    tensor.written()
    assert tensor.hole() is None
    members = {entry.start + at + byte for at in where for byte in (0, 1)}
    left = {at for start, end in entry.uninitialized for at in range(start, end)}
    assert left == set(range(entry.start, entry.end)) - members
    tensor.forget()
    assert tensor.hole() is not None


def test_a_tensor_in_reverse() -> None:
    """Strides may point down; the lowest byte is then not the address."""
    entry, kind = block(512), np.dtype(np.uint8)
    tensor = in_system_memory(entry, entry.start + 100, (1, 1, 3, 4), (0, 0, -10, 2), kind)
    raw = entry.view(kind)
    assert tensor.read()[0, 0].tolist() == [[raw[100 - 10 * h + 2 * w] for w in range(4)] for h in range(3)]
    assert (tensor.low - entry.start, tensor.end - entry.start) == (80, 107)


def test_default_strides() -> None:
    assert aligned_strides((2, 5, 3, 3), 0, 2, LANES) == (16, 16, 3, 1)
    assert aligned_strides((2, 5, 3, 3), 1, 2, LANES) == (32, 16, 3, 1)
    assert aligned_strides((1, 11, 1, 4), 4, 4, LANES) == (12, 4, 4, 1)
    assert continuous_strides((2, 3, 4, 5)) == (60, 20, 5, 1)


@pytest.mark.parametrize(
    ("shape", "strides", "runs"),
    [
        ((2, 3), (6, 2), [(50, 12)]),
        ((2, 3), (10, 2), [(50, 6), (60, 6)]),
        ((2, 1, 3), (10, 99, 2), [(50, 6), (60, 6)]),
        ((2, 2), (2, 8), [(50, 2), (58, 2), (52, 2), (60, 2)]),
        ((1, 1), (7, 7), [(50, 2)]),
        ((3,), (0,), [(50, 2)] * 3),
    ],
)
def test_segments(shape: tuple[int, ...], strides: tuple[int, ...], runs: list[tuple[int, int]]) -> None:
    assert list(segments(50, shape, strides, 2)) == runs


def test_a_tensor_of_one_box_is_a_view() -> None:
    entry = block()
    tensor = across_lanes(entry, LANES.size, (2, 3, 1, 4), None, np.dtype(np.float32), LANES)
    assert isinstance(tensor, Tensor)
    view = tensor.read()
    view[1, 2, 0, 3] = 42
    assert tensor.read()[1, 2, 0, 3] == 42


@pytest.mark.parametrize("lanes", [False, True])
def test_gaps_lie_between_runs_of_elements(lanes):
    """An element that does not lie behind the one before it begins a run; so does each in another lane."""
    chance, seen = random.Random(5), set()
    for _ in range(300):
        _, c, h, w = shape = tuple(chance.choice((1, 2, 3)) for _ in range(4))
        *apart, ws = *(chance.choice((0, 0, 1)) for _ in range(3)), chance.choice((1, 1, 2))
        hs = w * ws + apart[0]
        cs = h * hs + apart[1]
        ns = cs + 1 if lanes else c * cs + apart[2]
        gaps, behind = -1, None
        for image, channel, line, column in itertools.product(*map(range, shape)):
            place = channel if lanes else 0, image * ns + (0 if lanes else channel * cs) + line * hs + column * ws
            gaps += behind is None or place != (behind[0], behind[1] + 1)
            behind = place
        assert TensorShape(np.dtype("i4"), lanes, shape, (ns, cs, hs, ws)).gaps == gaps, (shape, ns, cs, hs, ws)
        seen.add(gaps)
    assert TensorShape(np.dtype("i4"), lanes, (2, 3, 4, 5)).gaps == (5 if lanes else 0)
    assert len(seen) > 8


def test_other_unwritten_bytes_are_seen_by_a_tensor_that_is_kept() -> None:
    entry = block(map=False)
    tensor = in_system_memory(entry, entry.start, (1, 2, 3, 4), None, np.dtype(np.float32))
    entry.uninitialized = Shadow(entry.start, entry.end)
    assert not tensor.stale()
    entry.uninitialized = Shadow.of(entry.start, entry.end, [(entry.start + 4, entry.start + 8)])
    assert tensor.stale()
