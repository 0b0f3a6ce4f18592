"""The memory operands of an instruction, as the lines of its port see them: where each lies, and its contents.

In a port, for an operand ``x``: ``count_x`` is its elements and ``bytes_x`` their bytes. What is packed, vector
registers among it, has lines of its own, because most instructions have nothing else: ``_x_x`` is its array. Any other
operand is a `View` ``_t_x``, made of its footprint ``_g_x``, and its lines call the methods of that.
"""

from __future__ import annotations

from ....isa import VARIABLE_TYPES, Cache, Copy, Kind, Parameter, Wider, flushed
from ...findings import rules
from ...log.region import Region
from ..memory import Constant, Held, PackedView, Tensor
from .source import Guard, PortSource


class Operand:
    """One operand: the lines and expressions of each stage of the port."""

    def __init__(self, port: PortSource, parameter: Parameter) -> None:
        self.port, self.parameter = port, parameter
        self.name, self.element = parameter.name, port.overload.element(parameter)
        self.writes, self.reads = parameter.writes, parameter.reads
        self.footprint = f"_g_{self.name}"  # "" for what is packed
        self._flush = ""  # the name of a function of what is read and what is written
        arithmetic = not isinstance(port.entry.effect, Copy) and port.entry.wider is not Wider.BITS
        if port.execution.dialect.flushes and arithmetic and self.element.dtype.kind == "f":
            self._flush = port.bind("_flush", flushed)
        self.low, self.end, self.mask, self.lanes = f"_low_{self.name}", f"_z_{self.name}", "-1", "0, 0"
        if parameter.is_tensor:  # known when it has been found
            view = self.view()
            self.low, self.end, self.mask, self.lanes = (
                f"{view}.low", f"{view}.end", f"{view}.mask", f"{view}.lane, {view}.lanes"
            )  # fmt: skip

    def view(self) -> str:
        """Expression: the operand as a `View`."""
        return f"_t_{self.name}"

    def contents(self) -> str:
        """Expression: its contents as the semantics sees them."""
        return self.settled(f"{self.view()}.read()")

    def settled(self, contents: str) -> str:
        """Expression: contents of it as the semantics sees them, a zero for each subnormal number if it does."""
        return f"{self._flush}({contents})"

    @property
    def flushes(self) -> bool:
        """Whether subnormal numbers in it are zeros."""
        return bool(self._flush)

    def held(self) -> str:
        """Expression: its contents, read when they are asked for."""
        return f"{self.port.bind('_held', Held)}({self.view()}, {self._flush or None})"

    def spans(self) -> None:
        """Lines: counts and, where they are known before the memory, bounds."""
        port, name, p = self.port, self.name, self.parameter
        given = [port.expression(text) for dim in p.dims for text in (dim.count, dim.stride) if text]
        if p.order:
            given += [f"order_{name} == 'dealt'", port.expression(p.defined or p.dims[-1].count)]
        if p.kind is Kind.VARIABLE:
            legal = f"_{name}_kind in {tuple(VARIABLE_TYPES.values())}"
            port.test(Guard(legal, rules.declared.no_kind(name, VARIABLE_TYPES), fatal=True))
            given.append(f"_{name}_kind")
        make = port.execution.map.footprints(p, self.element.dtype, port.entry.space_of(p))
        port.line(f"{self.footprint} = {port.bind(f'_footprint_{name}', make)}({', '.join(given)})")
        port.line(f"count_{name} = {self.footprint}.count; bytes_{name} = {self.footprint}.bytes")
        if not p.is_tensor:
            port.line(f"{self.low} = {name} + {self.footprint}.below; {self.end} = {name} + {self.footprint}.above")

    def find(self) -> None:
        """Lines: the memory behind it."""
        port, name, p = self.port, self.name, self.parameter
        port.bind(f"_p_{name}", p)
        place = f"_pc, _OVERLOAD, _p_{name}, {name}, {self.footprint}"
        if p.local_if:
            place += f", {p.local_if}"
        if not p.is_tensor:
            find = port.bind("_view", port.execution.map.view)
            port.line(f"{self.view()} = {find}({place}, {self.space}, {port.execution.map.cache.new()})")
            return
        found = f"{port.bind('_tensor', port.execution.map.tensor)}({place})"
        if p.kind is Kind.VARIABLE:
            port.bind(f"_d_{name}", self.element.dtype)
            found += f" if placed_{name} else {port.bind('_constant', Constant.of_bits)}({name}, _d_{name})"
        port.line(f"{self.view()} = {found}")

    @property
    def space(self) -> str:
        """Expression: the name of its space."""
        return f"_spaces[{self.name!r}]" if self.port.entry.select else repr(self.port.entry.space_of(self.parameter))

    def stale(self) -> str:
        """Expression: whether it holds uninitialized bytes, which hold the poison then."""
        return f"{self.view()}.stale()"

    def written(self) -> str:
        """Statement: all of it has been written."""
        return f"{self.view()}.written()"

    def poison(self) -> str:
        """Statement: the poison comes to uninitialized bytes: one reads it who does not wait."""
        return f"{self.view()}.entry.poison({self.low}, {self.end})"

    def store(self, value: str) -> str:
        """Statement: new contents."""
        if self.name in self.port.entry.held:
            store = self.port.bind("_store", self.port.execution.store)
            return f"{store}({self.view()}, {value}, {self._flush or None})"
        if self._flush:
            value = f"{self._flush}({value}, {self.port.bind(f'_d_{self.name}', self.element.dtype)})"
        return f"{self.view()}.write({value})"

    def apply(self, ufunc: str, inputs: list[str]) -> str:
        """Statement: new contents from a ufunc."""
        if self._flush:
            return self.store(f"{ufunc}({', '.join(inputs)})")
        return f"{self.view()}.apply({', '.join([ufunc, *inputs])})"

    def copy(self, source: Operand) -> str:
        """Statement: new contents from another operand."""
        return f"{self.view()}.copy({source.view()})"

    def extent(self) -> str:
        """Expression: an `Extent`."""
        return f"({self.low}, {self.end}, {self.writes}, {self.mask})"

    def apart_from(self, other: Operand) -> str:
        """Condition: shares no byte with another operand."""
        apart = f"{self.low} >= {other.end} or {other.low} >= {self.end}"
        if self.parameter.is_tensor and other.parameter.is_tensor:
            apart += f" or not {self.mask} & {other.mask}"
        return apart + (f" or not {self.view()}.shares({other.view()})" if self.footprint or other.footprint else "")

    def record(self) -> str:
        """Expressions: key and bytes."""
        return f"{self.view()}.key, {self.end} - {self.low}"

    def place(self, values: dict[str, object]) -> Region | None:
        """Where it lies in a failed call, whose local variables are ``values``."""
        execution, address = self.port.execution, values.get(self.low, values[self.name])
        end = values.get(self.end)
        assert isinstance(address, int)
        if not self.parameter.is_lanes:
            return execution.map.region(address, end - address if isinstance(end, int) else 0)
        lanes, core = execution.map.lanes, execution.current.core
        space, found = self.parameter.space or self.port.entry.space, values.get(self.view())
        if isinstance(found, Tensor):
            offset = found.low - found.entry.start
            return Region(space, core, offset, found.end - found.low, found.lane, found.lanes)
        return Region(space, core, address % lanes.size, 0, address // lanes.size % lanes.count, 1)


class Packed(Operand):
    """Packed elements. ``_a_x`` is their allocation, ``_v_x`` all of it as an array, ``_u_x`` what is uninitialized."""

    def __init__(self, port: PortSource, parameter: Parameter) -> None:
        super().__init__(port, parameter)
        self.low, self.footprint = self.name, ""
        port.bind("_packed", PackedView)

    def view(self) -> str:
        return f"_packed(_a_{self.name}, {self.low}, {self.end}, _x_{self.name})"

    def contents(self) -> str:
        return f"_x_{self.name}"

    def counts(self) -> list[str]:
        """Expressions: elements along each axis."""
        if self.parameter.register:
            return [str(self.port.execution.dialect.register_bytes // self.element.size)]
        return [f"({self.port.expression(dim.count)})" for dim in self.parameter.dims]

    def spans(self) -> None:
        counts, line, size = self.counts(), self.port.line, self.element.size
        if len(counts) > 1:
            line(f"_shape_{self.name} = ({', '.join(counts)},)")
        line(f"count_{self.name} = {' * '.join(counts)}; bytes_{self.name} = count_{self.name} * {size}")
        line(f"_z_{self.name} = {self.name} + bytes_{self.name}")

    def find(self) -> None:
        """Lines: the memory behind it, cached from call to call, and its array."""
        port, name, size = self.port, self.name, self.element.size
        for bound, value in (("_find", port.execution.map.find), (f"_d_{name}", self.element.dtype)):
            port.bind(bound, value)
        port.bind(f"_p_{name}", self.parameter)
        slot = port.execution.map.cache.new()
        parts = f"_s_{name}, _e_{name}, _v_{name}, _k_{name}, _u_{name}, _a_{name}"
        port.line(f"{parts} = _found[{slot}]")
        in_lines = isinstance(port.entry.effect, Cache)  # a cache works in lines, which may reach past an array
        span, end = ("1", f"{name} + 1") if in_lines else (f"bytes_{name}", self.end)
        wrong = f" or _a_{name}.space != {self.space}" if port.entry.select else ""
        empty = "" if in_lines else f" or not bytes_{name}"  # must not depend on what was found before
        with port.block(f"if {name} < _s_{name} or {end} > _e_{name}{wrong}{empty}:"):
            port.line(f"{parts} = _find(_pc, _OVERLOAD, _p_{name}, {name}, {span}, {self.space}, _d_{name}, {slot})")
        port.line(f"_o_{name} = {name} - _s_{name}")
        shaped = f".reshape(_shape_{name})" if len(self.parameter.dims) > 1 else ""
        shift = size.bit_length() - 1
        aligned = f"_i_{name} = _o_{name} >> {shift}; _x_{name} = _v_{name}[_i_{name}:_i_{name} + count_{name}]{shaped}"
        if size > 1:
            port.line(f"if _o_{name} & {size - 1}:")
            port.line(f" _x_{name} = _a_{name}.strided({name}, _d_{name}, (count_{name},), ({size},)){shaped}")
            port.line(f"else: {aligned}")
        else:
            port.line(aligned)

    def _doubtful(self) -> str:
        return f"{self.low} < _u_{self.name}.hi and {self.end} > _u_{self.name}.lo"

    def stale(self) -> str:
        return f"({self._doubtful()} and _a_{self.name}.stale({self.low}, {self.end}))"

    def written(self) -> str:
        return f"if {self._doubtful()}: _u_{self.name}.remove({self.low}, {self.end})"

    def poison(self) -> str:
        return f"if {self._doubtful()}: _a_{self.name}.poison({self.low}, {self.end})"

    def store(self, value: str) -> str:
        return f"_x_{self.name}[...] = {value}"

    def apply(self, ufunc: str, inputs: list[str]) -> str:
        return f"{ufunc}({', '.join([*inputs, f'_x_{self.name}'])})"

    def copy(self, source: Operand) -> str:
        return self.store(source.contents())

    def record(self) -> str:
        return f"_k_{self.name} + _o_{self.name}, bytes_{self.name}"


def operands_of(port: PortSource) -> list[Operand]:
    """The memory operands of an overload, in order."""
    packed = (Kind.PACKED, Kind.REGISTER)
    return [(Packed if p.kind in packed and not p.order else Operand)(port, p) for p in port.memory]
