"""The memory operands of an instruction, as the lines of its port see them: where each lies, and its contents.

    Flat       packed elements, vector registers among them
    Strided    segments at strides in bytes
    Lanes      tensors across lanes or in system memory
    Scattered  rows wherever another operand says, in `scattered`
    Sliced     rows in the slices of a memory, in `sliced`

In a port, for an operand ``x``: ``_low_x`` and ``_z_x`` bound its bytes, ``count_x`` is its elements, ``bytes_x`` their
bytes, ``_x_x`` its array (of a tensor: ``_t_x``, the tensor itself).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....isa import VARIABLE_TYPES, Cache, Parameter
from ...findings import rules
from ...log.region import Region
from ..memory import ByteMap, Shadow
from ..memory.tensor import Constant, folded
from .source import Guard, PortSource

#: What a record has room for.
_MOST_GAPS = (1 << 32) - 1


class Operand:
    """One operand; its methods add the lines of one stage of the port."""

    def __init__(self, port: PortSource, parameter: Parameter) -> None:
        self.port, self.parameter = port, parameter
        self.name, self.element = parameter.name, port.overload.element(parameter)
        self.writes, self.reads = parameter.writes, parameter.reads
        self.is_register = parameter.register
        self.low, self.end = parameter.name, f"_z_{parameter.name}"

    def spans(self) -> None:
        """Counts and bounds."""
        raise NotImplementedError

    def find(self) -> None:
        """The memory behind it and its contents."""
        raise NotImplementedError

    def may_be_uninitialized(self) -> str:
        """Condition under which it may hold bytes that nobody has written; false most of the time."""
        raise NotImplementedError

    def uninitialized(self) -> str:
        """Expression: some bytes of it that nobody has written, (start, end), or None."""
        raise NotImplementedError

    def forgive(self) -> str:
        """Statement: none of its bytes count as uninitialized any more."""
        raise NotImplementedError

    def fill_poison(self) -> str:
        """Statement: its bytes that nobody has written hold NaN patterns."""
        return f"_a_{self.name}.fill_poison({self.low}, {self.end})"

    def written(self) -> None:
        """Every byte of it is written now."""
        raise NotImplementedError

    def entry(self) -> str:
        """Expression: the allocation that it lies in."""
        return f"_a_{self.name}"

    def flags(self) -> str:
        """Expression: for each of its bytes whether it has been written, in the shape of its contents [..., bytes]."""
        raise NotImplementedError

    def define(self, initialized: str) -> str:
        """Statement: which of its bytes count as written; an expression that broadcasts to `flags`."""
        return f"_define(_a_{self.name}, {self.low}, {self.end}, {self.flags()}, {initialized})"

    def contents(self) -> str:
        """Expression: its contents as the semantics sees them."""
        raise NotImplementedError

    def store(self, value: str) -> str:
        """Statement: new contents."""
        raise NotImplementedError

    def apply(self, ufunc: str, inputs: list[str]) -> str:
        """Statement: new contents from a ufunc."""
        raise NotImplementedError

    def extent(self) -> str:
        """Expression: an `Extent`."""
        return f"({self.low}, {self.end}, {self.writes}, -1)"

    def apart_from(self, other: Operand) -> str:
        """Condition: shares no byte with another operand."""
        return f"{self.low} >= {other.end} or {other.low} >= {self.end}"

    def record(self) -> str:
        """Expression: key, bytes, first lane, lanes."""
        return f"(_k_{self.name} + _o_{self.name}, {self.end} - {self.low}, 0, 0)"

    def pieces(self) -> tuple[str, str] | None:
        """Expressions: whether there are bytes between its first and last that it does not touch, and which it does."""
        return None

    def place(self, values: dict[str, object]) -> Region | None:
        """Where it lies in a failed call, whose local variables are ``values``."""
        address, end = values.get(self.low, values[self.name]), values.get(self.end)
        assert isinstance(address, int)
        return self.port.execution.map.region(address, end - address if isinstance(end, int) else 0)


class Flat(Operand):
    """Packed elements."""

    def spans(self) -> None:
        counts = [f"({self.port.expression(dim.count)})" for dim in self.parameter.dims]
        line, size = self.port.line, self.element.size
        if self.is_register:
            counts = [str(self.port.execution.dialect.register_bytes // size)]
        if len(counts) > 1:
            line(f"_shape_{self.name} = ({', '.join(counts)},)")
        line(f"count_{self.name} = {' * '.join(counts)}; bytes_{self.name} = count_{self.name} * {size}")
        line(f"_z_{self.name} = {self.name} + bytes_{self.name}")

    def find(self) -> None:
        port, name, size = self.port, self.name, self.element.size
        in_lines = isinstance(port.entry.effect, Cache)  # a cache works in lines, which may reach past an array
        find_slot(self, "1" if in_lines else f"bytes_{name}", f"{name} + 1" if in_lines else self.end, not in_lines)
        many = len(self.parameter.dims) > 1
        shaped = f".reshape(_shape_{name})" if many else ""
        if size == 1:
            port.line(f"_x_{name} = _v_{name}[_o_{name}:_o_{name} + count_{name}]{shaped}")
            return
        shift = size.bit_length() - 1
        port.line(f"if _o_{name} & {size - 1}:")
        port.line(f" _x_{name} = _a_{name}.strided({name}, _d_{name}, (count_{name},), ({size},)){shaped}")
        port.line(
            f"else: _i_{name} = _o_{name} >> {shift}; _x_{name} = _v_{name}[_i_{name}:_i_{name} + count_{name}]{shaped}"
        )

    def may_be_uninitialized(self) -> str:
        return f"{self.low} < _u_{self.name}.hi and {self.end} > _u_{self.name}.lo"

    def uninitialized(self) -> str:
        return f"_u_{self.name}.first({self.low}, {self.end})"

    def forgive(self) -> str:
        return f"_u_{self.name}.remove({self.low}, {self.end})"

    def written(self) -> None:
        with self.port.block(f"if {self.may_be_uninitialized()}:"):
            self.port.line(self.forgive())

    def flags(self) -> str:
        name, size = self.name, self.element.size
        flags = f"_u_{name}.absent((count_{name}, {size}), _o_{name}, ({size}, 1))"
        return f"{flags}.reshape(*_shape_{name}, {size})" if len(self.parameter.dims) > 1 else flags

    def contents(self) -> str:
        return f"_x_{self.name}"

    def store(self, value: str) -> str:
        return f"_x_{self.name}[...] = {value}"

    def apply(self, ufunc: str, inputs: list[str]) -> str:
        return f"{ufunc}({', '.join([*inputs, f'_x_{self.name}'])})"


class Strided(Flat):
    """Segments at strides."""

    def __init__(self, port: PortSource, parameter: Parameter) -> None:
        super().__init__(port, parameter)
        self.low = f"_low_{self.name}"

    def spans(self) -> None:
        name, size, line = self.name, self.element.size, self.port.line
        strides: list[str] = []
        packed, breaks = str(size), "0"
        for dim in reversed(self.parameter.dims):
            strides.insert(0, f"({self.port.expression(dim.stride)})" if dim.stride else packed)
            if dim.stride:  # rows that touch are no rows
                breaks += f" or {strides[0]} != {packed}"
            packed = f"({self.port.expression(dim.count)}) * {packed}"
        counts = [f"({self.port.expression(dim.count)})" for dim in self.parameter.dims]
        line(f"_shape_{name} = ({', '.join(counts)},); _strides_{name} = ({', '.join(strides)},)")
        line(f"count_{name} = {' * '.join(counts)}; bytes_{name} = count_{name} * {size}")
        line(f"_gaps_{name} = min({' * '.join(counts[:-1])} - 1, {_MOST_GAPS}) if {breaks} else 0")
        line(f"_low_{name} = _z_{name} = {name}")
        with self.port.block(f"if count_{name}:"):
            line(f"_z_{name} += {size}")
            for dim, count, stride in zip(self.parameter.dims, counts, strides, strict=True):
                line(f"_reach = ({count} - 1) * {stride}")
                if dim.stride:
                    line(f"if _reach < 0: _low_{name} += _reach")
                    line(f"else: _z_{name} += _reach")
                else:
                    line(f"_z_{name} += _reach")

    def find(self) -> None:
        name = self.name
        find_slot(self, f"{self.end} - {self.low}", self.end, True)
        self.port.line(f"_x_{name} = _a_{name}.strided({name}, _d_{name}, _shape_{name}, _strides_{name})")

    def crossed(self) -> str:
        """Condition: its rows do not lie one behind the other in the order in which they are taken."""
        axes = range(len(self.parameter.dims))
        ordered = " >= ".join(f"_strides_{self.name}[{axis}]" for axis in axes)
        return f"_gaps_{self.name} and not {ordered}"

    def pieces(self) -> tuple[str, str]:
        return f"_gaps_{self.name}", f"_shape_{self.name}, _strides_{self.name}, {self.element.size}"

    def unfolded(self) -> str:
        """Condition: its segments share no byte with each other; true for all usual strides."""
        shape, strides = f"_shape_{self.name}", f"_strides_{self.name}"
        if len(self.parameter.dims) == 2:
            return f"abs({strides}[0]) >= {shape}[1] * {self.element.size}"
        self.port.bind("_folded", folded)
        return f"not _folded(zip({shape}[:-1], {strides}), {shape}[-1] * {self.element.size})"

    def flags(self) -> str:
        name, size = self.name, self.element.size
        return f"_u_{name}.absent((*_shape_{name}, {size}), {name} - _s_{name}, (*_strides_{name}, 1))"

    def uninitialized(self) -> str:
        self.port.bind("_first_of", first_of)
        return f"_first_of(_u_{self.name}, {self.name}, {self.flags()})"

    def forgive(self) -> str:
        return f"{self.flags()}[...] = True; _u_{self.name}.touched({self.low}, {self.end})"


class Lanes(Operand):
    """A tensor [n, c, h, w] across lanes or in system memory."""

    def __init__(self, port: PortSource, parameter: Parameter) -> None:
        super().__init__(port, parameter)
        self.low, self.end = f"_t_{self.name}.low", f"_t_{self.name}.end"

    def spans(self) -> None:
        name, dim = self.name, self.parameter.dims[0]
        self.port.line(f"_shape_{name} = _tuple({self.port.expression(dim.count)})")
        self.port.line(f"count_{name} = _prod(_shape_{name}); bytes_{name} = count_{name} * {self.element.size}")

    def find(self) -> None:
        name, dim, port = self.name, self.parameter.dims[0], self.port
        stride = port.expression(dim.stride) if dim.stride else None
        port.bind("_tensor", port.execution.map.tensor)
        port.bind(f"_p_{name}", self.parameter)
        port.bind(f"_d_{name}", self.element.dtype)
        port.line(f"_t_{name} = _tensor(_pc, _OVERLOAD, _p_{name}, {name}, _shape_{name}, {stride}, _d_{name})")

    def may_be_uninitialized(self) -> str:
        return f"not _t_{self.name}.initialized()"

    def uninitialized(self) -> str:
        return f"_t_{self.name}.uninitialized()"

    def forgive(self) -> str:
        return f"_t_{self.name}.written()"

    def entry(self) -> str:
        return f"_t_{self.name}.entry"

    def flags(self) -> str:
        return f"_t_{self.name}.flags()"

    def define(self, initialized: str) -> str:
        return f"_t_{self.name}.define({initialized})"

    def fill_poison(self) -> str:
        return f"_t_{self.name}.fill_poison()"

    def written(self) -> None:
        self.port.line(f"_t_{self.name}.written()")

    def forget(self) -> None:
        """Nobody may rely on its contents any more."""
        self.port.line(f"_t_{self.name}.forget()")

    def contents(self) -> str:
        return f"_t_{self.name}.read()"

    def store(self, value: str) -> str:
        return f"_t_{self.name}.write({value})"

    def store_in_order(self, value: str) -> str:
        """Statement: new contents, in order where elements share bytes."""
        return f"_t_{self.name}.write_in_order({value})"

    def apply(self, ufunc: str, inputs: list[str]) -> str:
        return f"_t_{self.name}.apply({', '.join([ufunc, *inputs])})"

    def extent(self) -> str:
        return f"({self.low}, {self.end}, {self.writes}, _t_{self.name}.mask)"

    def apart_from(self, other: Operand) -> str:
        lanes = f" or not _t_{self.name}.mask & _t_{other.name}.mask" if isinstance(other, Lanes) else ""
        return super().apart_from(other) + lanes

    def record(self) -> str:
        t = f"_t_{self.name}"
        return f"({t}.entry.key + {t}.low - {t}.entry.start, {t}.end - {t}.low, {t}.lane, {t}.lanes)"

    def pieces(self) -> tuple[str, str]:
        t = f"_t_{self.name}"
        apart = f"{t}.boxes and not {t}.lanes and {t}.end - {t}.low != bytes_{self.name}"
        return apart, f"{t}.boxes[0].shape, {t}.boxes[0].strides, {self.element.size}"

    def place(self, values: dict[str, object]) -> Region | None:
        address, execution = values[self.name], self.port.execution
        assert isinstance(address, int)
        if not self.parameter.is_lanes:
            return execution.map.region(address, 0)
        lanes = execution.map.lanes
        space = self.parameter.space or self.port.entry.space
        return Region(space, execution.current.core, address % lanes.size, 0, address // lanes.size % lanes.count, 1)


class Variable(Lanes):
    """A tensor across lanes, a vector of which every lane has its element, or a value: the argument says which."""

    def spans(self) -> None:
        name, port = self.name, self.port
        legal = f"_{name}_kind in {tuple(VARIABLE_TYPES.values())}"
        port.test(Guard(legal, rules.declared.no_kind(name, VARIABLE_TYPES), fatal=True))
        port.line(f"_shape_{name} = _tuple({port.expression(self.parameter.dims[0].count)})")
        with port.block(f"if _{name}_kind != {VARIABLE_TYPES['TENSOR']}:"):
            port.line(f"_shape_{name} = (1, _shape_{name}[1], 1, 1)")
        port.line(f"count_{name} = _prod(_shape_{name}); bytes_{name} = count_{name} * {self.element.size}")

    def find(self) -> None:
        name, port, dtype = self.name, self.port, self.element.dtype
        make = port.bind(f"_constant_{name}", lambda bits: Constant(from_bits(bits, dtype)))
        with port.block(f"if placed_{name}:"):
            port.bind("_ONES", (1, 1, 1, 1))
            port.line(f"_st_{name} = None if _{name}_kind == {VARIABLE_TYPES['TENSOR']} else _ONES")
            port.bind("_tensor", port.execution.map.tensor)
            port.bind(f"_p_{name}", self.parameter)
            port.bind(f"_d_{name}", dtype)
            place = f"_p_{name}, {name}, _shape_{name}, _st_{name}, _d_{name}"
            port.line(f"_t_{name} = _tensor(_pc, _OVERLOAD, {place})")
        port.line(f"else: _t_{name} = {make}({name})")


def first_of(shadow: Shadow | ByteMap, address: int, flags: np.ndarray) -> tuple[int, int] | None:
    """The uninitialized bytes of an operand with which the first run of them begins, or None; flags as of `flags`."""
    if flags.all():
        return None
    at = np.unravel_index(int(flags.argmin()), flags.shape)
    start = address + sum(int(index) * stride for index, stride in zip(at, flags.strides, strict=True))
    left = (flags.shape[-2] - int(at[-2])) * flags.shape[-1] - int(at[-1])
    return shadow.first(start, start + left)


def from_bits(bits: int, dtype: np.dtype) -> Any:
    """The value of a C union's low bits."""
    return np.frombuffer((int(bits) & 0xFFFFFFFF).to_bytes(4, "little")[: dtype.itemsize], dtype)[0]


def find_slot(operand: Operand, span: str, end: str, may_be_empty: bool) -> None:
    """The memory behind an operand, cached from call to call."""
    port, name = operand.port, operand.name
    execution, entry = port.execution, port.entry
    port.bind("_find", execution.map.find)
    port.bind(f"_d_{name}", operand.element.dtype)
    port.bind(f"_p_{name}", operand.parameter)
    space = f"_spaces[{name!r}]" if entry.select else repr(entry.space_of(operand.parameter))
    slot = execution.map.cache.new()
    parts = f"_s_{name}, _e_{name}, _v_{name}, _k_{name}, _u_{name}, _a_{name}"
    port.line(f"{parts} = _found[{slot}]")
    wrong = f" or _a_{name}.space != {space}" if entry.select else ""
    empty = f" or not bytes_{name}" if may_be_empty else ""  # must not depend on what was found before
    with port.block(f"if {operand.low} < _s_{name} or {end} > _e_{name}{wrong}{empty}:"):
        port.line(f"{parts} = _find(_pc, _OVERLOAD, _p_{name}, {operand.low}, {span}, {space}, _d_{name}, {slot})")
    port.line(f"_o_{name} = {operand.low} - _s_{name}")
