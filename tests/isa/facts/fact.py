"""The notation of the table of facts: one `Fact` for each form of an instruction, as a vendor's manual states it.

Arguments are one line, in order: ``out T dst[elem_count], in T src[elem_count], T value, elem_count``.
  ``in``, ``out``, ``inout``  a memory operand and its direction; without a space's name it lies in NRAM
  ``work``                    one that is written with nothing that anyone may rely on
  ``[n]``                     it spans n elements; ``[n: k]`` only the first k of them (of every row) get a value
  ``{n}``                     it spans n bytes; ``{n, k x stride, ...}`` blocks of n bytes, k strides from first to last
  ``[shape @ strides]``       in ``local`` or ``system`` memory, a tensor; None means the default layout, see `tensor`
  ``T &dst``                  a vector register
  ``any``                     bytes of no particular type (C's ``void *``)
Everything else is a value; one typed by a variable (``T value``) is of the element type.
A struct (``dim4 *shape``) is a value too: a tuple, or None. Counts, extents and work are Python over the names of the
arguments; ``sizeof`` is the bytes of one T, ``sizeof_x`` of one element of x, and of TPUs there are ``lanes``,
``lane_bytes``, ``eu_bytes``, and ``lane_x``, the start lane of x.

Types are one line: ``half float, inferred int32, >=300 int16`` has two documented types, one seen in kernels only, and
one that exists from architecture 300 on. ``int32/uint32`` binds the variables in order of appearance.
Architectures are conditions that hold together: ``>=322 !=372``; an empty text means all of them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tests.isa.facts.tensor import Dim4, lane_span, system_span
from tests.support.expressions import compiled

SIZES = {
    "half": 2, "bfloat16": 2, "float": 4, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4,
    "int64": 8, "uint64": 8, "bool": 1, "any": 1, "float8e4m3": 1, "float8e5m2": 1,
}  # fmt: skip
#: What probes pass unless a limit or the row asks for something else; the multiples of all limits.
TYPICAL: Mapping[str, Any] = {
    "elem_count": 256, "src_count": 256, "n": 256, "count": 8, "size": 256, "table_length": 64, "value": 1,
    "fix_position": 0, "start": 0, "step": 1, "base": 0, "dst_stride": 2048, "src_stride": 1024, "segnum": 2,
    **{f"flag{n}": 0 for n in range(6)}, "shape": Dim4(2, 3, 2, 5), "mode": 0,
}  # fmt: skip
_SPACES = ("gdram", "ldram", "nram", "wram", "sram", "vreg", "global", "local", "system")
#: Arguments that may be null.
NULLABLE = ("dst_stride", "src_stride", "src0_stride", "src1_stride")
_OPERAND = re.compile(r"(in|out|inout|work) (?:(\w+) )??(\w+) (&?)(\w+)(?:\[(.*)\]|\{(.*)\})?")
_CONDITION = re.compile(r"(>=|<=|>|<|!=|==)(\d+)")
_COMPARE = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "!=": operator.ne, "==": operator.eq,
}  # fmt: skip
#: Bytes of a vector register (bang_isa.md (c): `__vv_get_length()`).
REGISTER = 256


def exists(archs: str, arch: int) -> bool:
    """Whether an architecture is among the ones that a text describes."""
    return all(_COMPARE[sign](arch, int(number)) for sign, number in _CONDITION.findall(archs))


def boundaries(archs: str) -> set[int]:
    """The architectures on both sides of every number in a text, real chips or not."""
    return {int(number) + step for _, number in _CONDITION.findall(archs) for step in (-1, 0, 1)}


def value_of(expression: str | int, names: Mapping[str, Any]) -> Any:
    """An expression of the table, such as ``len - 1``, for given arguments."""
    return eval(compiled(expression), {}, dict(names)) if isinstance(expression, str) else expression


@dataclass(frozen=True)
class Operand:
    """One memory operand: direction, type (or variable), space, and what it spans."""

    name: str
    direction: str
    type: str
    space: str
    elements: str = ""  # of its type (of a tensor its shape, and its strides); or
    blocks: str = ""  # bytes of a block, and strides
    defined: str = ""  # elements of a row that get a value, where it is not all of them
    strides: str = ""

    @property
    def reads(self) -> bool:
        """Whether the instruction reads it."""
        return self.direction in ("in", "inout")

    @property
    def writes(self) -> bool:
        """Whether the instruction writes it."""
        return self.direction != "in"

    @property
    def is_work(self) -> bool:
        """Whether what it holds afterwards means nothing."""
        return self.direction == "work"

    @property
    def is_local(self) -> bool:
        """Whether it lies across lanes, where addresses are offsets."""
        return self.space == "local"

    @property
    def is_register(self) -> bool:
        """Whether it is a vector register, which has no address."""
        return self.space == "vreg"

    def span(self, names: Mapping[str, Any], size: int) -> tuple[int, int]:
        """Lowest byte, counted from the address, and bytes spanned, gaps included."""
        if self.is_register:
            return 0, REGISTER
        if self.space in ("local", "system"):
            shape, strides = self.tensor(names)
            if not self.is_local:
                return 0, system_span(shape, strides, size)
            return 0, lane_span(shape, strides, size, names["lane_" + self.name], names["chip"])
        if self.elements:
            return 0, value_of(self.elements, names) * size
        first, *rest = _split(self.blocks)
        low, length = 0, value_of(first, names)
        for part in rest if length else ():
            distance = value_of("({}) * ({})".format(*part.split(" x ")), names)
            low, length = low + min(0, distance), length + abs(distance)
        return low, length

    def tensor(self, names: Mapping[str, Any]) -> tuple[Dim4, Dim4 | None]:
        """Shape and strides of a tensor."""
        return Dim4(*value_of(self.elements, names)), value_of(self.strides, names) if self.strides else None


@dataclass(frozen=True)
class Aligned:
    """Addresses are multiples of ``bytes``, a number or an expression: every operand's, or that of one."""

    bytes: int | str
    of: str = ""
    on: str = ""
    rule: str = "alignment"
    inferred: bool = False  # no document states it


