"""What every function of OKK asks of its operands, as facts of the BM1684: derived from its prototype."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

from .. import declare as language
from ..instruction import Instruction
from ..members import Members
from ..prototype import Kind, Parameter, parse
from ..rules import Require
from ..tpu.tensors import aligned, no_write_twice, same_lane, used

#: The largest size of a dimension, and of the channels.
LARGEST, CHANNELS = 65535, 4095
#: The largest height and width of what windows slide over, padding among it.
MOST = 2047
_WORD = 4  # bytes


def limits(prototype: str, elsewhere: Collection[str] = (), copies: bool = False) -> tuple[Require, ...]:
    """The rules that follow from a prototype.

    Operands ``elsewhere`` may start in another lane than the others. What ``copies`` may start in any, and says itself
    which addresses and which steps in a row it takes.
    """
    parameters = parse(prototype).parameters
    structures = {p.name: p for p in parameters if p.kind is Kind.STRUCT}
    found: list[Require] = []
    for shape in (name for name in structures if name.endswith("shape")):
        sides = MOST if shape == "input_shape" else LARGEST  # of windows
        for axis, most in zip("nchw", (LARGEST, CHANNELS, sides, sides), strict=True):
            found.append(Require(f"1 <= {shape}.{axis} <= {most}", rule="length"))
    lanes = [p for p in parameters if p.is_lanes and not copies]
    together = [p.name for p in lanes if p.name not in elsewhere and p.kind is not Kind.VARIABLE]
    for p in lanes:
        if p.name in together[1:]:
            found += (replace(rule, when=used(p)) for rule in same_lane(together[0], p.name))
    for p in lanes:
        found += _place(p, together[0] if p.kind is Kind.VARIABLE else "")
    sources = any(p.reads for p in parameters)  # without any, the same value comes to the same place
    for p in parameters:
        if sources and p.is_tensor and p.writes and p.dims[0].stride in structures:
            axes = "nch" if copies else "nchw"
            found += no_write_twice(p.dims[0].stride, p.dims[0].count, axes, p.name if p.is_lanes else "")
    return tuple(found)


def _place(p: Parameter, first: str) -> Iterator[Require]:
    """Where an operand begins; a variable one in the lane of the ``first``."""
    if first:
        yield Require(f"lane_{p.name} == lane_{first}", rule="lane", when=f"placed_{p.name}")
        yield Require(f"{p.name} % eu_bytes == 0", rule="alignment", when=f"placed_{p.name}")
        return
    (rule,) = aligned(p.name)
    if p.dims[0].stride:  # public kernels pass such addresses with null strides too, as the manual's remarks allow
        rule = Require(f"{p.name} % {_WORD} == 0", rule="alignment")
    yield replace(rule, when=used(p))


def declare(prototype: str, *, copies: bool = False, rules: tuple[Require, ...] = (), **facts: Any) -> Instruction:
    """As `isa.declare.declare`, with the machine's rules before those given."""
    return language.declare(prototype, rules=(*limits(prototype, (), copies), *rules), **facts)


def instruction(
    prototype: str, *, elsewhere: Collection[str] = (), copies: bool = False, rules: tuple[Require, ...] = (),
    **facts: Any,
) -> Callable[[Callable[..., Any]], Instruction]:  # fmt: skip
    """As `isa.declare.instruction`, with the machine's rules before those given."""
    return language.instruction(prototype, rules=(*limits(prototype, elsewhere, copies), *rules), **facts)


def family(
    prototype: str, members: Members, *, copies: bool = False, rules: tuple[Require, ...] = (), **facts: Any
) -> tuple[Instruction, ...]:
    """As `isa.declare.family`, with the machine's rules before those given."""
    return language.family(prototype, members, rules=(*limits(prototype.format(op="x"), (), copies), *rules), **facts)
