"""The rules that a kernel can break: a module for each, or for a family, with id, severity, doc line and wording.

What finds that a rule is broken hands over facts; only these modules make a `Finding`.
"""

from . import (
    assertion,
    bank,
    barrier,
    bounds,
    budget,
    build,
    cache,
    declared,
    empty,
    fill,
    freed,
    host_code,
    left_out,
    loaded_twice,
    log_limit,
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
    suspicious,
    tiles,
    uninitialized,
    waits,
)

#: Rules after which a launch has not come to its end, whether findings are collected or not.
ENDING = frozenset({assertion.ASSERT, barrier.BARRIER, not_modelled.NOT_MODELLED, *process.FATAL})

__all__ = [
    "ENDING", "assertion", "bank", "barrier", "bounds", "budget", "build", "cache", "declared", "empty", "fill",
    "freed", "host_code", "left_out", "loaded_twice", "log_limit", "memory_core", "not_modelled", "numbers",
    "precision", "process", "race", "results", "section", "space", "suppression", "suspicious", "tiles",
    "uninitialized", "waits",
]  # fmt: skip