@dataclass(frozen=True)
class Multiple:
    """An amount, such as ``elem_count * sizeof``, is a multiple of a number."""

    of: str
    number: int
    on: str = ""
    rule: str = "length"
    inferred: bool = False  # no document states it

    @property
    def argument(self) -> str:
        """The argument that decides the amount."""
        return self.of.split()[0]


@dataclass(frozen=True)
class Within:
    """An argument, or a field of a struct that is given, lies between two values (or expressions), both included."""

    argument: str
    low: int | str
    high: int | str | None = None
    on: str = ""
    rule: str = "length"
    inferred: bool = False  # no document states it


@dataclass(frozen=True)
class Holds:
    """A relation of arguments that no other limit expresses, with changes that probe it.

    A change names an argument, a field of one (``shape.n``), or an operand, which then moves by so many bytes.
    """

    relation: str
    probes: tuple[Mapping[str, Any], ...]
    on: str = ""
    rule: str = "argument"
    inferred: bool = False  # no document states it


Limit = Aligned | Multiple | Within | Holds


@dataclass(frozen=True)
class Binding:
    """The types that one form of an instruction takes, by variable."""

    types: Mapping[str, str]
    archs: str = ""
    inferred: bool = False

    def __str__(self) -> str:
        return ",".join(dict.fromkeys(self.types.values()))


@dataclass(frozen=True)
class Case:
    """What one value of a selecting argument means, such as the direction of a copy."""

    label: str
    spaces: Mapping[str, str]
    pipe: str
    limits: tuple[Limit, ...] = ()
    by_memory_core: bool = False  # in a union, the memory core executes it, and no other core


@dataclass(frozen=True)
class Codes:
    """An argument whose value names the type that a variable stands for, where C has no overloads."""

    argument: str
    values: Mapping[str, int]
    variable: str = "T"


