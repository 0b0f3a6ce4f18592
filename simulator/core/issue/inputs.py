"""What the semantics of an instruction is called with, as the lines of a port say it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ....isa import Kind, Parameter
from ..memory.tensor import from_bits
from .operands import Operand
from .source import PortSource


class Inputs:
    """The arguments of functions that take operands and values by name; those of a ufunc are in order.

    ``contents`` says what stands for an operand, ``value`` what for a number of the element type, given how it would be
    said, and ``dtype`` names the element type of an operand for a function that asks for ``type_x``. ``held`` is what
    stands for an operand that it asks for as ``held_x``, if not its contents.
    """

    def __init__(
        self,
        port: PortSource,
        operands: Sequence[Operand],
        contents: Callable[[Operand], str] = lambda operand: operand.contents(),
        value: Callable[[Parameter, str], str] = lambda parameter, text: text,
        dtype: Callable[[Operand], np.dtype] = lambda operand: operand.element.dtype,
        prefix: str = "",
        held: Callable[[Operand], str] | None = None,
    ) -> None:
        self.port, self.by_name = port, {operand.name: operand for operand in operands}
        self._contents, self._number, self._dtype, self._prefix = contents, value, dtype, prefix
        self._held = held or contents

    def of_ufunc(self) -> list[str]:
        """The operands that are read and the numbers of their type."""
        return list(self._in_order())

    def of(self, function: Callable[..., object]) -> str:
        """What a function takes by the names of its parameters."""
        return ", ".join(self._by_name(function))

    def _in_order(self) -> Iterator[str]:
        for p in self.port.overload.parameters:
            if p.reads:
                yield self._contents(self.by_name[p.name])
            elif p.kind in (Kind.VALUE, Kind.BITS) and p.type in self.port.overload.binding:
                yield self._value(p)

    def _by_name(self, function: Callable[..., object]) -> Iterator[str]:
        parameters = {p.name: p for p in self.port.overload.parameters}
        for name in inspect.signature(function).parameters:
            p = parameters.get(name)
            if name in self.by_name:
                yield self._contents(self.by_name[name])
            elif (held := name.removeprefix("held_")) in self.by_name:
                yield self._held(self.by_name[held])
            elif p is not None and p.kind is Kind.BITS:
                yield self._value(p)
            elif p is not None and p.kind is Kind.VALUE and self.port.overload.element(p).is_float:
                yield self._number(p, name)
            elif name.startswith("type_"):
                yield self.port.bind(f"_{self._prefix}{name}", self._dtype(self.by_name[name[5:]]))
            else:
                yield name

    def _value(self, p: Parameter) -> str:
        """A value as the element type's own scalar where NumPy does not take a Python number."""
        dtype = self.port.overload.element(p).dtype
        if p.kind is Kind.BITS:
            self.port.bind(f"_from_bits_{p.name}", lambda bits: from_bits(bits, dtype))
            return self._number(p, f"_from_bits_{p.name}({p.name})")
        if dtype.name != "bfloat16":
            return self._number(p, p.name)
        return self._number(p, f"{self.port.bind(f'_scalar_{p.name}', dtype.type)}({p.name})")
