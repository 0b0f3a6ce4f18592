"""What the issue port asks of the running task."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...chip.launch_kinds import Role
from .extents import Deferred
from .operand_cache import OperandSlot
from .tasks import NO_TASK, Task


@dataclass
class Current:
    """The running task, filled in at every switch."""

    core: int = 0
    task: int = 0
    role: Role = Role.ALONE
    cluster: int = 0
    pending: list[Deferred] = field(default_factory=list)
    found: list[OperandSlot] = field(default_factory=list)  # where the operands of ports were found last on this core
    running: Task = NO_TASK
    kind_given: bool = True  # the caller has chosen the kind of the launch
