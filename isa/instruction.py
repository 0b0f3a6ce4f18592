"""An instruction as data: everything that is declared of it, and what follows from that.

Prototypes, Python API, argument checks, costs, tables and docs are derived from `Instruction` objects; see docs/isa.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import ModuleType
from typing import Any

import numpy as np

from . import expression
from .cached import cached_property
from .effects import Barrier, Compute, Effect, Wait
from .enumerations import DATA_TYPE_ELEMENTS, VARIABLE_TYPES
from .prototype import Kind, Parameter, Prototype
from .rules import DOCUMENTED, INFERRED, Archs, Require, Rule
from .types import TYPES, ElementType

#: The engine that multiplies matrices, and what it is called in device files for factors of other types than float.
TENSOR = "tensor"
TENSOR_ENGINES = {
    TENSOR: {"float"},
    "tensor_int8": {"int8", "uint8"},
    "tensor_int16": {"int8", "uint8", "int16", "uint16"},
    "tensor_half": {"half", "bfloat16"},
    "tensor_mixed": {"half", "bfloat16", "float"},
}
#: Numbers of a device's shape that expressions may name.
SHAPE_NAMES = ("arch", "lanes", "lane_bytes", "eu_bytes")
#: Bytes in whose multiples vectors are computed: the ends of vectors that are no multiple are padding.
PADDING = 128


class Wider(StrEnum):
    """What becomes of an instruction that is carried out once more on float64."""

    RUNS = "its function gives the result without the rounding"
    DECIDES = "its result jumps where an input changes a little, so that the inputs as they are decide"
    BITS = "it works on bits or positions, which float64 has not"


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
class TypeArgument:
    """The argument whose value binds a type variable, where C has no overloads; ``elements``: value -> element type."""

    argument: str
    elements: Mapping[int, str] = field(default_factory=lambda: DATA_TYPE_ELEMENTS)


@dataclass(frozen=True)
class Instruction:
    """One instruction of an ISA, all its overloads together."""

    prototype: Prototype
    doc: str
    bindings: tuple[Mapping[str, str], ...]  # one per overload: type variable -> element type
    inferred_types: frozenset[str] = frozenset()
    archs: Archs = field(default_factory=Archs)
    provenance: str = DOCUMENTED
    space: str = "nram"
    pipe: str = "compute"
    engine: str = ""  # key of the cost in device files; default: the pipe
    work: str = ""  # expression, in the engine's unit; default: bytes of the first written operand
    effect: Effect = field(default_factory=Compute)
    semantics: Callable[..., Any] | None = None  # a ufunc, or a function of operands, values and ``let`` by name
    #: Architectures on which it computes something else, and the function that it has there.
    older: tuple[Archs, Callable[..., Any]] | None = None
    #: "same": operands may coincide, not partly overlap; "none"; "any"; "ascending": an output neither begins nor ends
    #: behind an input that it overlaps, so that no element is overwritten before it is read. One of wider elements may
    #: overwrite the padding of its input, less than `PADDING` bytes: what becomes of that is undefined.
    overlap: str = "same"
    #: The operand whose elements reach the output as they are, in another arrangement; the other operands say in which.
    moves: str = ""
    #: The operand whose elements are positions in the other one that is read, a table.
    looks_up: str = ""
    #: A condition: only where it holds, what an ``inout`` operand held before is part of the result.
    adds: str = ""
    rules: tuple[Rule, ...] = ()
    let: Mapping[str, str] = field(default_factory=dict)  # names for expressions over the arguments, in order
    #: Names for what only the contents of operands tell, such as how many elements a mask selects: a function of
    #: operands and values by name. Extents of other operands may use them.
    measured: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    counts: str = ""  # which of them its engine keeps, for the wait that returns it
    select: Select | None = None
    type_arguments: Mapping[str, TypeArgument] = field(default_factory=dict)  # type variable -> argument
    wider: Wider = Wider.RUNS
    divisor: str = ""  # the operand or value that it divides by
    asm: str = ""  # mnemonic when it is written as inline assembly
    mistaken: str = ""  # what its name may be taken for: who executes it is warned
    known_by: str = ""  # a pattern, in any case: a source that has it near a call knows what the name means

    @property
    def name(self) -> str:
        """The vendor's name."""
        return self.prototype.name

    @property
    def waits(self) -> tuple[str, ...]:
        """The pipes that must be idle before the core goes on."""
        return self.effect.pipes if isinstance(self.effect, (Wait, Barrier)) else ()

    def on(self, arch: int) -> Instruction:
        """The instruction with the semantics that it has on an architecture."""
        return replace(self, semantics=self.older[1], older=None) if self.older and arch in self.older[0] else self

    @property
    def written(self) -> tuple[Parameter, ...]:
        """The operands that the semantics gives new contents to."""
        return tuple(p for p in self.prototype.memory if p.writes and not p.clobbered)

    @property
    def read(self) -> tuple[Parameter, ...]:
        """The operands that the semantics reads."""
        return tuple(p for p in self.prototype.memory if p.reads)

    @cached_property
    def inputs(self) -> tuple[Parameter, ...]:
        """The operands whose contents its function takes; of others, such as tables, it knows what is in them."""
        if self.semantics is None or isinstance(self.semantics, np.ufunc):
            return self.read
        taken = inspect.signature(self.semantics).parameters
        return tuple(p for p in self.read if p.name in taken or p.name in self.held)

    @cached_property
    def held(self) -> frozenset[str]:
        """The operands that its function asks for as ``held_<operand>``: it adds to what they hold."""
        if self.semantics is None or isinstance(self.semantics, np.ufunc):
            return frozenset()
        taken = inspect.signature(self.semantics).parameters
        return frozenset(p.name for p in self.read if p.writes and f"held_{p.name}" in taken)

    @cached_property
    def lane_wise(self) -> bool:
        """Whether each element of its one output comes from the elements in the same place of its inputs, and no other.

        So it is where a function has operands of the same counts, or some that are repeated for each row of the output,
        unless it moves elements.
        """
        if not isinstance(self.effect, Compute) or self.effect.partial or self.moves or self.select is not None:
            return False
        if self.prototype.returns != "void" or not self.inputs or len(self.written) != 1:
            return False
        memory = [p for p in self.prototype.memory if not p.reads or p in self.inputs]
        (target,) = self.written
        inputs = [_counts(p) for p in memory if p is not target]
        lanes = _counts(self.inputs[0]) if self.packs_bits else _counts(target)
        return (
            not any(p.order or p.defined or p.kind is Kind.SCATTERED for p in memory)
            and all(counts == lanes[len(lanes) - len(counts) :] for counts in inputs)
            and lanes in [_counts(p) for p in self.inputs]
        )

    @cached_property
    def packs_bits(self) -> bool:
        """Whether its one output has a bit for each element of its inputs, eight of them in a byte."""
        counts = {_counts(p) for p in self.read}
        bits = {(f"({n} + 7) // 8",) for one in counts for n in one}
        return len(counts) == len(bits) == 1 and {_counts(p) for p in self.written} == bits

    @cached_property
    def labels(self) -> Mapping[str, int]:
        """Named values of its arguments: the cases of the selecting one, and what enumerations name."""
        found = {case.label: value for value, case in (self.select.cases if self.select else {}).items()}
        for p in self.prototype.parameters:
            if p.kind is Kind.VALUE and p.type in TYPES:
                found.update(TYPES[p.type].values)
            if p.kind is Kind.VARIABLE:
                found.update(VARIABLE_TYPES)
        return found

    @cached_property
    def work_expression(self) -> str:
        """``work``, or what stands for it."""
        return self.work or (f"bytes_{self.written[0].name}" if self.written else "0")

    def space_of(self, parameter: Parameter) -> str:
        """The space of an operand, "" where an argument selects it."""
        return "" if self.select else parameter.space or self.space

    def overloads(self) -> tuple[Overload, ...]:
        """Every combination of element types."""
        return tuple(Overload(self, binding) for binding in self.bindings)

    def rules_for(self, arch: int) -> tuple[Rule, ...]:
        """The rules in force on an architecture."""
        return tuple(rule for rule in self.rules if arch in rule.archs)

    def names(self, text: str) -> frozenset[str]:
        """The names that an expression uses, and those that the ones of `let` among them come from."""
        used = expression.names_of(text)
        return used.union(*(self.names(self.let[name]) for name in used if name in self.let))

    def words(self, rule: Require) -> str:
        """A rule on the arguments as a sentence."""
        spelled = {f"sizeof_{p.name}": f"sizeof({p.type})" for p in self.prototype.memory}
        spelled |= {f"lane_{p.name}": f"the start lane of {p.name}" for p in self.prototype.memory}
        spelled |= {f"placed_{p.name}": f"{p.name} in memory" for p in self.prototype.memory}
        spelled |= {f"order_{p.name}": f"the order of {p.name}" for p in self.prototype.memory}
        spelled |= {f"space_{p.name}": f"the memory of {p.name}" for p in self.prototype.memory}
        spelled |= {name: f"({text})" for name, text in self.let.items()}
        text = expression.words(rule.condition, spelled)
        return text + (f", where {expression.words(rule.when, spelled)}" if rule.when else "")


