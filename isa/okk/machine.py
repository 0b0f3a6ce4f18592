"""What every function of OKK asks of its operands, as facts of the BM1684: derived from its prototype."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from .. import declare as language
from ..instruction import Instruction
from ..members import Members
from ..prototype import Kind, Parameter, parse
from ..rules import Require
from ..space import SYSTEM, AddressSpace
from ..tpu.tensors import aligned, same_lane

#: The largest size of a dimension, and of the channels.
LARGEST, CHANNELS = 65535, 4095
_WORD = 4  # bytes
#: Every space by name: that of TPU-KERNEL's, at other addresses.
SPACES = {
    space.name: space
    for space in (
        AddressSpace("global", "system_addr_t", cached=True),
        AddressSpace("l2", "system_addr_t", whole=True, window=0x100A2000),
        AddressSpace("dtcm", "system_addr_t", whole=True, window=0x2020000),
        AddressSpace(SYSTEM, "system_addr_t", members=("global", "l2", "dtcm")),
        AddressSpace("local", "local_addr_t", offsets=True, lanes=True, whole=True),
    )
}


def limits(prototype: str, elsewhere: Collection[str] = ()) -> tuple[Require, ...]:
    """The rules that follow from a prototype; operands ``elsewhere`` may start in another lane than the others."""
    parameters = parse(prototype).parameters
    return tuple(_limits(parameters, elsewhere))


def _limits(parameters: tuple[Parameter, ...], elsewhere: Collection[str]) -> Iterator[Require]:
    structures = {p.name: p for p in parameters if p.kind is Kind.STRUCT}
    lanes = [p for p in parameters if p.is_lanes]
    together = [p.name for p in lanes if p.name not in elsewhere and p.kind is not Kind.VARIABLE]
    for shape in (name for name in structures if name.endswith("shape")):
        for axis in "nchw":
            yield Require(f"1 <= {shape}.{axis} <= {CHANNELS if axis == 'c' else LARGEST}", rule="length")
    if together:
        yield from same_lane(*together)
    for p in lanes:
        yield from _place(p, together[0] if p.kind is Kind.VARIABLE else "")
    sources = any(p.reads for p in parameters)  # without any, the same value comes to the same place
    for p in parameters:
        if sources and p.is_tensor and p.writes and p.dims[0].stride in structures:
            yield from _written_once(p, p.dims[0].stride, p.dims[0].count)


def _place(p: Parameter, first: str) -> Iterator[Require]:
    stride = p.dims[0].stride
    if first:
        yield Require(f"lane_{p.name} == lane_{first}", rule="lane", when=f"placed_{p.name}")
        yield Require(f"{p.name} % eu_bytes == 0", rule="alignment", when=f"placed_{p.name}")
    elif not stride:
        yield from aligned(p.name)
    else:
        # Public kernels pass such addresses with null strides too, as the remarks of the manual allow.
        yield Require(f"{p.name} % min(sizeof_{p.name}, {_WORD}) == 0", rule="alignment")


def _written_once(p: Parameter, stride: str, shape: str) -> Iterator[Require]:
    """No two elements of a result lie in one place; the strides of dimensions of size 1 mean nothing."""
    for axis in "nchw":
        one = f"lane_{p.name} + {shape}.c <= lanes" if axis == "c" and p.is_lanes else f"{shape}.{axis} == 1"
        yield Require(f"{stride}.{axis} > 0 or {one}", rule="argument", when=stride)


def declare(prototype: str, *, elsewhere: Collection[str] = (), rules: tuple[Require, ...] = (), **facts: Any) -> Any:
    """As `isa.declare.declare`, with the machine's rules before those given."""
    return language.declare(prototype, rules=(*limits(prototype, elsewhere), *rules), **facts)


def instruction(
    prototype: str, *, elsewhere: Collection[str] = (), rules: tuple[Require, ...] = (), **facts: Any
) -> Any:
    """As `isa.declare.instruction`, with the machine's rules before those given."""
    return language.instruction(prototype, rules=(*limits(prototype, elsewhere), *rules), **facts)


def family(
    prototype: str, members: Members, *, rules: tuple[Require, ...] = (), **facts: Any
) -> tuple[Instruction, ...]:
    """As `isa.declare.family`, with the machine's rules before those given."""
    return language.family(prototype, members, rules=(*limits(prototype.format(op="x")), *rules), **facts)
