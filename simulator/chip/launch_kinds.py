"""Kinds of launch: which tasks run together, and on which cores of a chip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple

from ..text import quoted
from .shape import Shape

Three = tuple[int, int, int]
#: `coreId` that a memory core sees.
MEMORY_CORE_ID = 0x80
#: Threads of a warp; native/threads/simt.h says so, too.
WARP = 32
#: Bytes of a transaction of a warp. A pass over the banks of shared memory is as wide as the last.
TRANSACTIONS = (32, 64, 128)
#: Tasks of a launch: built-in variables have 32 bits.
_MOST_TASKS = (1 << 31) - 1


class Role(IntEnum):
    """What a core is among those that run together."""

    ALONE = 0
    MEMBER = 1
    MEMORY = 2  # the memory core of a cluster, which runs the kernel beside the others


class TaskPlace(NamedTuple):
    """Where a task runs: ``core`` as records number it, cores first, then the memory cores.

    The last four are what its built-in variables say.
    """

    task: int
    core: int
    cluster: int
    role: Role
    cluster_id: int
    cluster_dim: int
    core_id: int
    core_dim: int


@dataclass(frozen=True)
class LaunchKind:
    """How the tasks of a launch are dealt to cores; ``name`` is what users and logs call it."""

    name: str
    #: Whether its records are transactions of warps, summed up for each line, not instructions in their order.
    transactions: ClassVar[bool] = False

    @property
    def header(self) -> dict[str, Any]:
        """What a log says of it besides its name."""
        return {}

    def check(self, shape: Shape, dim: Three) -> None:
        """ValueError for dimensions that a device cannot launch in this way."""

    def default_dim(self, shape: Shape) -> Three:
        """The dimensions of a launch that gives none."""
        return 1, 1, 1

    def together(self, shape: Shape) -> int:
        """How many tasks run at the same time, 0 for all; groups of them have no order."""
        return 1

    def groups(self, shape: Shape, tasks: int) -> Iterator[list[TaskPlace]]:
        """The tasks that run together, in launch order. Later groups take the cores of earlier ones."""
        raise NotImplementedError


class Block(LaunchKind):
    """Each task takes one core."""

    def groups(self, shape: Shape, tasks: int) -> Iterator[list[TaskPlace]]:
        for task in range(tasks):
            core = task % shape.cores
            cluster = core // shape.cores_per_cluster
            yield [TaskPlace(task, core, cluster, Role.ALONE, cluster, 0, 0, 1)]


class Cores(LaunchKind):
    """The tasks take a core each and run all together."""

    def check(self, shape: Shape, dim: Three) -> None:
        if dim[0] * dim[1] * dim[2] > shape.cores:
            raise ValueError(
                f"dim is {dim}; the tasks of a {self.name!r} launch run at once, and there are {shape.cores} cores"
            )

    def default_dim(self, shape: Shape) -> Three:
        return shape.cores, 1, 1

    def together(self, shape: Shape) -> int:
        return 0

    def groups(self, shape: Shape, tasks: int) -> Iterator[list[TaskPlace]]:
        per = shape.cores_per_cluster
        yield [TaskPlace(core, core, core // per, Role.MEMBER, 0, 1, core, tasks) for core in range(tasks)]


@dataclass(frozen=True)
class Union(LaunchKind):
    """A group of tasks takes whole clusters: a core each, and the memory core of each cluster runs beside them."""

    clusters: int

    def check(self, shape: Shape, dim: Three) -> None:
        per, clusters = shape.cores_per_cluster, self.clusters
        if clusters > shape.clusters:
            raise ValueError(f"type {self.name!r} needs {clusters} clusters; this device has {shape.clusters}")
        if dim[0] % (clusters * per):
            needed = "a cluster" if clusters == 1 else f"{clusters} clusters"
            raise ValueError(
                f"dim[0] is {dim[0]}; a {self.name} launch needs a multiple of {clusters * per}"
                f" ({needed} of {per} cores)"
            )

    def together(self, shape: Shape) -> int:
        return self.clusters * shape.cores_per_cluster

    def groups(self, shape: Shape, tasks: int) -> Iterator[list[TaskPlace]]:
        per, wide = shape.cores_per_cluster, self.clusters
        slots = shape.clusters // wide
        for group in range(tasks // (wide * per)):
            first_task, first_cluster = group * wide * per, group % slots * wide
            places = []
            for position in range(wide * per):
                number, core_id = divmod(position, per)
                cluster = first_cluster + number
                core = cluster * per + core_id
                places.append(TaskPlace(first_task + position, core, cluster, Role.MEMBER, number, wide, core_id, per))
            for number in range(wide if shape.memory_cores_per_cluster else 0):
                task, cluster = first_task + number * per + shape.memory_core_task, first_cluster + number
                core = shape.cores + cluster
                places.append(TaskPlace(task, core, cluster, Role.MEMORY, number, wide, MEMORY_CORE_ID, per))
            yield places


@dataclass(frozen=True)
class ThreadGrid(LaunchKind):
    """Blocks of ``threads``, which multiprocessors take in turn.

    ``shared`` are the bytes of shared memory that each has besides its own.
    """

    threads: Three = (1, 1, 1)
    shared: int = 0
    transactions = True

    @property
    def header(self) -> dict[str, Any]:
        return {"block": list(self.threads), "shared": self.shared}


BLOCK, CORES, GRID = Block("block"), Cores("cores"), ThreadGrid("grid")
UNIONS = tuple(Union(f"union{clusters}", clusters) for clusters in (1, 2, 4, 8, 16))
#: The kinds that a user asks for by name; the launches of devices of thread blocks are all of one kind.
KINDS: dict[str, LaunchKind] = {kind.name: kind for kind in (BLOCK, CORES, *UNIONS)}
EVERY_KIND = {**KINDS, GRID.name: GRID}


def kind_named(name: str) -> LaunchKind:
    """The kind that a user asks for; ValueError lists the names."""
    if name not in KINDS:
        raise ValueError(f"type is {name!r}; pass one of {', '.join(KINDS)}")
    return KINDS[name]


def whole_dim(dim: Any) -> Three:
    """Dimensions x, (x, y) or (x, y, z) as three; ValueError for anything else, or more tasks than can be counted."""
    x, y, z = dimensions("dim", dim)
    if x * y * z > _MOST_TASKS:
        raise ValueError(f"dim is {quoted(dim)}; a launch has at most {_MOST_TASKS} tasks")
    return x, y, z


def dimensions(name: str, given: Any) -> Three:
    """Whole numbers x, (x, y) or (x, y, z) as three; ValueError for anything else."""
    numbers = _whole_numbers(given)
    if not 1 <= len(numbers) <= 3 or min(numbers) < 1:
        raise ValueError(
            f"{name} is {quoted(given)}; pass one to three whole numbers of 1 or more: x, (x, y) or (x, y, z)"
        )
    x, y, z = [*numbers, 1, 1][:3]
    return x, y, z


def _whole_numbers(dim: Any) -> list[int]:
    """A whole number, or those of a sequence; none where anything in it is something else."""
    import numpy as np  # who lists the kinds need not wait for it

    several = isinstance(dim, (tuple, list)) or (isinstance(dim, np.ndarray) and dim.ndim)
    values = list(dim) if several else [dim]
    for at, value in enumerate(values):
        if value.__class__ is not int:
            if isinstance(value, (bool, np.bool_, np.timedelta64)) or not isinstance(value, (int, np.integer)):
                return []
            values[at] = int(value)
    return values
