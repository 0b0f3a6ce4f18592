"""The rules that a kernel can break: every id once, with its severity and what it says."""

from __future__ import annotations

from dataclasses import dataclass

#: How bad it is: wrong; wrong or lucky; not wrong, and could be better.
ERROR, WARNING, ADVICE = "error", "warning", "advice"
SEVERITIES = (ERROR, WARNING, ADVICE)


@dataclass(frozen=True)
class Rule:
    """A rule: its id in findings, how bad it is to break it, and what it says, in a line."""

    id: str
    severity: str
    doc: str


RULES: dict[str, Rule] = {}


def declare(id: str, doc: str, severity: str = ERROR) -> str:
    """Declare a rule and return its id; ValueError where another one has it. A check of a user's own begins so."""
    made = Rule(id, severity, doc)
    if RULES.setdefault(id, made) != made:
        raise ValueError(f"there is another rule {id!r}: {RULES[id].doc}")
    return id


ALIGNMENT = declare("alignment", "an address is a multiple of what the instruction needs")
ARCH = declare("arch", "the instruction exists on the architecture")
ARGUMENT = declare("argument", "an argument has a value that the instruction takes")
ASSERT = declare("assert", "the kernel's own assertions hold")
BARRIER = declare("barrier", "every task of its scope reaches a barrier")
BOUNDS = declare("bounds", "an access lies inside one variable or array")
BUDGET = declare("budget", "on-chip variables fit into their memory")
BUILD = declare("build", "the source compiles")
CACHE = declare("cache", "the scalar unit's cache and the engines see the same memory")
CONVERSION = declare("conversion", "a converted number lies in the range of its new type", WARNING)
CRASH = declare("crash", "the kernel ends by returning")
DIVISION = declare("division", "nothing is divided by zero", WARNING)
DOUBLE_FREE = declare("double-free", "memory is freed once")
DTYPE = declare("dtype", "the element type is one that the instruction has")
EMPTY = declare("empty", "a launch executes something", WARNING)
FORBIDDEN = declare("forbidden", "a kernel does nothing that a card could not: no files, processes, network")
HOST_POINTER = declare("host-pointer", "host code takes a pointer for what it is, and device memory for the runtime's")
LANE = declare("lane", "operands across lanes start in the lane that the instruction needs")
LEAK = declare("leak", "a program frees the device memory that it has allocated", WARNING)
LEFTOVER = declare("leftover", "what is stored is made of tiles, not of what lies beside them", WARNING)
LENGTH = declare("length", "a count is positive, or a multiple of what the instruction needs")
MEMORY_CORE = declare("memory-core", "a memory core leaves to the others what it cannot or need not do", WARNING)
NOT_MODELLED = declare("not-modelled", "what is executed is modelled")
NUMBER = declare("number", "numbers make numbers: no NaN and no infinity is born", WARNING)
ORDER = declare("order", "memory is not used while an unfinished instruction works on it")
ORDER_DEPENDENT = declare("order-dependent", "a result does not depend on the order of tasks", WARNING)
OVERLAP = declare("overlap", "operands coincide or stay apart as the instruction allows")
OVERRUN = declare("overrun", "a result, and what is taken, ends where its tile ends", ADVICE)
PARTIAL = declare("partial", "a tile that is changed in place is changed to its end", ADVICE)
PRECISION = declare("precision", "rounding leaves half of the digits of a result", WARNING)
QUEUE_ORDER = declare("queue-order", "work that shares memory has an order: of a queue, a notifier, a host that waits")
RACE = declare("race", "tasks, and threads of a block, share memory with a barrier between, or atomically")
READ_ONLY = declare("read-only", "no kernel writes an array that is read-only on the host", WARNING)
REDUNDANT_SYNC = declare("redundant-sync", "a wait has something to wait for", ADVICE)
SECTION = declare("section", "parallel sections are opened, closed and left in order")
SHIFTED = declare("shifted", "a tile is taken from where it begins, and to its end", ADVICE)
SPACE = declare("space", "an operand lies in the memory that the instruction works on, the core's own")
STACK = declare("stack", "the kernel's stack suffices")
SUPPRESSION = declare("suppression", "a suppression has a reason and suppresses something", ADVICE)
TIME = declare("time", "the kernel ends within the time limit")
UNINITIALIZED = declare("uninitialized", "what is read has been written before", WARNING)
UNREAD = declare("unread", "an input is read to its end, and by every task", ADVICE)
UNUSED = declare("unused", "what is loaded or reduced is read before it is overwritten", ADVICE)
UNWAITED = declare("unwaited", "a task waits for what it has started before it ends", ADVICE)
UNWRITTEN = declare("unwritten", "an output is written to its end, and by every task", WARNING)
USE_AFTER_FREE = declare("use-after-free", "memory is not used after it has been freed")
VALUE = declare("value", "the elements of an operand have values that the instruction can work with")
WRONG_RESULT = declare("wrong-result", "an array holds what was expected of it")
