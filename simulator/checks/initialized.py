"""What is read has been written before."""

from __future__ import annotations

from ..execution import MEMORY
from ..findings import Finding, rules
from ..issue import Check, PortSource
from ..issue.operands import Operand
from ..memory import Allocation

_ADVICE = "write the memory before it is read"


class Initialized(Check):
    """Warns of reads of uninitialized bytes, once for each byte."""

    def before_read(self, port: PortSource, operand: Operand) -> None:
        name = operand.name
        report = port.bind("_uninitialized", self._report)
        entry = f"_t_{name}.entry" if operand.parameter.is_tensor else f"_a_{name}"
        port.line(f"_piece = {operand.uninitialized()}")
        with port.block("if _piece:"):
            port.line(operand.forgive())
            port.line(f"{report}(_pc, _OVERLOAD.name, {name!r}, {entry}, _piece)")

    def unwritten_load(self, piece: tuple[int, int], entry: Allocation, name: str, pc: int) -> None:
        start, end = piece
        spaces, kind = self.execution.dialect.spaces, self.execution.current.kind
        if kind == MEMORY and not spaces[entry.space].memory_core:
            return  # it has no such memory: that is another rule's
        self.execution.collector.report(
            Finding(
                rules.UNINITIALIZED,
                f"scalar load of uninitialized bytes of {entry.name!r}",
                instruction=name,
                region=self.execution.map.region(start, end - start),
                suggestion=_ADVICE,
            ),
            pc,
        )

    def _report(self, pc: int, instruction: str, operand: str, entry: Allocation, piece: tuple[int, int]) -> None:
        start, end = piece
        self.execution.collector.report(
            Finding(
                rules.UNINITIALIZED,
                f"reads {end - start} uninitialized bytes of {entry.name!r}",
                instruction=instruction,
                operand=operand,
                region=self.execution.map.region(start, end - start),
                suggestion=_ADVICE,
            ),
            pc,
        )
