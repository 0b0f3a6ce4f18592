"""Operands whose rows lie in the slices of a memory, as the tensor engine reads its weights; see `isa.orders`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ....isa import ORDERS, Parameter
from ..memory import ByteMap, Shadow
from .operands import Strided, first_of
from .source import PortSource


def slice_bytes(port: PortSource) -> Mapping[str, int]:
    """Bytes of a slice, of each memory that has slices."""
    spaces, memories = port.execution.dialect.spaces, port.execution.map.memories
    return {name: memory.space.bytes // spaces[name].slices for name, memory in memories.items() if spaces[name].slices}


class Sliced(Strided):
    """Rows in slices: dealt out evenly by a copy, and so one slice's after the other's, or each where a copy put it."""

    def __init__(self, port: PortSource, parameter: Parameter) -> None:
        super().__init__(port, parameter)
        self.order = ORDERS[parameter.order]
        self.rows = f"({port.expression(parameter.dims[0].count)})"

    def spans(self) -> None:
        name, size, line, rows = self.name, self.element.size, self.port.line, self.rows
        slices, pitch = self.order.slices, self.order.pitch
        row = f"({self.port.expression(self.parameter.dims[1].count)})"
        line(f"count_{name} = {rows} * {row}; bytes_{name} = count_{name} * {size}")
        line(f"_row_{name} = {row} * {size}")
        line(f"_shape_{name} = _of, _each, _ = min({rows}, {slices}), -(-{rows} // {slices}), {row}")
        with self.port.block(f"if order_{name} == 'sliced':"):
            line(f"_gaps_{name} = {rows} - 1")
            space = slice_bytes(self.port).get(self.port.entry.space_of(self.parameter), 0)
            line(f"_apart, _pitch = {space}, -(-_row_{name} // {pitch}) * {pitch}")
        line(f"else: _gaps_{name} = 0; _apart, _pitch = _each * _row_{name}, _row_{name}")
        line(f"_low_{name} = {name}; _strides_{name} = _apart, _pitch, {size}")
        line(f"_z_{name} = {name} + ((_of - 1) * _apart + (_each - 1) * _pitch + _row_{name} if count_{name} else 0)")

    def uninitialized(self) -> str:
        self.port.bind("_first_of_rows", first_of_rows)
        sliced = f"_first_of_rows(_u_{self.name}, {self.name}, {self.flags()}, {self.rows})"
        return f"{sliced} if order_{self.name} == 'sliced' else {super(Strided, self).uninitialized()}"

    def contents(self) -> str:
        return f"{self.port.bind(f'_rows_{self.name}', self.order.to_rows)}(_x_{self.name})"


def first_of_rows(shadow: Shadow | ByteMap, address: int, flags: np.ndarray, rows: int) -> tuple[int, int] | None:
    """As `first_of`; flags [slices, rows of each, ...], the last row of some slices behind the last of all."""
    slices = len(flags)
    whole, rest = divmod(rows, slices)
    found = first_of(shadow, address, flags[:, :whole])
    if found is None and rest:
        found = first_of(shadow, address + whole * flags.strides[1], flags[:rest, whole:])
    return found
