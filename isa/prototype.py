"""Reads the C-like prototype that heads every declaration.

    void __bang_add(T dst[elem_count], const T src0[elem_count], const T src1[elem_count], int32 elem_count)

An array parameter is a memory operand: ``const`` ones are read, others written (``inout`` ones both, ``work`` ones
clobbered). What stands before the type names a space other than the instruction's default: ``gdram T dst[n]``.

    T x[n]                    n elements, packed
    T x[m @ stride][n]        outermost first; ``@`` bytes from one to the next, without it packed
    T x[n : k]                an output of which only the first k elements (of every row) get a value
    T x[@ rows][n]            n elements at each of the places that `measured` finds, in bytes from the address
    T x[m][n] ~ order         m rows of n elements that lie in the order of that name, see `orders`
    T x[m][l][n : k] ~ order  rows of l pieces; only the first k elements of a piece are used, the others are padding
    T &x                      a vector register
    tensor<T> x[shape @ st]   a tensor [n, c, h, w] across the lanes of a core; strides count elements; no stride, or a
                              null one, means the aligned layout
    system<T> x[shape @ st]   such a tensor in system memory; no stride means the continuous layout
    system<T> x[...] ~ flag   the same, across lanes where the value ``flag`` holds
    variable<T> x[shape]      what a ``variable_t`` says: a tensor across lanes, a vector [1, c, 1, 1], or a value; or
                              another C type of `VARIABLES`
    void<T> x[n]              C passes it as ``void *``; it holds elements of T
    T<uint8> x[n]             C passes it as ``T *``; it holds elements of uint8
    dim4 *s, dim4 *s?, dim4 s a structure: by pointer, by pointer that may be null, by value
    scalar<T> x               C's ``scalar_t``, or another of `UNIONS`, of which the bits of T count
    int32 n                   everything else is a plain value
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from .cached import cached_property
from .errors import DeclarationError
from .space import REGISTERS, SYSTEM
from .types import STRUCTS, TYPES, UNIONS, VARIABLES, ElementType


class Kind(StrEnum):
    """What a parameter is."""

    VALUE = "value"
    BITS = "bits"  # a typed value in a union
    STRUCT = "struct"
    PACKED = "packed"
    STRIDED = "strided"
    SCATTERED = "scattered"  # rows wherever the contents of another operand say
    REGISTER = "register"
    TENSOR = "tensor"  # across lanes
    SYSTEM = "system"  # a tensor in system memory
    VARIABLE = "variable"  # a tensor across lanes, a vector, or a value, as the argument says


_MEMORY = {Kind.PACKED, Kind.STRIDED, Kind.SCATTERED, Kind.REGISTER, Kind.TENSOR, Kind.SYSTEM, Kind.VARIABLE}
#: Where operands of a kind lie unless they say otherwise; else it is the instruction's default.
_SPACES = {Kind.REGISTER: REGISTERS, Kind.SYSTEM: SYSTEM}
_DIRECTIONS = ("const", "inout", "work")
_PARAMETER = re.compile(
    r"(?P<qualifiers>(?:\w+\s+)*?)(?P<type>\w+(?:<\w+>)?)(?:\s+|\s*(?P<mark>[&*])\s*)(?P<name>\w+)(?P<null>\?)?"
    r"(?P<dims>(?:\[[^\]]+\])*)(?:\s*~\s*(?P<order>\w+))?"
)
_MARKS = re.compile(r"[(\[<,>\])]")
_PROTOTYPE = re.compile(r"(?P<returns>\w+)\s+(?P<name>[\w.]+)\((?P<parameters>.*)\)", re.S)


@dataclass(frozen=True)
class Dim:
    """One dimension of an operand: how many, and bytes from one to the next ("" = packed).

    Without a count, the stride names where each one lies.
    """

    count: str
    stride: str = ""


@dataclass(frozen=True)
class Parameter:
    """One parameter of an instruction, before its type variables are bound."""

    name: str
    type: str
    kind: Kind = Kind.VALUE
    dims: tuple[Dim, ...] = ()  # of a tensor: one, whose count is its shape and whose stride is its strides
    reads: bool = False
    writes: bool = False
    clobbered: bool = False  # written with nothing that anyone may rely on
    space: str = ""  # "" = the instruction's default
    passed: str = ""  # what C says that it points to, where that is not what it holds
    form: str = ""  # of a union or a variable operand: which of `UNIONS` or `VARIABLES`
    pointer: bool = False  # of a structure: C passes its address
    nullable: bool = False
    defined: str = ""  # elements that get a value, or are used, where that is not all of them
    order: str = ""  # name of the order in which its elements lie, where that is not row by row
    local_if: str = ""  # of a tensor in system memory: the value that says that it lies across lanes

    @cached_property
    def is_memory(self) -> bool:
        """Whether it names memory (or a vector register), not a value."""
        return self.kind in _MEMORY

    @cached_property
    def is_tensor(self) -> bool:
        """Whether it is a tensor [n, c, h, w] with strides of its own."""
        return self.kind in (Kind.TENSOR, Kind.SYSTEM, Kind.VARIABLE)

    @cached_property
    def is_lanes(self) -> bool:
        """Whether it lies across the lanes of a core."""
        return self.kind in (Kind.TENSOR, Kind.VARIABLE)

    @cached_property
    def register(self) -> bool:
        """Whether it is a vector register."""
        return self.kind is Kind.REGISTER

    def element(self, binding: Mapping[str, str]) -> ElementType:
        """The element type under a binding of type variables such as ``{"T": "float"}``."""
        return TYPES[binding.get(self.type, self.type)]


@dataclass(frozen=True)
class Prototype:
    """Name, result type and parameters."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...]

    @cached_property
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


