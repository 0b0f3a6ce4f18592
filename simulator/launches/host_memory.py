"""What only the host's process knows of device memory: who allocated it, what has been freed, what is read-only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..core.memory import Allocation
from ..core.memory.global_memory import GlobalMemory
from ..findings import Finding, merged_by, rules
from ..log import Location, Log

#: How a place is named where memory is allocated.
P = TypeVar("P")


def sourced(findings: Iterable[Finding], memory: GlobalMemory) -> list[Finding]:
    """Findings with what the host knows of the device memory that they are about.

    That is the line at which it was allocated; an access out of bounds that begins in memory which has been freed is
    a use of that.
    """
    return one_for_freed([_sourced(finding, memory) for finding in findings])


def one_for_freed(findings: Sequence[Finding]) -> list[Finding]:
    """Findings, all uses of a freed array by a kernel as one, with the lines of the others."""
    freed = rules.freed.USE_AFTER_FREE
    return merged_by(findings, [(f.rule, f.kernel, f.origin) if f.rule == freed else f.cause for f in findings])


def _sourced(finding: Finding, memory: GlobalMemory) -> Finding:
    region = finding.region
    if region is None or region.space != memory.memory.name:
        return finding
    address = memory.address + region.offset
    freed = memory.freed_at(address) if finding.rule == rules.bounds.BOUNDS else None
    if freed is not None:
        return rules.freed.used(finding, address - freed.start, freed.name, freed.origin)
    entry = memory.memory.nearest(address)
    if finding.origin is None and entry is not None and entry.origin.line:
        return replace(finding, origin=entry.origin)
    return finding


def after_free(
    finding: Finding, memory: GlobalMemory, freed: Sequence[tuple[Allocation, P, P]], locate: Callable[[P], Location]
) -> Finding:
    """A finding; an access to unallocated memory that was freed is a use of that.

    ``freed`` are allocations with the places that made and freed them, in the order in which they were freed.
    """
    region = finding.region
    if finding.rule != rules.bounds.BOUNDS or region is None or region.space != memory.memory.name:
        return finding
    address = memory.address + region.offset
    owner = memory.memory.find(address)
    if owner is None or not owner.start <= address < owner.end:
        for entry, made, gone in reversed(freed):
            if entry.start <= address < entry.end:
                used = rules.freed.used(finding, address - entry.start, entry.name, locate(made))
                return replace(used, related=locate(gone))
    return finding


def read_only_writes(log: Log, arrays: Sequence[Allocation]) -> Iterator[Finding]:
    """A finding for every line of a log and every array that is read-only on the host and written there."""
    if not arrays or not len(log):
        return
    keys = log.operands["key"]
    for array in arrays:
        inside = (keys >= array.key) & (keys < array.key + array.end - array.start) & (log.operands["bytes"] > 0)
        rows = np.flatnonzero(inside & log.operand_written)
        records = log.owners[rows]
        lines = log.records["loc"][records]
        for at in np.sort(np.unique(lines, return_index=True)[1]).tolist():
            row, op = int(rows[at]), log.op(records[at])
            yield rules.results.read_only(op.name, array.name).at_all(
                log, records[lines == lines[at]],
                operand=op.operands[row - int(log.records["first"][records[at]])],
                region=log.region(int(keys[row]), int(log.operands["bytes"][row])),
            )  # fmt: skip
