"""What instructions work on: the running task, the memories as it may use them, effects that wait, barriers."""

from .barriers import Barriers
from .current import Current
from .deferred import Deferrals
from .extents import Deferred, Extent, meet
from .launch import Launch, log_limit
from .memory_map import MemoryMap
from .operand_cache import VACANT, OperandCache, OperandSlot
from .state import Execution
from .tasks import BuiltIns, Task, built_ins, groups, task_at

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
    "Task",
    "built_ins",
    "groups",
    "log_limit",
    "meet",
    "task_at",
]
