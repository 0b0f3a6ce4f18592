"""Operands whose rows lie wherever the contents of another operand say, and the operands of an overload."""

from __future__ import annotations

import numpy as np

from ....isa import Overload
from ..memory import ByteMap, Shadow
from .operands import Flat, Lanes, Operand, Strided, Variable, find_slot
from .sliced import Sliced
from .source import PortSource


class Scattered(Operand):
    """Rows of bytes at measured distances from the address; see `Instruction.measured`."""

    def __init__(self, port: PortSource, parameter: object) -> None:
        super().__init__(port, parameter)  # type: ignore[arg-type]
        self.low, self.end = f"_low_{self.name}", f"_z_{self.name}"

    def spans(self) -> None:
        name, line = self.name, self.port.line
        rows, *dims = self.parameter.dims
        row = " * ".join(f"({self.port.expression(dim.count)})" for dim in dims)
        line(f"_places_{name} = {rows.stride}; _row_{name} = {row} * {self.element.size}")
        line(f"bytes_{name} = len(_places_{name}) * _row_{name}; count_{name} = bytes_{name} // {self.element.size}")
        line(f"_low_{name} = _z_{name} = {name}")
        with self.port.block(f"if bytes_{name}:"):
            line(f"_low_{name} += _int(_places_{name}.min())")
            line(f"_z_{name} += _int(_places_{name}.max()) + _row_{name}")

    def find(self) -> None:
        name, line = self.name, self.port.line
        find_slot(self, f"{self.end} - {self.low}", self.end, True)
        make = self.port.bind("_windows", windows)
        line(f"_places_{name} = _places_{name} + ({name} - _s_{name})")
        line(f"_x_{name} = {make}(_v_{name}, _row_{name})")

    def may_be_uninitialized(self) -> str:
        return f"{self.low} < _u_{self.name}.hi and {self.end} > _u_{self.name}.lo"

    def _each(self) -> str:
        return f"for _p in (_places_{self.name} + _s_{self.name}).tolist()"

    def uninitialized(self) -> str:
        name = self.name
        return f"_next(_filter(None, (_u_{name}.first(_p, _p + _row_{name}) {self._each()})), None)"

    def forgive(self) -> str:
        return f"_u_{self.name}.remove({self.low}, {self.end})"

    def written(self) -> None:
        with self.port.block(f"if {self.may_be_uninitialized()}:"):
            self.port.line(f"{self._each()}: _u_{self.name}.remove(_p, _p + _row_{self.name})")

    def pieces(self) -> tuple[str, str]:
        return f"bytes_{self.name}", f"_places_{self.name}, _row_{self.name}"

    def flags(self) -> str:
        name = self.name
        return f"_windows(_u_{name}.flags, _row_{name})[_places_{name}][..., None]"

    def define(self, initialized: str) -> str:
        name = self.name
        make = self.port.bind("_define_rows", define_rows)
        flags = f"_windows(_u_{name}.flags, _row_{name})"
        return f"{make}(_u_{name}, {self.low}, {self.end}, {flags}, _places_{name}, {initialized})"

    def contents(self) -> str:
        return f"_x_{self.name}[_places_{self.name}]"

    def store(self, value: str) -> str:
        return f"_x_{self.name}[_places_{self.name}] = {value}"


def windows(memory: np.ndarray, row: int) -> np.ndarray:
    """Every row of bytes that begins somewhere in memory; no copy, no bounds."""
    step = memory.strides[0]
    return np.lib.stride_tricks.as_strided(memory, (max(len(memory) - row + 1, 0), row), (step, step))


def define_rows(
    shadow: Shadow | ByteMap, low: int, end: int, flags: np.ndarray, places: np.ndarray, initialized: np.ndarray
) -> None:
    """The rows at ``places`` are initialized or not; ``flags`` has every row that begins somewhere, as `windows`."""
    flags[places] = initialized[..., 0]
    shadow.changed(low, end)


#: The class of an operand of each kind.
_KINDS = {
    "packed": Flat,
    "register": Flat,
    "strided": Strided,
    "scattered": Scattered,
    "tensor": Lanes,
    "system": Lanes,
    "variable": Variable,
}


def operands_of(port: PortSource, overload: Overload) -> list[Operand]:
    """The memory operands of an overload, in order."""
    return [(Sliced if p.order else _KINDS[p.kind])(port, p) for p in overload.instruction.prototype.memory]
