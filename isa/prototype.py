"""Reads the C-like prototype that heads every declaration.

    void __bang_add(T dst[elem_count], const T src0[elem_count], const T src1[elem_count], int32 elem_count)

An array parameter is a memory operand: ``const`` ones are read, others written (``inout`` ones both); the brackets
say what it spans, outermost first, ``[count]`` packed or ``[count @ stride_in_bytes]``; ``[count : defined]`` of an
output says that only the first ``defined`` elements (of every row) get a value and the others become undefined.
``gdram T dst[n]`` names a memory space other than the instruction's default. ``T &v`` is a vector register.
Everything else is a scalar.
``void<T>`` is an operand that C passes as ``void *`` and that holds elements of T.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .types import TYPES, ElementType

#: Bytes of one vector register (see reference of the `__vv_` family; inferred).
VECTOR_REGISTER_BYTES = 256

_PARAMETER = re.compile(
    r"(?:(?P<qualifiers>(?:const|inout|gdram|ldram|nram|wram|sram|global|local)(?:\s+(?:const|inout|gdram|ldram|nram|wram|sram|global|local))*)\s+)?"
    r"(?P<type>\w+(?:<\w+>)?)(?:\s+|\s*(?P<register>&)\s*)(?P<name>\w+)(?P<dims>(?:\[[^\]]+\])*)"
)
_PROTOTYPE = re.compile(r"(?P<returns>\w+)\s+(?P<name>[\w.]+)\((?P<parameters>.*)\)", re.S)


class DeclarationError(Exception):
    """A declaration contradicts itself; raised at import, never at run time."""


@dataclass(frozen=True)
class Dim:
    """One dimension of an operand: how many, and bytes from one to the next ("" = packed)."""

    count: str
    stride: str = ""


@dataclass(frozen=True)
class Parameter:
    """One parameter of an instruction, before its type variables are bound."""

    name: str
    type: str
    dims: tuple[Dim, ...] = ()
    reads: bool = False
    writes: bool = False
    space: str = ""  # "" = the instruction's default
    register: bool = False
    opaque: bool = False  # C passes it as void *
    defined: str = ""  # elements that get a value, where that is not all of them

    @property
    def is_memory(self) -> bool:
        """Whether it names memory (or a vector register), not a value."""
        return bool(self.dims)

    def element(self, binding: dict[str, str]) -> ElementType:
        """The element type under a binding of type variables such as ``{"T": "float"}``."""
        return TYPES[binding.get(self.type, self.type)]


@dataclass(frozen=True)
class Prototype:
    """Name, result type and parameters."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...]

    @property
    def memory(self) -> tuple[Parameter, ...]:
        """The memory operands, in order."""
        return tuple(p for p in self.parameters if p.is_memory)


def parse(text: str) -> Prototype:
    """Parse one prototype; a malformed one is a `DeclarationError`."""
    match = _PROTOTYPE.fullmatch(" ".join(text.split()))
    if not match:
        raise DeclarationError(f"not a prototype: {text!r}")
    inner = match["parameters"].strip()
    parameters = tuple(_parameter(part.strip()) for part in _split(inner)) if inner else ()
    return Prototype(match["name"], match["returns"], parameters)


def _split(text: str) -> list[str]:
    """Split at the commas that are not inside brackets."""
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([<") - (char in ")]>")
        if char == "," and not depth:
            parts.append(text[begin:at])
            begin = at + 1
    return [*parts, text[begin:]]


def _parameter(text: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    if not match:
        raise DeclarationError(f"not a parameter: {text!r}")
    qualifiers = (match["qualifiers"] or "").split()
    spaces = [q for q in qualifiers if q not in ("const", "inout")]
    ctype, opaque = match["type"], False
    if "<" in ctype:
        ctype, opaque = ctype[:-1].split("<")[1], True
    brackets = re.findall(r"\[([^\]]+)\]", match["dims"])
    defined = brackets[-1].partition(":")[2].strip() if brackets else ""
    dims = tuple(_dim(d) for d in brackets)
    if match["register"]:
        dims = (Dim(f"({VECTOR_REGISTER_BYTES} // sizeof_{match['name']})"),)
    const = "const" in qualifiers
    return Parameter(
        match["name"],
        ctype,
        dims,
        reads=bool(dims) and (const or "inout" in qualifiers),
        writes=bool(dims) and not const,
        space="vreg" if match["register"] else spaces[0] if spaces else "",
        register=bool(match["register"]),
        opaque=opaque or ctype == "void",
        defined=defined,
    )


def _dim(text: str) -> Dim:
    count, _, stride = text.partition(":")[0].partition("@")
    return Dim(count.strip(), stride.strip())
