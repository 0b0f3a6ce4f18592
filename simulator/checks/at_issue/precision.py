"""Floating instructions once more on float64 beside the real ones: lines that lose digits, arrays that are off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ....isa import Atomic, Compute, Copy, DeclarationError, Overload, Parameter, Partial, Wider
from ...core.execution import Execution
from ...core.issue import AccessRun, Check, PortSource
from ...core.issue.inputs import Inputs
from ...core.issue.operands import Operand
from ...core.memory import Memory, View
from ...core.memory.precise import PreciseMemory, own
from ...findings import rules
from ..deviation import TINY, deviation, roundoff

_FLOAT64 = np.dtype(np.float64)
#: A difference that has become this much larger at an instruction has been born there.
_GROWN = 2.0


class Precision(Check):
    """Keeps what every element would be without rounding; off unless asked for: a launch is some twenty times slower.

    What scalar code, integers and bits write is its own precise value. Where an instruction decides (it compares, or
    rounds to a whole number), the numbers as they are decide in both, and a decision that float64 would take
    otherwise is reported.
    """

    def __init__(self, execution: Execution, limit: float | None = None) -> None:
        """``limit`` is the relative error from which on a line is reported; by default half of the digits of the
        coarsest type that a number has been in are lost then: 2.4e-4 of float, 2.2e-2 of half, 6.3e-2 of bfloat16.
        """
        super().__init__(execution)
        self.limit, self.memory = limit, PreciseMemory()

    def begin(self) -> None:
        self.memory.clear()

    def watches_runs(self) -> bool:
        return True

    def scalar_run(self, run: AccessRun, memory: Memory) -> None:
        entry = memory.find(run.low) if run.store else None
        if entry is not None:
            self.memory.forget_run(entry, run.low, run.high, run.stride if run.count > 1 else 0, run.size)

    @contextmanager
    def around_effect(self, port: PortSource, operands: list[Operand]) -> Iterator[None]:
        entry = port.entry
        port.bind("_precise", self)
        port.bind("_REFUSED", (TypeError, ValueError))
        if isinstance(entry.effect, Copy):
            source, target = (next(o for o in operands if o.name == p.name) for p in (*entry.read, *entry.written))
            port.line(f"_taken = _precise.memory.take({source.view()})")
            yield
            port.line(f"_precise.memory.put({target.view()}, _taken)")
            return
        written = [o for o in operands if o.writes and not o.parameter.clobbered]
        floats = [o for o in written if is_float(o)]
        returns = entry.prototype.returns != "void"
        again = isinstance(entry.effect, (Compute, Atomic)) and (floats or returns) and entry.wider is not Wider.BITS
        taken = {p.name for p in entry.inputs}
        reads = [o for o in operands if o.name in taken and is_float(o)]
        if again:
            for operand in reads:
                port.line(f"_cells_{operand.name} = _precise.memory.read({operand.view()})")
            with port.block("try:"):
                port.line(f"_again = {self._call(port, operands, floats)}")
            port.line(f"except _REFUSED as _error: raise {port.bind('_on_bits', on_bits)}(_OVERLOAD, _error)")
        yield
        if again:
            cells = "".join(f"_cells_{operand.name}, " for operand in reads)
            made = [o.name for o in written] + (["_result"] if returns else [])
            for number, name in enumerate(made):
                value = f"_again[{number}]" if len(made) > 1 else "_again"
                if name == "_result":
                    port.line(f"_precise._returned(_pc, _OVERLOAD, _result, {value}, ({cells}))")
                elif name in {o.name for o in floats}:
                    where = next(o for o in floats if o.name == name).view()
                    port.line(f"_precise._wrote(_pc, _OVERLOAD, {name!r}, {where}, {value}, ({cells}))")
        for operand in written:
            if not again or operand not in floats:
                port.line(f"_precise.memory.forget({operand.view()})")

    def _call(self, port: PortSource, operands: Sequence[Operand], floats: Sequence[Operand]) -> str:
        """The call of the semantics on float64."""
        port.bind("_float64", np.float64)

        def contents(operand: Operand) -> str:
            if operand.reads and is_float(operand):
                return f"_cells_{operand.name}['precise']"
            return operand.contents()

        def value(parameter: Parameter, text: str) -> str:
            element = port.overload.element(parameter)
            if element.dtype.kind in "iub":
                return text
            return f"_float64({port.bind(f'_own_{parameter.name}', element.dtype.type)}({text}))"

        def dtype(operand: Operand) -> np.dtype:
            return _FLOAT64 if operand in floats else operand.element.dtype

        inputs, semantics = Inputs(port, operands, contents, value, dtype, "wider_"), port.entry.semantics
        port.bind("_semantics", semantics)
        assert semantics is not None
        arguments = ", ".join(inputs.of_ufunc()) if isinstance(semantics, np.ufunc) else inputs.of(semantics)
        return f"_semantics({arguments})"

    # --- what ports call -----------------------------------------------------------------------------------

    def _wrote(
        self, pc: int, overload: Any, operand: str, where: View, result: Any, inputs: tuple[np.ndarray, ...]
    ) -> None:
        """An operand has been written: keep what it would be, and say where the difference has become large."""
        entry = overload.instruction
        element = next(overload.element(p) for p in entry.prototype.memory if p.name == operand)
        rows = None
        if isinstance(result, Partial):
            result, rows = result.values, result.rows
        made = self.memory.fresh(where)
        made["unit"] = unit = roundoff(element.dtype)
        try:
            precise = np.broadcast_to(np.asarray(result, np.float64), made.shape)
        except ValueError as error:
            raise on_bits(overload, error) from error
        if rows is not None:
            precise = np.where(rows.reshape(-1, *[1] * (made.ndim - 1)), precise, made["real"])
        if entry.wider is Wider.DECIDES:
            self._decided(pc, overload.name, operand, made["real"], precise)
        else:
            made["precise"] = precise
            tiny = TINY if element.dtype.itemsize > 2 else 2.0**-14  # the smallest normal half
            off = deviation(made["real"], precise, tiny)
            before, made["born"], made["unit"] = _inherited(inputs, off.shape, unit, alike(entry))
            beyond = self._grown(pc, overload.name, operand, element.name, made, off, before)
            made["born"] = np.where(beyond | (off > _GROWN * before), pc, made["born"])
        self.memory.write(where, made, rows)

    def _returned(self, pc: int, overload: Any, real: Any, precise: Any, inputs: tuple[np.ndarray, ...]) -> None:
        """A value goes to scalar code, where its precise one is lost: last chance to say how far it is off."""
        made = own(np.asarray([real]))
        made["precise"] = precise
        kind = overload.element(overload.instruction.read[0]).dtype
        before, made["born"], made["unit"] = _inherited(inputs, (1,), roundoff(kind), alike=False)
        off = deviation(made["real"], made["precise"])
        self._grown(pc, overload.name, "", kind.name, made, off, before)

    def _decided(self, pc: int, name: str, operand: str, real: np.ndarray, precise: np.ndarray) -> None:
        other = (real != precise) & ~(np.isnan(real) & np.isnan(precise))
        if not other.any():
            return
        at = int(np.flatnonzero(other)[0])
        others = int(np.count_nonzero(other)), other.size
        found = rules.precision.decided(name, operand, others, at, real.flat[at], precise.flat[at])
        self.execution.collector.report(found, pc)

    def _grown(
        self, pc: int, name: str, operand: str, kind: str, made: np.ndarray, off: np.ndarray, before: np.ndarray
    ) -> np.ndarray:
        """Report the elements whose error passes the limit here and has not before; which they are, bool."""
        limit = self.limit if self.limit is not None else np.sqrt(made["unit"])
        beyond: np.ndarray = (off > limit) & (before <= limit)
        if not beyond.any():
            return beyond
        at = int(np.argmax(np.where(beyond, off, -1)))
        real, precise = (float(made[field].flat[at]) for field in ("real", "precise"))
        most = float(np.broadcast_to(limit, off.shape).flat[at])
        born = int(made["born"].flat[at])
        overflow = np.isfinite(precise) and not np.isfinite(real)
        was = float(np.broadcast_to(before, off.shape).flat[at])
        found = rules.precision.grown(
            name, operand, (was, off.flat[at]), (int(beyond.sum()), off.size), at, (real, precise), most,
            "" if self.limit is not None else kind, overflow,
        )  # fmt: skip
        self.execution.collector.report(found, pc, born or None)
        return beyond

    def end(self) -> None:
        """Say of each array of the device how far it is off, and where that was born."""
        for entry, dtype, cells in self.memory.written():
            if self.execution.map.memories[entry.space].space.scope != "device":
                continue
            computed = cells["unit"] > 0
            real, precise = cells["real"][computed], cells["precise"][computed]
            off = deviation(real, precise)
            worst = int(off.argmax())
            at = int(np.flatnonzero(computed)[worst])
            found = rules.precision.summed_up(
                entry.name, (real.size, dtype.name), off[worst], at, (real[worst], precise[worst])
            )
            self.execution.collector.report(found, int(cells["born"][at]))


def on_bits(overload: Overload, error: Exception) -> DeclarationError:
    """What an instruction is whose function cannot be carried out on float64."""
    return DeclarationError(
        f"{overload.name}: its function fails on float64 ({error}), as one on bits or positions does; if it is one, its"
        " declaration has to say wider=Wider.BITS"
    )


def is_float(operand: Operand) -> bool:
    """Whether its elements are floats of which cells are kept."""
    return operand.element.is_float


def alike(entry: Any) -> bool:
    """Whether every element of the output comes from those in the same place of the inputs."""
    return entry.lane_wise or isinstance(entry.semantics, np.ufunc)


def _inherited(inputs: Sequence[np.ndarray], shape: tuple[int, ...], unit: float, alike: bool) -> tuple[Any, Any, Any]:
    """Of the inputs of an output: the largest error, where it was born, the coarsest unit roundoff; element by element
    or, where elements meet others, of all of them.
    """
    before, born, units = np.zeros(shape), np.zeros(shape, np.int64), np.full(shape, unit)
    for cells in inputs:
        if not cells.size:
            continue
        off = deviation(cells["real"], cells["precise"])
        mine: tuple[Any, Any, Any] = off, cells["born"], cells["unit"]
        if not alike:
            worst = int(off.argmax())
            mine = off.flat[worst], cells["born"].flat[worst], cells["unit"].max()
        born = np.where(mine[0] > before, mine[1], born)
        before = np.maximum(before, mine[0])
        units = np.maximum(units, mine[2])
    return before, born, units