@dataclass(frozen=True)
class Fact:
    """One form of an instruction: a vendor's name with one list of arguments."""

    name: str
    arguments: str = ""
    types: str = ""
    archs: str = ""
    limits: tuple[Limit, ...] = ()
    #: An output and an input may coincide, or "same unless wider", "apart", "any", "upper half" (src in that of dst),
    #: or "ahead": dst begins and ends before src does, or where it does.
    overlap: str = "same"
    pipe: str = "compute"
    engine: str = ""  # the key of the cost, or "free"; the pipe unless said otherwise
    work: str = "0"  # in the engine's unit
    #: "blocking": the core waits for its end. "deferred": it happens when a sync waits for it. "queued": so for the
    #: processor, and later commands of the queues see it, unless a "section" is open.
    effect: str = "now"
    waits: str = ""  # pipes that must be idle before the core goes on
    joins: str = ""  # cores that meet: "cores" and "memory cores" of a "cluster" or "union"
    select: str = ""  # the argument whose value is a case
    cases: tuple[Case, ...] = ()
    codes: tuple[Codes, ...] = ()
    passed: Mapping[str, str] = field(default_factory=dict)  # operand -> the variable whose type C passes it as
    inferred: bool = False  # no document states it
    call: Mapping[str, Any] = field(default_factory=dict)  # arguments of a legal call that differ from `TYPICAL`
    probes: tuple[Mapping[str, Any], ...] = ()  # further changes to try, as of `Holds`
    variants: tuple[Mapping[str, Any], ...] = ()  # changes to make calls around which all limits are tried again
    returns: str = "void"
    before: str = ""  # what has to be called first, and
    after: str = ""  # what afterwards
    holds: Mapping[str, int] = field(default_factory=dict)  # what every byte of an operand is before, where it matters
    follows: tuple[str, ...] = ()  # operands that lie, or end, where the contents of others say
    room: int = 1 << 15  # bytes of memory that every operand has
    asm: str = ""  # the mnemonic, where kernels write it as inline assembly

    def __str__(self) -> str:
        return f"{self.name}({','.join(self.names)})"

    @cached_property
    def parts(self) -> list[str]:
        """The arguments, one text each."""
        return _split(self.arguments) if self.arguments else []

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments, in order."""
        return tuple(re.sub(r"[\[{].*", "", part).replace("&", "").split()[-1] for part in self.parts)

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        """The memory operands, in order."""
        return tuple(operand for part in self.parts for operand in _operand(part))

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """Every combination of types, with the architectures that have it."""
        variables = list(dict.fromkeys(re.findall(r"\b[A-Z]\b(?= &?\w)", self.arguments)))
        if not self.types:
            return (Binding({}),)
        found = []
        for segment in self.types.split(", "):
            words = segment.split()
            archs = " ".join(word for word in words if _CONDITION.fullmatch(word))
            kinds = [word for word in words if word != "inferred" and not _CONDITION.fullmatch(word)]
            for kind in kinds:
                bound = kind.split("/")
                found.append(Binding(dict(zip(variables, bound, strict=True)), archs, "inferred" in words))
        return tuple(found)

    @property
    def forms(self) -> Iterator[Form]:
        """The row with its types bound and its case chosen, in every combination."""
        for binding in self.bindings:
            for case in self.cases or (None,):
                yield Form(self, binding, case)


def _split(text: str) -> list[str]:
    """Split at the commas that stand in no bracket."""
    found, depth = [""], 0
    for char in text:
        depth += (char in "[{(") - (char in ")}]")
        if char == "," and not depth:
            found.append("")
        else:
            found[-1] += char
    return [part.strip() for part in found]


def _operand(text: str) -> Iterator[Operand]:
    match = _OPERAND.fullmatch(text)
    if match:
        direction, space, kind, register, name, elements, blocks = match.groups()
        assert space is None or space in _SPACES, f"no space {space!r} in {text!r}"
        elements, _, defined = (elements or "").partition(":")
        elements, _, strides = elements.partition(" @ ")
        place = "vreg" if register else space or "nram"
        yield Operand(name, direction, kind, place, elements, blocks or "", defined, strides)


@dataclass(frozen=True)
class Form:
    """A row with its types bound and its case chosen."""

    fact: Fact
    binding: Binding
    case: Case | None

    def __str__(self) -> str:
        return " ".join(text for text in (str(self.fact), str(self.binding), self.case and self.case.label) if text)

    def exists_on(self, arch: int) -> bool:
        """Whether an architecture has it."""
        return exists(self.fact.archs, arch) and exists(self.binding.archs, arch)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """All limits, in force on some architecture."""
        return (*self.fact.limits, *(self.case.limits if self.case else ()))

    @property
    def overlap(self) -> str:
        """How an output and an input may lie."""
        kind, _, unless = self.fact.overlap.partition(" unless ")
        sizes = [SIZES[self.type_of(o)] for o in self.fact.operands if not o.is_work] if unless else [0]
        return "apart" if sizes[0] > sizes[-1] else kind

    @property
    def pipe(self) -> str:
        """The pipe that executes it."""
        return self.case.pipe if self.case else self.fact.pipe

    def type_of(self, operand: Operand) -> str:
        """The element type of an operand."""
        return self.binding.types.get(operand.type, operand.type)

    def space_of(self, operand: Operand) -> str:
        """The memory space of an operand."""
        return self.case.spaces[operand.name] if self.case else operand.space
