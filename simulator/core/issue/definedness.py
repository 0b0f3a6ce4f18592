"""Which bytes of an output are initialized: copies, lane-wise instructions and those that move elements pass it on.

They report nothing: padding that is computed on and never used is no fault. What looks at values reports: reductions,
products, masks and offsets, positions that a table lacks, scalar loads, and stores to memory that the host can see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any

import numpy as np

from ....isa import Copy, Instruction, Overload
from ..execution import Execution
from ..memory import View
from ..memory.flags import alike, lanes, marks, masked, outside, packed_lanes
from .check import Check


class Definedness:
    """What ports call where operands hold uninitialized bytes, which hold the poison by then."""

    def __init__(self, execution: Execution, overload: Overload, checks: Sequence[Check]) -> None:
        self._overload, self._entry, self._checks = overload, overload.instruction, checks
        self._carried = [p.name for p in self._entry.read if p.name in carried(self._entry)]
        memories = execution.map.memories.values()
        self._visible = {memory.name for memory in memories if memory.space.scope == "device"}

    def report(self, pc: int, operand: str, view: View) -> None:
        """The values of an operand are used."""
        for check in self._checks:
            check.unwritten_read(view, self._overload.name, operand, pc)

    def carry(self, pc: int, target: View, *read: View) -> None:
        """The output holds copies of the operands that are read, or one element for each of theirs."""
        entry = self._entry
        stale = [view.stale() for view in read]  # of each of them: all get their poison
        if target.entry.space in self._visible:
            for name, view, doubtful in zip(self._carried, read, stale, strict=True):
                if doubtful:
                    self.report(pc, name, view)
            target.written()
            return
        target.fill_poison()  # what is computed now stays
        if bits := masking(entry):
            target.define(masked(bits, *((view.read(), view.flags()) for view in read)))
        elif entry.lane_wise:
            flags = [view.flags() for view in compress(read, stale)]
            target.define((packed_lanes if entry.packs_bits else lanes)(flags))
        else:
            target.pass_on(read[0])

    def moved(self, pc: int, target: View, source: View, body: Callable[[np.ndarray], Any]) -> np.ndarray | None:
        """For bytes of the output whether those that they come from are initialized; None: all count as initialized.

        ``body`` is the instruction's own function, given the contents of the operand whose elements it moves.
        """
        marked, clear = marks(source.flags(), source.read().dtype)
        found = alike(body(marked), body(clear))
        if target.entry.space not in self._visible:
            return found.reshape(target.flags().shape)
        if not found.all():  # maybe nothing of what is missing comes there
            self.report(pc, self._carried[0], source)
        return None

    def looked_up(self, pc: int, positions: View, table: View) -> np.ndarray | None:
        """For elements of the output whether their positions are initialized; None: all count as initialized.

        An uninitialized position that a table has makes an uninitialized element. So it is with masks that are made of
        padding: whatever lies there, a comparison gives 0 or 1. Memory as it is found holds no position of any table,
        and is reported.
        """
        found = lanes([positions.flags()])
        if not outside(positions.read(), table.read(), found):
            return found
        self.report(pc, self._carried[0], positions)
        return None


def passes_on(entry: Instruction) -> bool:
    """Whether bytes of the output are initialized where those that they come from are."""
    return (entry.lane_wise and not entry.adds) or isinstance(entry.effect, Copy) or bool(entry.moves)


def masking(entry: Instruction) -> np.ufunc | None:
    """The function by which bits of one operand decide which uninitialized ones of the other go on, if it is one."""
    masks: tuple[np.ufunc, ...] = (np.bitwise_and, np.bitwise_or)
    of_two = len(carried(entry)) == 2
    return next((bits for bits in masks if of_two and entry.semantics is bits), None)


def carried(entry: Instruction) -> frozenset[str]:
    """The operands whose uninitialized bytes go on to the output; those of the others are reported."""
    if entry.looks_up:
        return frozenset({entry.looks_up})
    if not passes_on(entry):
        return frozenset()
    return frozenset({entry.moves} if entry.moves else {p.name for p in entry.inputs})


def take_back(target: View, initialized: np.ndarray) -> None:
    """Of what has been moved or looked up only these bytes of the output count as written."""
    target.fill_poison()
    target.define(target.flags() & initialized)
