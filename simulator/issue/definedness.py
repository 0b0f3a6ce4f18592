"""Which bytes of an output are initialized: copies and lane-wise instructions pass on what they read.

They report nothing: padding that is computed on and never used is no fault. What looks at values reports: reductions,
products, tables, scalar loads, and stores to memory that the host can see.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...isa import Copy, Instruction
from ..memory import Allocation
from .check import Check
from .effects import copy_segments
from .operands import Flat, Operand, Strided
from .source import PortSource


def passes_on(entry: Instruction, operands: Sequence[Operand]) -> bool:
    """Whether bytes of the output are initialized where those that they come from are."""
    return all(isinstance(operand, Flat) for operand in operands) and (
        entry.lane_wise or isinstance(entry.effect, Copy)
    )


def pass_on(port: PortSource, operands: Sequence[Operand], checks: Sequence[Check]) -> None:
    """Add the lines of a port that do so; ``operands`` have been found."""
    read = [operand for operand in operands if operand.reads]
    (target,) = (operand for operand in operands if operand.writes)
    memories = port.execution.map.memories.values()
    port.bind("_VISIBLE", frozenset(memory.name for memory in memories if memory.space.scope == "device"))
    with port.block(f"if {' or '.join(f'({operand.may_be_uninitialized()})' for operand in read)}:"):
        port.line("_stale = ()")
        for operand in read:
            with port.block(f"if {operand.may_be_uninitialized()}:"):
                port.line(operand.fill_poison())
                port.line(f"if {operand.uninitialized()}: _stale += ({operand.flags()},)")
        with port.block("if not _stale:"):
            port.line("pass")
            target.written()
        with port.block(f"elif _a_{target.name}.space in _VISIBLE:"):
            for operand in read:
                for check in checks:
                    check.before_read(port, operand)
            target.written()
        with port.block("else:"):
            _pass(port, read, target)
    with port.block("else:"):
        target.written()


def _pass(port: PortSource, read: Sequence[Operand], target: Operand) -> None:
    place = f"_a_{target.name}, {target.low}, {target.end}, {target.flags()}"
    if port.entry.lane_wise:
        port.bind("_pass_lanes", pass_lanes)
        port.line(f"_pass_lanes({place}, _stale)")
        return
    port.bind("_pass_bytes", pass_bytes)
    apart = f"({target.apart_from(read[0])}) and {target.unfolded()}" if isinstance(target, Strided) else "True"
    port.line(f"_pass_bytes({place}, _stale[0], {apart})")


def pass_lanes(entry: Allocation, low: int, end: int, target: np.ndarray, sources: Sequence[np.ndarray]) -> None:
    """An element is initialized where all bytes of all its inputs are; flags have shape [..., bytes of an element]."""
    lanes = np.logical_and.reduce([flags.all(axis=-1).ravel() for flags in sources])
    target[...] = lanes.reshape(*target.shape[:-1], 1)
    entry.uninitialized.changed(low, end)


def pass_bytes(entry: Allocation, low: int, end: int, target: np.ndarray, source: np.ndarray, apart: bool) -> None:
    """A byte is initialized where the one that it is a copy of is."""
    copy_segments(target, source.copy() if apart else source, apart)
    entry.uninitialized.changed(low, end)
