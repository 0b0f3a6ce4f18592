"""The scalar unit's cache and the engines see the same memory."""

from ..finding import Finding
from ..rule import declare_rule

CACHE = declare_rule("cache", "the scalar unit's cache and the engines see the same memory")


def stale(instruction: str, invalidate: str) -> Finding:
    """A scalar load of what an engine has written; ``invalidate`` is the instruction that is missing."""
    return Finding(
        CACHE,
        "scalar load of memory that an engine has written; the cache may hold the old value",
        instruction=instruction,
        suggestion=f"invalidate the cache before the load ({invalidate})",
        provenance="inferred",
    )


def unflushed(instruction: str, operand: str, flush: str) -> Finding:
    """An engine reads what scalar code has stored; ``flush`` is the instruction that is missing."""
    return Finding(
        CACHE,
        "the engine reads memory whose scalar stores may still be in the cache",
        instruction=instruction,
        operand=operand,
        suggestion=f"flush the cache after the stores ({flush})",
        provenance="inferred",
    )
