"""The declaration of an instruction, the one place where a fact about it is written.

Prototypes, Python API, argument checks, costs, tables and docs are derived from `Instruction` objects; see docs/isa.md.
"""

from __future__ import annotations

import inspect
import itertools
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .prototype import DeclarationError, Parameter, Prototype, parse
from .types import TYPES, ElementType

DOCUMENTED = "documented"
INFERRED = "inferred"

_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "!=": operator.ne, "==": operator.eq,
}  # fmt: skip
_ARCH = re.compile(r"(>=|<=|>|<|!=|==)\s*(\d+)")


@dataclass(frozen=True)
class Archs:
    """A set of architectures such as ``>=322 !=372``; empty text means all."""

    text: str = ""

    def __post_init__(self) -> None:
        if _ARCH.sub("", self.text).strip():
            raise DeclarationError(f"not a set of architectures: {self.text!r}")

    def __contains__(self, arch: int) -> bool:
        return all(_COMPARE[op](arch, int(number)) for op, number in _ARCH.findall(self.text))

    def __str__(self) -> str:
        return self.text or "all"


@dataclass(frozen=True)
class Align:
    """A rule: the addresses of memory operands are multiples of ``bytes``."""

    bytes: int
    operands: tuple[str, ...] = ()  # empty: all
    archs: Archs = Archs()
    provenance: str = DOCUMENTED


@dataclass(frozen=True)
class Require:
    """A rule over the arguments: ``expression`` (Python, over argument names and ``sizeof_<operand>``) holds."""

    expression: str
    text: str
    archs: Archs = Archs()
    provenance: str = DOCUMENTED
    rule: str = "argument"


@dataclass(frozen=True)
class Case:
    """What one value of the selecting argument means: the space of each operand, the pipe, and who executes it."""

    label: str
    spaces: Mapping[str, str]
    pipe: str
    by_memory_core: bool = False  # in a union, the cluster's memory core executes it, and no other core


@dataclass(frozen=True)
class Select:
    """The argument that decides spaces and pipe, such as the direction of a copy."""

    argument: str
    c_type: str  # the enumeration of its values in C
    cases: Mapping[int, Case]


@dataclass(frozen=True)
class Instruction:
    """One instruction of an ISA, all its overloads together."""

    prototype: Prototype
    doc: str
    bindings: tuple[Mapping[str, str], ...]  # one per overload: type variable -> element type
    inferred_types: frozenset[str] = frozenset()
    archs: Archs = Archs()
    provenance: str = DOCUMENTED
    space: str = "nram"
    pipe: str = "compute"
    engine: str = ""  # key of the cost in device files; default: the pipe
    work: str = ""  # Python expression over arguments; default: bytes of the first written operand
    blocking: bool = False  # the core waits for its end
    deferred: bool = False  # takes effect when a later wait on its pipe asks for it
    waits: tuple[str, ...] = ()
    barrier: str = ""
    overlap: str = "same"  # "same": operands may coincide, not partly overlap; "none"; "any"
    rules: tuple[Align | Require, ...] = ()
    select: Select | None = None
    ufunc: Callable[..., Any] | None = None
    body: Callable[..., Any] | None = None
    type_argument: str = ""  # the argument whose value binds T, where C has no overloads
    type_values: Mapping[int, str] = field(default_factory=dict)  # its values and the types they name
    partial: bool = False  # the body returns a `Partial`: not every element is written
    cache: str = ""  # "flush" or "invalidate": what it does to the scalar unit's cache of ``dst``
    asm: str = ""  # mnemonic when it is written as inline assembly
    ordered: bool = False  # strided copies may overlap: segments move one after the other

    @property
    def name(self) -> str:
        """The vendor's name."""
        return self.prototype.name

    def overloads(self) -> tuple[Overload, ...]:
        """Every combination of element types."""
        return tuple(Overload(self, binding) for binding in self.bindings)

    def rules_for(self, arch: int) -> tuple[Align | Require, ...]:
        """The rules in force on an architecture."""
        return tuple(rule for rule in self.rules if arch in rule.archs)


