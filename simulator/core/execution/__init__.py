"""What instructions work on: the running task, the memories as it may use them, effects that wait, barriers."""

from .barriers import Barriers
from .current import Current, Deferred, Extent, meet
from .deferred import Deferrals
from .memory_map import MemoryMap
from .operand_cache import OperandCache, OperandSlot
from .state import Execution
from .tasks import BLOCK, MEMBER, MEMORY, Task, check_launch, groups

__all__ = [
    "BLOCK",
    "MEMBER",
    "MEMORY",
    "Barriers",
    "Current",
    "Deferrals",
    "Deferred",
    "Execution",
    "Extent",
    "MemoryMap",
    "OperandCache",
    "OperandSlot",
    "Task",
    "check_launch",
    "groups",
    "meet",
]
