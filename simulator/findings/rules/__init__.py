"""The rules that a kernel can break: a module for each, or for a family, with id, severity, doc line and wording.

What finds that a rule is broken hands over facts; only these modules make a `Finding`.
"""

from ..rule import declare
from . import (
    assertion,
    barrier,
    bounds,
    budget,
    build,
    cache,
    declared,
    empty,
    freed,
    host_code,
    left_out,
    memory_core,
    not_modelled,
    numbers,
    precision,
    process,
    race,
    results,
    section,
    space,
    suppression,
    tiles,
    uninitialized,
    waits,
)

#: Rules after which a launch has not come to its end, whether findings are collected or not.
ENDING = frozenset({
    assertion.ASSERT, barrier.BARRIER, not_modelled.NOT_MODELLED, *process.FATAL,
})  # fmt: skip

__all__ = [
    "ENDING",
    "assertion",
    "barrier",
    "bounds",
    "budget",
    "build",
    "cache",
    "declare",
    "declared",
    "empty",
    "freed",
    "host_code",
    "left_out",
    "memory_core",
    "not_modelled",
    "numbers",
    "precision",
    "process",
    "race",
    "results",
    "section",
    "space",
    "suppression",
    "tiles",
    "uninitialized",
    "waits",
]

# Until their last users name the modules.
ALIGNMENT = declared.ALIGNMENT
ARCH = declared.ARCH
ARGUMENT = declared.ARGUMENT
ASSERT = assertion.ASSERT
BARRIER = barrier.BARRIER
BOUNDS = bounds.BOUNDS
BUDGET = budget.BUDGET
BUILD = build.BUILD
CACHE = cache.CACHE
CONVERSION = numbers.CONVERSION
CRASH = process.CRASH
DIVISION = numbers.DIVISION
DOUBLE_FREE = freed.DOUBLE_FREE
DTYPE = declared.DTYPE
EMPTY = empty.EMPTY
FORBIDDEN = process.FORBIDDEN
HOST_POINTER = host_code.HOST_POINTER
LANE = declared.LANE
LEAK = freed.LEAK
LEFTOVER = tiles.LEFTOVER
LENGTH = declared.LENGTH
MEMORY_CORE = memory_core.MEMORY_CORE
NOT_MODELLED = not_modelled.NOT_MODELLED
NUMBER = numbers.NUMBER
ORDER = waits.ORDER
ORDER_DEPENDENT = results.ORDER_DEPENDENT
OVERLAP = declared.OVERLAP
OVERRUN = tiles.OVERRUN
PARTIAL = tiles.PARTIAL
PRECISION = precision.PRECISION
QUEUE_ORDER = host_code.QUEUE_ORDER
RACE = race.RACE
READ_ONLY = results.READ_ONLY
REDUNDANT_SYNC = waits.REDUNDANT_SYNC
SECTION = section.SECTION
SHIFTED = tiles.SHIFTED
SPACE = space.SPACE
STACK = process.STACK
SUPPRESSION = suppression.SUPPRESSION
TIME = process.TIME
UNINITIALIZED = uninitialized.UNINITIALIZED
UNREAD = left_out.UNREAD
UNUSED = tiles.UNUSED
UNWAITED = waits.UNWAITED
UNWRITTEN = left_out.UNWRITTEN
USE_AFTER_FREE = freed.USE_AFTER_FREE
VALUE = numbers.VALUE
WRONG_RESULT = results.WRONG_RESULT
