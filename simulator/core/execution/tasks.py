"""Tasks of a launch: what each sees and where it stands.

One task runs at a time; it gives way only at a barrier, in an order that we decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from greenlet import greenlet

from ....isa import Barrier, Signal
from ...chip import Shape
from ...chip.launch_kinds import LaunchKind, Role, TaskPlace, Three
from ..memory import Allocation
from .extents import Deferred


class BuiltIns(NamedTuple):
    """What a kernel sees: its built-in variables, in the order of ``mlusim_task`` in native/runtime."""

    taskId: int  # noqa: N815 - the names of the built-in variables
    taskIdX: int  # noqa: N815
    taskIdY: int  # noqa: N815
    taskIdZ: int  # noqa: N815
    taskDim: int  # noqa: N815
    taskDimX: int  # noqa: N815
    taskDimY: int  # noqa: N815
    taskDimZ: int  # noqa: N815
    clusterId: int  # noqa: N815
    clusterDim: int  # noqa: N815
    coreId: int  # noqa: N815
    coreDim: int  # noqa: N815


@dataclass(eq=False)
class Task:
    """One task, as the machine keeps it: where it runs and what it is about."""

    number: int
    core: int  # number in records: cores first, then the memory cores
    cluster: int
    role: Role
    sees: BuiltIns
    pending: list[Deferred] = field(default_factory=list)
    locals: list[tuple[Allocation, int]] = field(default_factory=list)  # with the program counter that took them
    section: bool = False  # a parallel section is open: queues run side by side
    moved_section: tuple[str, int] = ("", 0)  # what opened or closed one last, and its program counter
    counted: dict[str, int] = field(default_factory=dict)  # pipe -> what its last instruction that counts has found
    outside: int = 0  # scalar accesses to memory that it may not use, which had no effect
    waiting: tuple[Barrier | Signal, int] | None = None  # what it waits for, and its program counter
    done: bool = False
    fiber: greenlet = field(default_factory=greenlet)

    def meets(self, barrier: Barrier, other: Task) -> bool:
        """Whether ``other`` belongs to the tasks that meet at this barrier where this task does."""
        near = barrier.reach != "cluster" or other.cluster == self.cluster
        wanted = {"": other.role, "ipu": Role.MEMBER, "mpu": Role.MEMORY}[barrier.members]
        return near and other.role == wanted


def groups(shape: Shape, dim: Three, kind: LaunchKind) -> Iterator[list[Task]]:
    """The groups of tasks that run together, in launch order."""
    for places in kind.groups(shape, dim[0] * dim[1] * dim[2]):
        yield [task_at(place, dim) for place in places]


def task_at(place: TaskPlace, dim: Three) -> Task:
    """A task of a launch of such dimensions, as it begins."""
    return Task(*place[:4], built_ins(place, dim))


def built_ins(place: TaskPlace, dim: Three) -> BuiltIns:
    """What a task of a launch of such dimensions sees."""
    number, _, _, _, *of_cluster = place
    x, y, z = dim
    return BuiltIns(number, number % x, number // x % y, number // (x * y), x * y * z, x, y, z, *of_cluster)


#: What runs while no task does.
NO_TASK = Task(0, 0, 0, Role.ALONE, BuiltIns(*[0] * 12))