@dataclass(frozen=True, eq=False)
class Overload:
    """An instruction with its type variables bound."""

    instruction: Instruction
    binding: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The vendor's name."""
        return self.instruction.name

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the prototype."""
        return self.instruction.prototype.parameters

    def element(self, parameter: Parameter) -> ElementType:
        """The element type of a parameter."""
        return parameter.element(dict(self.binding))

    @property
    def dtypes(self) -> str:
        """The bound types as text, such as ``float`` or ``int32,float``."""
        return ",".join(dict.fromkeys(self.binding.values()))

    @property
    def provenance(self) -> str:
        """Documented only if the instruction and each of its types are."""
        inferred = set(self.binding.values()) & self.instruction.inferred_types
        return INFERRED if inferred else self.instruction.provenance


def instruction(
    prototype: str,
    *,
    doc: str = "",
    types: str | Mapping[str, str] | Iterable[Mapping[str, str]] = "",
    inferred_types: str = "",
    archs: str = "",
    **facts: Any,
) -> Callable[[Callable[..., Any]], Instruction]:
    """Declare an instruction whose semantics is the decorated function.

    The function takes arrays and scalars by the names of the prototype (``count_<operand>`` is the number of elements
    of an operand) and returns the new contents of the written operands.
    ``types`` lists the element types of T ("half float"), or maps each type
    variable to such a list (all combinations), or lists the bindings one by one. ``inferred_types`` are
    further types of T that public kernels use and no document states.
    """

    def decorate(body: Callable[..., Any]) -> Instruction:
        text = doc or (inspect.getdoc(body) or "").split("\n")[0]
        return declare(prototype, doc=text, types=types, inferred_types=inferred_types, archs=archs, body=body, **facts)

    return decorate


def declare(
    prototype: str,
    *,
    doc: str,
    types: str | Mapping[str, str] | Iterable[Mapping[str, str]] = "",
    inferred_types: str = "",
    archs: str = "",
    **facts: Any,
) -> Instruction:
    """Declare an instruction whose semantics is a ufunc (``ufunc=``), or that has none (a sync)."""
    made = Instruction(
        parse(prototype),
        doc,
        _bindings(types, inferred_types),
        frozenset(inferred_types.split()),
        Archs(archs),
        **facts,
    )
    _check(made)
    return made


def family(
    prototype: str, members: Mapping[str, tuple[Callable[..., Any], str]], **facts: Any
) -> tuple[Instruction, ...]:
    """Declare instructions that differ in name (``{op}`` in the prototype), ufunc and doc line."""
    return tuple(
        declare(prototype.format(op=op), doc=doc, ufunc=ufunc, **facts) for op, (ufunc, doc) in members.items()
    )


def alias(original: Instruction, name: str, **changes: Any) -> Instruction:
    """The same instruction under another of its vendor's names."""
    return replace(original, prototype=replace(original.prototype, name=name), **changes)


def _bindings(types: Any, inferred: str) -> tuple[Mapping[str, str], ...]:
    if isinstance(types, str):
        names = [*types.split(), *inferred.split()]
        return tuple({"T": name} for name in names) if names else ({},)
    if isinstance(types, Mapping):
        keys = list(types)
        return tuple(dict(zip(keys, row, strict=True)) for row in itertools.product(*(types[k].split() for k in keys)))
    return tuple(types)


def _check(made: Instruction) -> None:
    names = {p.name for p in made.prototype.parameters}
    for binding in made.bindings:
        for parameter in made.prototype.parameters:
            if binding.get(parameter.type, parameter.type) not in TYPES:
                raise DeclarationError(f"{made.name}: unknown type {parameter.type!r} of {parameter.name!r}")
    if len(made.prototype.memory) > 4:
        raise DeclarationError(f"{made.name}: more than 4 memory operands")
    if made.body is not None:
        counts = {f"count_{p.name}" for p in made.prototype.memory}
        unknown = set(inspect.signature(made.body).parameters) - names - counts
        if unknown:
            raise DeclarationError(f"{made.name}: the body asks for {sorted(unknown)}, which the prototype lacks")
    if not made.doc:
        raise DeclarationError(f"{made.name}: no doc line")
