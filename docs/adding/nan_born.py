"""A check of one's own: a warning for the first instruction that makes a NaN out of numbers."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from mlusim.isa import Atomic, Compute, Kind
from mlusim.simulator import Check, Finding, Operand, PortSource, declare_rule

NAN = declare_rule("nan", "an instruction that reads no NaN writes none", "warning")


class NanBorn(Check):
    """Looks at what an instruction reads just before its effect takes place, and at what it wrote just after."""

    @contextmanager
    def around_effect(self, port: PortSource, operands: list[Operand]) -> Iterator[None]:
        floats = [operand for operand in operands if operand.element.is_float]
        written = [operand for operand in floats if operand.writes and not operand.parameter.clobbered]
        if not written or not isinstance(port.entry.effect, (Compute, Atomic)):
            yield
            return
        nan = port.bind("_first_nan", first_nan)
        report = port.bind("_nan_born", self._report)
        # What is written in part may hold older ones.
        seen = floats if getattr(port.entry.effect, "partial", False) else [o for o in floats if o.reads]
        given = [f"{nan}({operand.contents()}) >= 0" for operand in seen]
        given += [
            f"{p.name} != {p.name}"
            for p in port.overload.parameters
            if p.kind is Kind.VALUE and port.overload.element(p).is_float
        ]
        port.line(f"_nan_given = {' or '.join(given) or False}")
        yield
        with port.block("if not _nan_given:"):
            for operand in written:
                port.line(f"_nan_at = {nan}({operand.contents()})")
                port.line(f"if _nan_at >= 0: {report}(_pc, _OVERLOAD.name, {operand.name!r}, _nan_at)")

    def _report(self, pc: int, instruction: str, operand: str, index: int) -> None:
        message = f"element {index} of {operand} is NaN, and nothing that was read is"
        advice = "keep its inputs in the range where the result is a number"
        finding = Finding(NAN, message, instruction=instruction, operand=operand, suggestion=advice)
        self.execution.collector.report(finding, pc)


def first_nan(array: np.ndarray) -> int:
    """The index of the first NaN in an array, counted row by row; -1 if there is none."""
    where = np.flatnonzero(np.isnan(array))
    return int(where[0]) if where.size else -1
