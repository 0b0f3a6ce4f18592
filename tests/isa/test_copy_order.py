"""Copies whose segments overlap, in the source, the target or both: they move segment by segment, in order."""

import random

import numpy as np
import pytest
from mlusim.simulator import Device, launch

ROOM = 256
DIRECTIONS = {
    "one array": ("GDRAM2GDRAM", True),
    "two arrays": ("GDRAM2GDRAM", False),
    "nram": ("NRAM2NRAM", True),
}


def starts(first: int, axes: list[tuple[int, int]]) -> list[int]:
    """Where the segments begin, the inner axis fastest; axes are (count, stride), the outer one first."""
    found = [first]
    for count, stride in axes:
        found = [start + i * stride for start in found for i in range(count)]
    return found


def moved(to: bytearray, source: bytearray, targets: list[int], sources: list[int], size: int) -> bytes:
    """Plain Python's copy: a segment after the other, each as if read as a whole before it is written."""
    for at, start in zip(targets, sources, strict=True):
        to[at : at + size] = bytes(source[start : start + size])
    return bytes(to)


def fits(begins: list[int], size: int) -> bool:
    return min(begins) >= 0 and max(begins) + size <= ROOM


def cases(axes: int, count: int):
    """(first of target, its axes, first of source, its axes, bytes) of copies that stay inside of the memory."""
    chance = random.Random(axes)
    while count:
        size = chance.randrange(1, 40)
        to = [(chance.randrange(1, 5), chance.randrange(-48, 49)) for _ in range(axes)]
        if axes == 2:  # of a copy in three dimensions, |stride| of a target is at least the size
            to = [(n, chance.choice((-1, 1)) * (size + chance.randrange(9))) for n, _ in to]
        total = int(np.prod([n for n, _ in to]))
        split = chance.choice([n for n in range(1, total + 1) if total % n == 0]) if axes == 2 else 0
        counts = (split, total // split) if split else (total,)
        source = [(n, chance.randrange(-48, 49)) for n in counts]
        first, second = chance.randrange(ROOM), chance.randrange(ROOM)
        if fits(starts(first, to), size) and fits(starts(second, source), size):
            count -= 1
            yield first, to, second, source, size


def call(mlu, name: str, to, source, direction: int, case) -> None:
    first, target_axes, second, source_axes, size = case
    strides = [
        number
        for axes in (target_axes, source_axes)
        for count, stride in reversed(axes)
        for number in (stride, count - 1)
    ]
    if len(target_axes) == 1:
        strides = [target_axes[0][1], source_axes[0][1], target_axes[0][0] - 1]
    getattr(mlu, name)(to + first, source + second, size, direction, *strides)


@pytest.mark.parametrize("name", ["__memcpy", "__memcpy_async"])
@pytest.mark.parametrize("where", list(DIRECTIONS))
@pytest.mark.parametrize("axes", [1, 2])
def test_segments_move_in_order(device, axes, where, name):
    direction, same = DIRECTIONS[where]
    folded = 0
    for case in cases(axes, 60):
        first, target_axes, second, source_axes, size = case
        to = np.frombuffer(random.Random(1).randbytes(ROOM), np.uint8).copy()
        source = to if same else np.frombuffer(random.Random(2).randbytes(ROOM), np.uint8).copy()
        held = bytearray(to.tobytes())
        targets = starts(first, target_axes)
        folded += len({at + i for at in targets for i in range(size)}) < size * len(targets)
        wanted = moved(held, held if same else bytearray(source.tobytes()), targets, starts(second, source_axes), size)

        def kernel(mlu, to, source, case=case):
            if where == "nram":
                outside, to = to, mlu.nram("uint8", ROOM)
                mlu.__memcpy(to, outside, ROOM, mlu.GDRAM2NRAM)
                source = to
            call(mlu, name, to, source, getattr(mlu, direction), case)
            mlu.__sync()
            if where == "nram":
                mlu.__memcpy(outside, to, ROOM, mlu.NRAM2GDRAM)

        run = launch(kernel, args=[to, source], device=device)
        assert not run.errors
        assert to.tobytes() == wanted, case
    assert folded > 10


def test_a_copy_without_segments_that_overlap_is_one_assignment(device):
    """Of interleaved segments too: their order makes no difference."""
    x = np.arange(4096, dtype=np.uint8)
    y = np.zeros(4096, np.uint8)

    def turns(mlu, y, x):
        mlu.__memcpy(y, x, 16, mlu.GDRAM2GDRAM, 64, 63, 16, 3, 16, 63, 1024, 3)

    launch(turns, args=[y, x], device=device)
    assert np.array_equal(y.reshape(64, 4, 16).transpose(1, 0, 2).reshape(-1), x)


def test_elements_of_a_tensor_that_share_bytes(device):
    """From the lanes of a TPU to system memory: the last element in the order n, c, h, w stays."""
    tpu, chance, folded = Device.load("bm1690"), random.Random(4), 0
    for _ in range(60):
        shape = tuple(chance.randrange(1, 4) for _ in range(4))
        strides = (*(chance.randrange(1, 4) for _ in range(3)), chance.randrange(1, 3))
        count, first = int(np.prod(shape)), 40
        x, y = np.arange(1, count + 1, dtype=np.int32), np.zeros(80, np.int32)
        wanted = y.copy()
        for value, index in zip(x, np.ndindex(shape), strict=True):
            wanted[first + sum(i * stride for i, stride in zip(index, strides, strict=True))] = value
        folded += np.count_nonzero(wanted) < count

        def kernel(tpu, x, y, shape=shape, strides=strides, first=first):
            tpu.tpu_gdma_cpy_S2L(0, x, shape, None, None, tpu.DT_INT32)
            tpu.tpu_gdma_cpy_L2S(y + first, 0, shape, strides, None, tpu.DT_INT32)
            tpu.tpu_poll()

        assert not launch(kernel, (1, 1, 1), args=[x, y], device=tpu).errors
        assert y.tolist() == wanted.tolist(), (shape, strides)
    assert folded > 10
