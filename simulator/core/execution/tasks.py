"""Tasks of a launch: which core runs which, in which groups, and who meets at a barrier.

A Block task takes one core. The tasks of a "cores" launch take a core each and run together. A Union-N task takes N
clusters: its 4 N cores run one group, and the memory core of each cluster runs the same kernel beside them.
One task runs at a time; it gives way only at a barrier, in an order that we decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ....isa import Barrier
from ...chip import Shape
from ..memory import Allocation
from .current import Deferred

#: Kinds of core.
BLOCK, MEMBER, MEMORY = 0, 1, 2
#: `coreId` that a memory core sees.
MEMORY_CORE_ID = 0x80

TYPES = ("block", "cores", "union1", "union2", "union4", "union8", "union16")


@dataclass(eq=False)
class Task:
    """One task: the built-in variables it sees, and its state."""

    taskId: int  # noqa: N815 - the names of the built-in variables
    taskIdX: int  # noqa: N815
    taskIdY: int  # noqa: N815
    taskIdZ: int  # noqa: N815
    dim: tuple[int, int, int]
    core: int  # number in records: cores first, then the memory cores
    cluster: int
    kind: int
    clusterId: int  # noqa: N815
    clusterDim: int  # noqa: N815
    coreId: int  # noqa: N815
    coreDim: int  # noqa: N815
    pending: list[Deferred] = field(default_factory=list)
    locals: list[tuple[Allocation, int]] = field(default_factory=list)  # with the program counter that took them
    section: bool = False  # a parallel section is open: queues run side by side
    moved_section: tuple[str, int] = ("", 0)  # what opened or closed one last, and its program counter
    waiting: tuple[Barrier, int] | None = None  # the barrier that it waits at, and its program counter
    done: bool = False
    greenlet: Any = None
    native: Any = None  # what the native side keeps for the task
    tried: bool = False  # no launch type was asked for

    @property
    def taskDim(self) -> int:  # noqa: N802
        """Number of tasks of the launch."""
        x, y, z = self.dim
        return x * y * z

    def meets(self, barrier: Barrier, other: Task) -> bool:
        """Whether ``other`` belongs to the tasks that meet at this barrier where this task does."""
        near = barrier.reach != "cluster" or other.cluster == self.cluster
        wanted = {"": other.kind, "ipu": MEMBER, "mpu": MEMORY}[barrier.members]
        return near and other.kind == wanted


def check_launch(shape: Shape, dim: tuple[int, int, int], type: str) -> None:
    """Raise ValueError for dimensions or a type that the device cannot launch."""
    if len(dim) != 3 or any(not isinstance(n, int) or n < 1 for n in dim):
        raise ValueError(f"dim is {dim!r}; pass three whole numbers of 1 or more: (x, y, z)")
    if type not in TYPES:
        raise ValueError(f"type is {type!r}; pass one of {', '.join(TYPES)}")
    if type == "cores" and dim[0] * dim[1] * dim[2] > shape.cores:
        raise ValueError(f"dim is {dim}; the tasks of a 'cores' launch run at once, and there are {shape.cores} cores")
    if type.startswith("union"):
        clusters = int(type[5:])
        if clusters > shape.clusters:
            raise ValueError(f"type {type!r} needs {clusters} clusters; this device has {shape.clusters}")
        width = clusters * shape.cores_per_cluster
        if dim[0] % width:
            needed = "a cluster" if clusters == 1 else f"{clusters} clusters"
            raise ValueError(
                f"dim[0] is {dim[0]}; a {type} launch needs a multiple of {width}"
                f" ({needed} of {shape.cores_per_cluster} cores)"
            )


def groups(shape: Shape, dim: tuple[int, int, int], type: str) -> Iterator[list[Task]]:
    """The groups of tasks that run together, in launch order. Later groups reuse the cores of earlier ones."""
    total = dim[0] * dim[1] * dim[2]
    per_cluster = shape.cores_per_cluster
    if type == "block":
        for number in range(total):
            core = number % shape.cores
            yield [_task(number, dim, core, core // per_cluster, BLOCK, core // per_cluster, 0, 0, 1)]
        return
    if type == "cores":
        yield [_task(core, dim, core, core // per_cluster, MEMBER, 0, 1, core, total) for core in range(total)]
        return
    wide = int(type[5:])
    slots = shape.clusters // wide
    for group in range(total // (wide * per_cluster)):
        first_cluster = group % slots * wide
        tasks = []
        for position in range(wide * per_cluster):
            cluster, core_id = divmod(position, per_cluster)
            number = group * wide * per_cluster + position
            core = (first_cluster + cluster) * per_cluster + core_id
            tasks.append(_task(number, dim, core, first_cluster + cluster, MEMBER, cluster, wide, core_id, per_cluster))
        for cluster in range(wide if shape.memory_cores_per_cluster else 0):
            number = group * wide * per_cluster + cluster * per_cluster + shape.memory_core_task
            core = shape.cores + first_cluster + cluster
            tasks.append(
                _task(number, dim, core, first_cluster + cluster, MEMORY, cluster, wide, MEMORY_CORE_ID, per_cluster)
            )
        yield tasks


def _task(
    number: int,
    dim: tuple[int, int, int],
    core: int,
    cluster: int,
    kind: int,
    cluster_id: int,
    cluster_dim: int,
    core_id: int,
    core_dim: int,
) -> Task:
    x, y, _ = dim
    return Task(
        number,
        number % x,
        number // x % y,
        number // (x * y),
        dim,
        core,
        cluster,
        kind,
        cluster_id,
        cluster_dim,
        core_id,
        core_dim,
    )
