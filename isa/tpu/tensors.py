"""What the engines ask of tensors across lanes, in the terms of `Require`; facts of the vendor's checkers."""

from __future__ import annotations

from ..declare import Require
from ..members import Members, formed
from ..prototype import Parameter

LARGEST = 65535  # of each dimension
_STRIDE_LIMIT = 1 << 18  # elements


def sizes(shape: str = "shape") -> tuple[Require, ...]:
    """Each dimension of a shape argument is within the hardware's counters."""
    return tuple(Require(f"1 <= {shape}.{axis} <= {LARGEST}", rule="length") for axis in "nchw")


def same_lane(first: str, *others: str) -> tuple[Require, ...]:
    """All operands of one BDC instruction start in one lane."""
    return tuple(Require(f"lane_{other} == lane_{first}", rule="lane") for other in others)


def variable_lanes(first: str, *variables: str) -> tuple[Require, ...]:
    """Variable operands that lie in memory start in the lane of the first operand."""
    return tuple(Require(f"lane_{v} == lane_{first}", rule="lane", when=f"placed_{v}") for v in variables)


def used(p: Parameter) -> str:
    """The argument that says whether there is an operand at all, or ""."""
    return next((name for name in ("has_bias", "using_bias") if name in p.dims[0].count), "")


def aligned(*operands: str) -> tuple[Require, ...]:
    """Operands in the aligned layout begin at a multiple of what a lane computes in a cycle."""
    return tuple(Require(f"{operand} % eu_bytes == 0", rule="alignment") for operand in operands)


def strided(axes: str = "nchw", **strides: str) -> tuple[Require, ...]:
    """Operand = stride argument: aligned where the stride is null, else at a multiple of its element.

    ``axes`` are those along which nothing else limits the stride.
    """
    found: list[Require] = []
    for operand, stride in strides.items():
        found += [
            Require(f"{operand} % eu_bytes == 0", rule="alignment", when=f"not {stride}"),
            Require(f"{operand} % sizeof_{operand} == 0", rule="alignment", when=stride),
            *(Require(f"0 <= {stride}.{axis} < {_STRIDE_LIMIT}", rule="argument", when=stride) for axis in axes),
        ]
    return tuple(found)


def no_write_twice(stride: str, shape: str = "shape", axes: str = "nchw", across: str = "") -> tuple[Require, ...]:
    """A stride of 0 repeats a source; a destination has one only where there is nothing to repeat.

    Of an operand ``across`` lanes, channels in one row of lanes lie apart whatever their stride is.
    """
    one = {axis: f"{shape}.{axis} == 1" for axis in axes}
    if across:
        one["c"] = f"lane_{across} + {shape}.c <= lanes"
    return tuple(Require(f"{stride}.{axis} > 0 or {one[axis]}", rule="argument", when=stride) for axis in axes)


def of_tensors(members: Members, form: str = "{op}") -> Members:
    """The members as they work on two tensors."""
    words = "dst", "src0", "src1"
    return formed(members, form, words, lambda function: lambda src0_addr, src1_addr: function(src0_addr, src1_addr))
