"""What instructions work on: the running task, the memories as it may use them, effects that wait, barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....isa.late import late

if TYPE_CHECKING:
    from .barriers import Barriers
    from .current import Current
    from .deferred import Deferrals
    from .extents import Deferred, Extent, meet
    from .launch import Launch, PlacedVariable, log_limit
    from .memory_map import MemoryMap
    from .operand_cache import VACANT, OperandCache, OperandSlot
    from .state import Execution
    from .tasks import BuiltIns, Task, built_ins, groups, task_at

#: Module -> the names of it that are this package's.
_HOMES = {
    "barriers": "Barriers",
    "current": "Current",
    "deferred": "Deferrals",
    "extents": "Deferred Extent meet",
    "launch": "Launch PlacedVariable log_limit",
    "memory_map": "MemoryMap",
    "operand_cache": "VACANT OperandCache OperandSlot",
    "state": "Execution",
    "tasks": "BuiltIns Task built_ins groups task_at",
}
__all__ = [
    "VACANT",
    "Barriers",
    "BuiltIns",
    "Current",
    "Deferrals",
    "Deferred",
    "Execution",
    "Extent",
    "Launch",
    "MemoryMap",
    "OperandCache",
    "OperandSlot",
    "PlacedVariable",
    "Task",
    "built_ins",
    "groups",
    "log_limit",
    "meet",
    "task_at",
]

__getattr__, __dir__ = late(__name__, _HOMES)
