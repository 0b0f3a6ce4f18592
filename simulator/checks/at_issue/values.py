"""What goes wrong in the values of an instruction: NaN and infinity born, division by zero, saturated conversions."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ....isa import Atomic, Compute, Copy, Kind, Wider
from ...core.issue import Check, PortSource
from ...core.issue.inputs import Inputs
from ...core.issue.operands import Operand
from ...findings import rules
from .precision import alike

#: As wide as the result of any conversion to a whole number that is not to saturate.
_WIDE = np.dtype(np.int64)


class Values(Check):
    """Looks at what an instruction reads just before its effect takes place, and at what it wrote just after.

    Off unless asked for: kernels compute on padding, and some divide by zero and choose afterwards.
    """

    @contextmanager
    def around_effect(self, port: PortSource, operands: list[Operand]) -> Iterator[None]:
        entry = port.entry
        if not isinstance(entry.effect, (Compute, Atomic)) or isinstance(entry.effect, Copy):
            yield
            return
        port.bind("_values", self)
        zero = self._divisor(port, operands)
        converted = self._conversion(port, operands)
        written = [o for o in operands if o.writes and o.element.is_float and not o.parameter.clobbered]
        if written and entry.wider is not Wider.BITS:
            partial = getattr(entry.effect, "partial", False)  # what is written in part may hold older ones
            taken = {p.name for p in entry.inputs}
            seen = [o.contents() for o in operands if o.element.is_float and (o.name in taken or partial)]
            seen += [
                p.name for p in port.overload.parameters
                if p.kind is Kind.VALUE and p.type in port.overload.binding and port.overload.element(p).is_float
            ]  # fmt: skip
            lanes = (alike(entry) or bool(zero)) and not partial
            port.bind("_odd", odd_lanes if lanes else odd)
            port.line(f"_given = _odd({', '.join(seen)}){zero}")
        yield
        if written and entry.wider is not Wider.BITS:
            for operand in written:
                port.line(f"_values._born(_pc, _OVERLOAD.name, {operand.name!r}, _given, {operand.contents()})")
        for operand in converted:
            port.line(f"_values._converted(_pc, _OVERLOAD, {operand.name!r}, {operand.contents()}, _unsaturated)")

    def _divisor(self, port: PortSource, operands: list[Operand]) -> str:
        """Look whether the instruction divides by zero; what is to be added to where its inputs are no numbers."""
        name = port.entry.divisor
        if not name:
            return ""
        text = next((o.contents() for o in operands if o.name == name), name)
        port.line(f"_zero = _values._divides(_pc, _OVERLOAD.name, {name!r}, {text})")
        return " | _zero"

    def _conversion(self, port: PortSource, operands: list[Operand]) -> list[Operand]:
        """The integer operand whose type the semantics saturates to, for which it is called with a wide one too."""
        semantics = port.entry.semantics
        if semantics is None or isinstance(semantics, np.ufunc):
            return []
        asked = {name[5:] for name in inspect.signature(semantics).parameters if name.startswith("type_")}
        found = [o for o in operands if o.writes and o.name in asked and o.element.dtype.kind in "iu"]
        if found:
            wide = Inputs(
                port, operands, dtype=lambda o: _WIDE if o in found else o.element.dtype, prefix="unsaturated_"
            )
            port.bind("_wide_body", semantics)
            port.line(f"_unsaturated = _wide_body({wide.of(semantics)})")
        return found

    # --- what ports call -----------------------------------------------------------------------------------

    def _divides(self, pc: int, instruction: str, operand: str, divisor: Any) -> Any:
        zero = np.asarray(divisor) == 0
        if zero.any():
            zeros = (int(zero.sum()), zero.size, _first(zero)) if zero.ndim else None
            self.execution.collector.report(rules.numbers.divided(instruction, operand, zeros), pc)
        return zero

    def _born(self, pc: int, instruction: str, operand: str, given: Any, made: np.ndarray) -> None:
        born = ~np.isfinite(made) & ~given
        if born.any():
            at = _first(born)
            self.execution.collector.report(rules.numbers.born(instruction, operand, at, made.flat[at]), pc)

    def _converted(self, pc: int, overload: Any, operand: str, made: np.ndarray, unsaturated: np.ndarray) -> None:
        lost = made != np.asarray(unsaturated).reshape(made.shape)
        if lost.any():
            at, limits = _first(lost), np.iinfo(made.dtype)
            found = rules.numbers.saturated(
                overload.name, operand, (int(lost.sum()), lost.size), made.dtype, at,
                (unsaturated.flat[at], made.flat[at]), (limits.min, limits.max),
            )  # fmt: skip
            self.execution.collector.report(found, pc)


def odd(*given: Any) -> bool:
    """Whether any of the inputs has a NaN or an infinity."""
    return not all(np.isfinite(values).all() for values in given)


def odd_lanes(*given: Any) -> Any:
    """Where an input has a NaN or an infinity, element by element."""
    found: Any = np.False_
    for values in given:
        found = found | ~np.isfinite(values)
    return found


def _first(where: np.ndarray) -> int:
    return int(np.flatnonzero(where)[0])
