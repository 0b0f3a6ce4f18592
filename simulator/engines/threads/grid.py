"""Grids of thread blocks: what a launch asks for, and on which multiprocessor each block runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from ...chip import Shape
from ...chip.launch_kinds import GRID, ThreadGrid, Three, dimensions
from ...core.execution import Launch
from ...text import quoted

#: Most blocks of a grid and threads of a block in x, y and z (CUDA C++ Programming Guide, technical specifications).
MOST_BLOCKS = (2**31 - 1, 65535, 65535)
MOST_THREADS = (1024, 1024, 64)
#: Blocks that a log can number.
_MOST_IN_ALL = (1 << 32) - 1


@dataclass(frozen=True)
class Grid:
    """Blocks of a grid, threads of a block, and bytes of shared memory that each block is given besides its own."""

    blocks: Three
    threads: Three
    shared: int = 0

    @classmethod
    def of(cls, launch: Launch) -> Grid:
        """The grid of a launch of this kind."""
        assert isinstance(launch.kind, ThreadGrid)
        return cls(launch.dim, launch.kind.threads, launch.kind.shared)

    @property
    def block_threads(self) -> int:
        """Threads of one block."""
        return prod(self.threads)

    def place(self, block: int, thread: int) -> str:
        """A thread in words, by the numbers of its block and in it."""
        u, v, _ = self.threads
        return f"thread ({thread % u},{thread // u % v},{thread // (u * v)}) of {self.block_place(block)}"

    def block_place(self, block: int) -> str:
        """A block in words, by its number."""
        x, y, _ = self.blocks
        return f"block ({block % x},{block // x % y},{block // (x * y)})"

    def cores(self, shape: Shape, blocks: np.ndarray, declared: int) -> np.ndarray:
        """The places that blocks take, int64 [blocks]: multiprocessors in turn, then the places of each in turn.

        ``declared`` are the bytes of shared memory that a block declares. A multiprocessor holds as many blocks at a
        time as its places, threads and shared memory allow; registers are not known here.
        """
        limits = shape.threads
        assert limits is not None
        whole_warps = -(-self.block_threads // limits.warp) * limits.warp
        resident = min(shape.cores_per_cluster, limits.per_cluster // whole_warps)
        if used := declared + self.shared:
            resident = min(resident, limits.shared_per_cluster // used)
        number = blocks.astype(np.int64)
        places: np.ndarray = number % shape.clusters * shape.cores_per_cluster
        return places + number // shape.clusters % max(resident, 1)


def make_grid(shape: Shape, dim: Any, block: Any, shared: Any) -> tuple[Three, ThreadGrid]:
    """The blocks of a launch, and its kind; ValueError where it has none or one that the device cannot run."""
    if block is None:
        raise ValueError(
            "a kernel of thread blocks needs block, the threads of each: block=256 or block=(16, 16), --block 256"
        )
    limits = shape.threads
    assert limits is not None
    most = shape.spaces["shared"].bytes
    if not _is_whole(shared) or not 0 <= shared <= most:
        raise ValueError(f"shared is {quoted(shared)}; pass 0 to {most} bytes")
    blocks = _three("dim", 1 if dim is None else dim, MOST_BLOCKS)
    grid = Grid(blocks, _three("block", block, MOST_THREADS), int(shared))
    if prod(grid.blocks) > _MOST_IN_ALL:
        raise ValueError(f"dim is {grid.blocks}; a launch has at most {_MOST_IN_ALL} blocks here")
    if grid.block_threads > limits.per_block:
        raise ValueError(
            f"block is {grid.threads}, {grid.block_threads} threads; a block has {limits.per_block} at most"
        )
    return grid.blocks, replace(GRID, threads=grid.threads, shared=grid.shared)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def _three(name: str, given: Any, most: Three) -> Three:
    x, y, z = dimensions(name, given)
    if x > most[0] or y > most[1] or z > most[2]:
        raise ValueError(f"{name} is {quoted((x, y, z))}; the most is {most}")
    return x, y, z