def parse_name(text: str) -> str:
    """The name in a prototype alone."""
    return text.partition("(")[0].split()[-1]


def _split(text: str) -> list[str]:
    """Split at the commas that are not inside brackets."""
    parts, depth, begin = [], 0, 0
    for mark in _MARKS.finditer(text):
        if mark[0] != ",":
            depth += 1 if mark[0] in "([<" else -1
        elif not depth:
            parts.append(text[begin : mark.start()])
            begin = mark.end()
    return [*parts, text[begin:]]


@lru_cache(maxsize=1024)  # families repeat them
def _parameter(text: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    if not match:
        raise DeclarationError(f"not a parameter: {text!r}")
    qualifiers = match["qualifiers"].split()
    spaces = [q for q in qualifiers if q not in _DIRECTIONS]
    directions = [q for q in qualifiers if q in _DIRECTIONS]
    name, inner = match["name"], match["type"]
    outer, _, inner = inner[:-1].partition("<") if "<" in inner else ("", "", inner)
    dims = tuple(_dim(d) for d in re.findall(r"\[([^\]]+)\]", match["dims"]))
    kind = _kind(text, outer, inner, match["mark"], dims)
    if len(spaces) > 1 or len(directions) > 1 or ((qualifiers or match["order"]) and kind not in _MEMORY):
        raise DeclarationError(f"not a parameter: {text!r}")
    if kind in _MEMORY and (match["null"] or (match["mark"] == "*")):
        raise DeclarationError(f"not a parameter: {text!r}: an array may not be null")
    direction = directions[0] if directions else ""
    memory = kind in _MEMORY
    return Parameter(
        name,
        inner,
        kind,
        dims,
        reads=memory and direction in ("const", "inout"),
        writes=memory and direction in ("", "inout", "work"),
        clobbered=direction == "work",
        space=spaces[0] if spaces else _SPACES.get(kind, ""),
        passed=outer if kind in (Kind.PACKED, Kind.STRIDED) else "",
        form=outer if kind in (Kind.BITS, Kind.VARIABLE) else "",
        pointer=match["mark"] == "*",
        nullable=bool(match["null"]),
        defined=match["dims"].rpartition("[")[2].partition(":")[2].removesuffix("]").strip(),
        order="" if kind is Kind.SYSTEM else match["order"] or "",
        local_if=match["order"] or "" if kind is Kind.SYSTEM else "",
    )


def _kind(text: str, outer: str, inner: str, mark: str | None, dims: tuple[Dim, ...]) -> Kind:
    if outer in ("tensor", "system", *VARIABLES):
        if len(dims) != 1:
            raise DeclarationError(f"not a parameter: {text!r}: a tensor has one pair of brackets, [shape @ stride]")
        return Kind.VARIABLE if outer in VARIABLES else Kind(outer)
    if outer in UNIONS and not dims:
        return Kind.BITS
    if outer not in ("", "void") and (not dims or not (outer in TYPES or outer.isupper())):
        raise DeclarationError(f"not a parameter: {text!r}: there is no {outer}<...>")
    if inner in STRUCTS and not dims and mark != "&":
        return Kind.STRUCT
    if mark == "&":
        return Kind.REGISTER
    if mark == "*":
        raise DeclarationError(
            f"not a parameter: {text!r}: {inner} is no structure; the structures are {', '.join(STRUCTS)}"
        )
    if not dims:
        return Kind.VALUE
    if not dims[0].count:
        return Kind.SCATTERED
    return Kind.STRIDED if any(dim.stride for dim in dims) else Kind.PACKED


def _dim(text: str) -> Dim:
    count, _, stride = text.partition(":")[0].partition("@")
    return Dim(count.strip(), stride.strip())
