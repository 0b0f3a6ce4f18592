"""What waits for what: memory is used when its instruction is done, and no wait is for nothing."""

from ...log.region import Region
from ..finding import Finding
from ..rule import ADVICE, WARNING, declare_rule, meaning_of

ORDER = declare_rule("order", "memory is not used while an unfinished instruction works on it")
REDUNDANT_SYNC = declare_rule("redundant-sync", "a wait has something to wait for", ADVICE)
UNWAITED = declare_rule("unwaited", "a task waits for what it has started before it ends", ADVICE)


def hazard(name: str, earlier: str, pipe: str, wait: str, longer: str = "") -> Finding:
    """An instruction uses what an earlier one still works on; ``wait`` is the call that is missing, if there is one.

    Of two operands that lie in each other in part only, ``longer`` is the instruction whose begins first.
    """
    ways = [f"call {wait} between them"] if wait else []
    ways += [f"where they are not meant to meet, {meaning_of(longer)}"] if longer else []
    return Finding(
        ORDER,
        f"{name} uses memory that {earlier} is still working on; nothing waits for the {pipe} pipe",
        instruction=name,
        suggestion="; ".join(ways),
        slip=pipe,
    )


def of_copy(store: bool, who: str, byte: int, name: str, copier: str, region: Region | None) -> Finding:
    """A thread accesses a byte of shared memory that an asynchronous copy of a thread may not have reached."""
    return Finding(
        ORDER,
        f"{who} {'stores to' if store else 'loads from'} byte {byte} of {name!r}, which an asynchronous copy may not "
        f"have reached: {copier}, which started it, has not waited for it",
        instruction="store" if store else "load",
        region=region,
        suggestion="commit the copy, wait for it, and call __syncthreads() if another thread uses it",
    )


def unwaited(name: str, pipe: str, wait: str, commanded: bool) -> Finding:
    """A task ends while an instruction may be at work; ``wait`` is the call that is missing, if there is one.

    It is a warning where a processor of its own has ``commanded`` the engine, which it need not wait for to return.
    """
    return Finding(
        UNWAITED,
        f"the task ends while {name} may still be at work; nothing waits for the {pipe} pipe",
        instruction=name,
        suggestion=f"call {wait} after it" if wait else "",
        severity=WARNING if commanded else "",
        provenance="inferred",
        slip=wait,
    )


def redundant(name: str, idle: bool) -> Finding:
    """A wait changes nothing: all is idle, or what comes next waits for the same."""
    what = "there is nothing to wait for" if idle else "the next instruction waits for the same"
    return Finding(REDUNDANT_SYNC, f"{name} changes nothing: {what}", instruction=name, suggestion="remove it")
