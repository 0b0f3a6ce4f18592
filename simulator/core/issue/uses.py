"""The lines of a port about uninitialized bytes: what is read is checked, and what is written has been."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....isa import Cache, Completion
from .check import Check
from .definedness import Definedness, carried, passes_on, take_back
from .effects import EffectWriter, undefined_rest
from .operands import Operand


class UseWriter:
    """Writes what becomes of uninitialized bytes of the operands of one instruction; see `Definedness`."""

    def __init__(self, effect: EffectWriter, checks: Sequence[Check]) -> None:
        self._port, self._entry, self._effect = effect.port, effect.entry, effect
        self._definedness = Definedness(effect.port.execution, effect.port.overload, checks)
        #: Those that are read and whose uninitialized bytes go on to the output.
        self._passed = [o for o in effect.operands if o.name in carried(effect.entry)]
        self._follows = bool(effect.entry.moves or effect.entry.looks_up)

    def write(self, unchecked: Iterable[Operand]) -> None:
        """All that comes before the effect; of what is read only operands that are ``unchecked`` are checked."""
        if isinstance(self._entry.effect, Cache):
            return
        self.check_reads(unchecked)
        if passes_on(self._entry) and not self._entry.moves:
            self._carry()
            return
        if self._follows:
            self._follow()
        partial = getattr(self._entry.effect, "partial", False)
        for operand in self._effect.operands:
            if operand.writes and not partial and not operand.parameter.clobbered:
                self._port.line(operand.written())
            if operand.writes and operand.parameter.defined:
                undefined_rest(self._port, operand)

    def check_reads(self, operands: Iterable[Operand]) -> None:
        """Those whose values are used, by an instruction that does not just pass them on."""
        for operand in operands:
            if operand.reads and operand not in self._passed:
                report = self._port.bind("_unwritten", self._definedness.report)
                adds = self._entry.adds if operand.writes else ""
                given = f"{self._port.expression(adds)} and " if adds else ""
                self._port.line(f"if {given}{operand.stale()}: {report}(_pc, {operand.name!r}, {operand.view()})")

    def take_back(self) -> None:
        """After the effect: of what has been moved or looked up only some bytes count as written."""
        if self._follows:
            back, target = self._port.bind("_take_back", take_back), self._effect.written[0].view()
            self._port.line(f"if _moved is not None: {back}({target}, _moved)")

    def _carry(self) -> None:
        """The output has uninitialized elements where the operands have that it is computed or copied from."""
        port, read, (target,) = self._port, self._passed, self._effect.written
        carry = port.bind("_carry", self._definedness.carry)
        with port.block(f"if {' or '.join(operand.stale() for operand in read)}:"):
            port.line(f"{carry}(_pc, {', '.join(operand.view() for operand in (target, *read))})")
        with port.block("else:"):
            if self._effect.completion is Completion.DEFERRED:
                port.line(target.poison())
            port.line(target.written())

    def _follow(self) -> None:
        """Uninitialized elements are moved to other places of the output, or are positions in a table."""
        port, found, read = self._port, self._definedness, self._passed[0]
        port.line("_moved = None")
        if self._entry.looks_up:
            table = next(o for o in self._effect.operands if o.reads and o is not read)
            given = f"{port.bind('_looked_up', found.looked_up)}(_pc, {read.view()}, {table.view()})"
        else:
            assert self._entry.semantics is not None
            port.bind("_body", self._entry.semantics)
            call = self._effect.call(self._entry.semantics, {read: "_marks"})
            target = self._effect.written[0].view()
            given = f"{port.bind('_follow', found.moved)}(_pc, {target}, {read.view()}, lambda _marks: _body({call}))"
        port.line(f"if {read.stale()}: _moved = {given}")
