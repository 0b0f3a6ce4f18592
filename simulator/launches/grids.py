"""Other grids that a launch of thread blocks is compared with."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from ..chip import Shape
from ..chip.launch_kinds import LaunchKind, ThreadGrid, Three
from ..core.execution import Launch
from .repeats import FEW, Repeats


class OtherGrid(NamedTuple):
    """Another grid for a launch of thread blocks."""

    dim: Three
    kind: LaunchKind
    fewer: bool  # it has no thread that the launch does not have
    fixed: bool  # its blocks have another number of threads, and the source defines the number that the launch has
    said: str  # "with 3 blocks of 64 threads"
    base: str  # the same of the launch


def other_grids(repeats: Repeats, shape: Shape, launch: Launch, sizes: Collection[int] = ()) -> Iterator[OtherGrid]:
    """The numbers of blocks that the user has asked for; or else a few other grids, with blocks of other sizes too.

    These have one block less along an axis, or only one, or one more along the first. Or their blocks are half as long,
    as many or twice as many, or twice as long and half as many. ``sizes`` are the numbers that the source defines.
    """
    assert isinstance(launch.kind, ThreadGrid)
    if repeats.resplit != FEW:
        for split in repeats.resplit:
            if split.kind:
                raise ValueError(f"resplit has the type {split.kind!r}; blocks of threads are of one, leave it out")
            if split.tasks != launch.dim[0]:
                yield _with(launch, sizes, (split.tasks, *launch.dim[1:]), launch.kind.threads)
        return
    dim, threads = launch.dim, launch.kind.threads
    for axis in range(3):
        for blocks in sorted({1, dim[axis] - 1} - {0, dim[axis]}, reverse=True):
            yield _with(launch, sizes, _changed(dim, axis, blocks), threads)
    yield _with(launch, sizes, _changed(dim, 0, dim[0] + 1), threads)
    for axis in range(2):
        if threads[axis] % 2 == 0:
            half = _changed(threads, axis, threads[axis] // 2)
            yield _with(launch, sizes, dim, half)
            yield _with(launch, sizes, _changed(dim, axis, 2 * dim[axis]), half)
    limits = shape.threads
    if limits is not None and 2 * math.prod(threads) <= limits.per_block:
        yield _with(launch, sizes, _changed(dim, 0, -(-dim[0] // 2)), _changed(threads, 0, 2 * threads[0]))


def _with(launch: Launch, sizes: Collection[int], dim: Three, threads: Three) -> OtherGrid:
    assert isinstance(launch.kind, ThreadGrid)
    fewer = all(a <= b for a, b in zip((*dim, *threads), (*launch.dim, *launch.kind.threads), strict=True))
    own = launch.kind.threads
    same = threads == own
    lengths = [(mine, other) for mine, other in zip(own, threads, strict=True) if mine > 1]
    fixed = any(mine in sizes and mine != other for mine, other in (*lengths, (math.prod(own), math.prod(threads))))
    said, base = (
        _said(blocks, None if same else each) for blocks, each in ((dim, threads), (launch.dim, launch.kind.threads))
    )
    return OtherGrid(dim, replace(launch.kind, threads=threads), fewer, fixed, said, base)


def _said(dim: Three, threads: Three | None) -> str:
    """How many blocks, and of how many threads where that is to be said."""
    of = f" of {_times(threads)} threads" if threads else ""
    return f"with {_times(dim)} block{'s' * (math.prod(dim) > 1)}{of}"


def _times(numbers: Three) -> str:
    """Numbers along axes, without those at the end that are 1."""
    kept = [number for at, number in enumerate(numbers) if not at or any(n > 1 for n in numbers[at:])]
    return " x ".join(map(str, kept))


def _changed(three: Three, axis: int, number: int) -> Three:
    x, y, z = (number if at == axis else n for at, n in enumerate(three))
    return x, y, z
