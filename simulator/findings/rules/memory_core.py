"""A memory core leaves to the others what it cannot or need not do."""

from dataclasses import replace

from ...log.region import Region
from ..finding import Finding
from ..rule import ADVICE, declare_rule

MEMORY_CORE = declare_rule("memory-core", "a memory core skips what it cannot or need not do", ADVICE)
_GUARD = (
    "return at once on the memory core (if (__is_mpu()) return;), or let only the other cores do this "
    "(if (__is_ipu()), or coreId == 0)"
)


def lacking(instruction: str, region: Region) -> Finding:
    """It loads from a memory that it does not have, before it does what reaches other cores."""
    return _found(f"the memory core loads from {region.space}, which it does not have", instruction, region)


def stored(repeats: bool, instruction: str, region: Region) -> Finding:
    """It stores to memory of the device, which ``repeats`` the store of the other cores, or does nothing."""
    effect = "repeats a store of the other cores" if repeats else "has no effect"
    return _found(f"a scalar store of the memory core to {region.space} {effect}", instruction, region)


def behind(finding: Finding, number: int, scalar: bool) -> Finding:
    """It begins behind a variable, as an index with its own coreId does: that is a ``number`` above all others.

    No other core misses a ``scalar`` that it stores there, nor one that it loads.
    """
    said = f"this is a memory core, where coreId is {number:#x}: {_GUARD}"
    return replace(finding, suggestion=said, carried_out=scalar)


def _found(message: str, instruction: str, region: Region) -> Finding:
    return Finding(
        MEMORY_CORE, message, instruction=instruction, region=region, suggestion=_GUARD, provenance="inferred"
    )