@dataclass(frozen=True, eq=False)
class Overload:
    """An instruction with its type variables bound."""

    instruction: Instruction
    binding: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def name(self) -> str:
        """The vendor's name."""
        return self.instruction.name

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the prototype."""
        return self.instruction.prototype.parameters

    def element(self, parameter: Parameter) -> ElementType:
        """The element type of a parameter."""
        return parameter.element(self.binding)

    @property
    def dtypes(self) -> str:
        """The bound types as text, such as ``float`` or ``int32,float``."""
        return ",".join(dict.fromkeys(self.binding.values()))

    @property
    def engine(self) -> str:
        """Key of its cost in device files, "" = its pipe; a tensor unit is the faster the narrower its factors are."""
        entry = self.instruction
        if entry.engine != TENSOR:
            return entry.engine
        first, *others = entry.read
        weights = next((p for p in others if p.space == "wram"), others[0])  # a bias may stand before them
        factors = {self.element(p).name for p in (first, weights)}
        return next((engine for engine, types in TENSOR_ENGINES.items() if factors <= types), TENSOR)

    @property
    def provenance(self) -> str:
        """Documented only if the instruction and each of its types are."""
        inferred = set(self.binding.values()) & self.instruction.inferred_types
        return INFERRED if inferred else self.instruction.provenance


def _counts(p: Parameter) -> tuple[str, ...]:
    return tuple(dim.count for dim in p.dims)


def result_type(overload: Overload) -> ElementType:
    """The element type of what an instruction returns; KeyError if it returns nothing."""
    returns = overload.instruction.prototype.returns
    return TYPES[overload.binding.get(returns, returns)]


def collect(*modules: ModuleType) -> tuple[Instruction, ...]:
    """Every `Instruction` (or tuple of them) that the modules define, in the order of definition."""

    def flatten(value: Any) -> Iterator[Instruction]:
        if isinstance(value, Instruction):
            yield value
        elif isinstance(value, tuple):
            for entry in value:
                yield from flatten(entry)

    return tuple(entry for module in modules for value in vars(module).values() for entry in flatten(value))
