"""All mutants of the declarations: which field is mutated how, and a dialect with a mutant in the original's place."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import Any

from mlusim.isa import DIALECTS, Align, Dialect, Instruction
from mlusim.isa.check import check
from mlusim.isa.instruction import Select
from mlusim.isa.prototype import Dim, Prototype
from mlusim.isa.rules import Archs

from . import operators as op
from .explained import EXPLAINED

#: The mutants of a field look at its parts.
INSIDE = "inside"
#: A field that is no fact which a run could break, or that is mutated together with others (`TOGETHER`).
NOT_MUTATED = "not mutated"

FIELDS: Mapping[str, tuple[op.Operator | str, ...]] = {
    "Instruction.prototype": (INSIDE,),
    "Instruction.doc": (NOT_MUTATED,),
    "Instruction.bindings": (NOT_MUTATED,),
    "Instruction.inferred_types": (NOT_MUTATED,),
    "Instruction.archs": (op.archs,),
    "Instruction.provenance": (op.flip_provenance,),
    "Instruction.space": (op.space,),
    "Instruction.pipe": (op.pipe,),
    "Instruction.engine": (op.engine,),
    "Instruction.work": (op.work,),
    "Instruction.effect": (INSIDE,),
    "Instruction.semantics": (NOT_MUTATED,),  # mutated by hand
    "Instruction.older": (NOT_MUTATED,),  # mutated by hand
    "Instruction.overlap": (op.overlap,),
    "Instruction.moves": (op.moves,),
    "Instruction.looks_up": (op.moves,),
    "Instruction.adds": (op.dropped,),
    "Instruction.rules": (op.rules, INSIDE),
    "Instruction.let": (op.let,),
    "Instruction.measured": (NOT_MUTATED,),  # functions, as semantics
    "Instruction.counts": (op.dropped,),
    "Instruction.select": (INSIDE,),
    "Instruction.type_arguments": (INSIDE,),
    "Instruction.wider": (op.wider,),
    "Instruction.divisor": (op.divisor,),
    "Instruction.asm": (NOT_MUTATED,),  # a name
    "Instruction.mistaken": (NOT_MUTATED,),  # a name
    "Instruction.known_by": (NOT_MUTATED,),  # words of sources
    "Prototype.name": (NOT_MUTATED,),
    "Prototype.returns": (NOT_MUTATED,),  # how C spells it
    "Prototype.parameters": (INSIDE,),
    "Parameter.name": (NOT_MUTATED,),
    "Parameter.type": (op.operand_type,),
    "Parameter.kind": (NOT_MUTATED,),  # another grammar, not another fact
    "Parameter.dims": (INSIDE,),
    "Parameter.reads": (NOT_MUTATED,),
    "Parameter.writes": (NOT_MUTATED,),
    "Parameter.clobbered": (op.less,),
    "Parameter.space": (op.space,),
    "Parameter.passed": (NOT_MUTATED,),  # how C spells it
    "Parameter.form": (NOT_MUTATED,),  # how C spells it
    "Parameter.pointer": (NOT_MUTATED,),  # how C spells it
    "Parameter.nullable": (op.nullable,),
    "Parameter.defined": (op.quantity, op.dropped),
    "Parameter.order": (op.dropped,),
    "Parameter.local_if": (op.dropped,),
    "Dim.count": (op.quantity,),
    "Dim.stride": (op.quantity, op.dropped),
    "Compute.completion": (op.completion,),
    "Compute.partial": (op.less,),
    "Copy.completion": (op.completion,),
    "Copy.cluster": (NOT_MUTATED,),  # tests/core/test_clusters.py has every form
    "Atomic.completion": (op.completion,),
    "Wait.pipes": (op.waits,),
    "Barrier.reach": (op.another("cluster", "union"),),
    "Barrier.pipes": (op.waits,),
    "Barrier.members": (op.another("", "ipu", "mpu"),),
    "Cache.action": (op.another("flush", "invalidate"),),
    "Section.opens": (op.flip,),
    "Signal.sends": (op.flip,),
    "Signal.completion": (op.completion,),
    "TypeArgument.argument": (NOT_MUTATED,),  # a name
    "TypeArgument.elements": (op.elements,),
    "Align.multiple": (op.half_or_double,),
    "Align.operands": (op.less_one,),
    "Align.archs": (op.archs,),
    "Align.provenance": (op.flip_provenance,),
    "Require.condition": (op.condition,),
    "Require.when": (op.when, op.dropped),
    "Require.archs": (op.archs,),
    "Require.provenance": (op.flip_provenance,),
    "Require.rule": (op.rule_id,),
    "Require.needed": (op.less,),
    "Select.argument": (NOT_MUTATED,),  # a name
    "Select.c_type": (NOT_MUTATED,),  # a name
    "Select.cases": (INSIDE,),
    "Case.label": (NOT_MUTATED,),  # a name
    "Case.spaces": (op.spaces,),
    "Case.pipe": (op.pipe,),
    "Case.by_memory_core": (op.by_memory_core,),
}
#: Facts that several fields state together: class -> name of the fact and its operator, which yields those fields.
TOGETHER: Mapping[str, Mapping[str, op.Operator]] = {
    "Instruction": {"types": op.type_lists},
    "Parameter": {"direction": op.directions},
}

Step = Any  # a field's name, a key, or a position


@dataclass(frozen=True)
class Mutant:
    """One instruction with one fact changed: ``values`` are new fields of the object at ``path`` in it."""

    dialect: str
    position: int  # of the instruction in its dialect
    path: tuple[Step, ...]
    fact: str
    values: Mapping[str, Any]

    @property
    def entry(self) -> Instruction:
        """The instruction as declared."""
        return DIALECTS[self.dialect].instructions[self.position]

    @property
    def owner(self) -> Any:
        """The object whose fields change, as declared."""
        return _at(self.entry, self.path)

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:  # each is compared with many patterns
        where = "".join(_titles(self.entry, self.path))
        owner = self.owner
        changes = {name: difference(getattr(owner, name), new) for name, new in self.values.items()}
        told = [f"{name} {change}" if name != self.fact else change for name, change in changes.items() if change]
        return f"{_form(self.dialect, self.position)}{where} {self.fact}: {', '.join(told)}"

    def changed(self) -> Instruction:
        """The instruction with the fact changed; a `DeclarationError` if it contradicts itself now."""
        changed: Instruction = _rebuilt(self.entry, self.path, self.values)
        check(changed)
        return changed

    def install(self) -> None:
        """Put the mutant in the place of the original, before anything is derived from that.

        The dialect changes in place: other modules have imported the object.
        """
        dialect = DIALECTS[self.dialect]
        entries = list(dialect.instructions)
        entries[self.position] = self.changed()
        _put(dialect, entries)


def install_copies() -> None:
    """Put equal declarations in the place of all: a test that fails then would notice any mutant, and knows no fact."""
    for dialect in DIALECTS.values():
        _put(dialect, map(replace, dialect.instructions))


def _put(dialect: Dialect, entries: Iterable[Instruction]) -> None:
    made = vars(replace(dialect, instructions=tuple(entries)))
    vars(dialect).clear()
    vars(dialect).update(made)


def _at(value: Any, path: Sequence[Step]) -> Any:
    for step in path:
        value = value[step] if isinstance(value, Mapping | tuple) else getattr(value, step)
    return value


def _rebuilt(value: Any, path: Sequence[Step], values: Mapping[str, Any]) -> Any:
    if not path:
        return replace(value, **values)
    step, rest = path[0], path[1:]
    changed = _rebuilt(_at(value, (step,)), rest, values)
    if isinstance(value, Mapping):
        return {**value, step: changed}
    if isinstance(value, tuple):
        return (*value[:step], changed, *value[step + 1 :])
    return replace(value, **{step: changed})


@cache
def _form(dialect: str, position: int) -> str:
    """The name of an instruction, with its arguments where that is no name of it alone, and its types."""
    entry = DIALECTS[dialect].instructions[position]
    forms = len(DIALECTS[dialect].named(entry.name)) > 1
    arguments = f"({', '.join(p.name for p in entry.prototype.parameters)})" if forms else ""
    types = ",".join("/".join(binding.values()) for binding in entry.bindings)
    return f"{entry.name}{arguments}{f'<{types}>' * bool(types)}"


def _titles(value: Any, path: Sequence[Step]) -> Iterator[str]:
    """What the objects on a path are called: an operand, a dimension, a rule, a case."""
    for step in path:
        value = _at(value, (step,))
        if isinstance(value, Dim):
            yield f" dim {step}"
        elif is_dataclass(value) and not isinstance(value, Prototype | Select):
            yield f" ({_shown(value)})"


def difference(old: Any, new: Any) -> str:
    """What changes from one value to another, "" if nothing does."""
    if old == new:
        return ""
    if isinstance(old, Mapping):
        keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        return ", ".join(f"{key} = {_shown(old.get(key))} -> {_shown(new.get(key))}" for key in keys)
    if isinstance(old, tuple | frozenset):
        lost, gained = (_without(a, b) for a, b in ((old, new), (new, old)))
        return ", ".join(
            [*(f"without {_shown(entry)}" for entry in lost), *(f"with {_shown(entry)}" for entry in gained)]
        )
    return f"{_shown(old)} -> {_shown(new)}"


def _without(entries: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    same = set(map(id, others))  # most are, and to compare two rules takes long
    return [entry for entry in entries if id(entry) not in same and entry not in others]


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(map(_shown, value.values()))
    if is_dataclass(value) and not isinstance(value, Archs):
        titles = (getattr(value, name, None) for name in ("name", "label", "argument", "condition"))
        title = next((title for title in titles if title), None)
        when = f" where {value.when}" if getattr(value, "when", "") else ""
        return (
            f"{title}{when}" if title else f"multiple of {value.multiple}" if isinstance(value, Align) else str(value)
        )
    return "none" if value in ("", None) else str(value)


def every(dialects: Mapping[str, Dialect] = DIALECTS, only: str = "*") -> list[Mutant]:
    """Every mutant that a user could tell from the original, in the order of declaration.

    Instructions are left out none of whose mutants has a text that matches ``only``.
    """
    found = []
    for name, dialect in dialects.items():
        world = op.World(dialect)
        for position, entry in enumerate(dialect.instructions):
            if not _can_match(entry, only):
                continue
            for path, fact, values in _changes(entry, (), op.Site.of(world, entry)):
                found.append(Mutant(name, position, path, fact, values))
    return [mutant for mutant in found if not explanation(mutant)]


def explanation(mutant: Mutant) -> str:
    """Why a mutant cannot be told from the original, or nothing."""
    patterns = (pattern for pattern in EXPLAINED if _can_match(mutant.entry, pattern))
    return next((EXPLAINED[pattern] for pattern in patterns if fnmatchcase(str(mutant), pattern)), "")


def _can_match(entry: Instruction, pattern: str) -> bool:
    """Whether a text that begins with the name of an instruction can match; texts take long to make."""
    return entry.name.startswith(_beginning(pattern))


@cache
def _beginning(pattern: str) -> str:
    return re.split(r"[^\w]", pattern, maxsplit=1)[0]


def sample(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """``count`` of the mutants, drawn without preference; the same for the same seed."""
    drawn = random.Random(seed).sample(range(len(mutants)), min(count, len(mutants)))
    return [mutants[at] for at in sorted(drawn)]


def _changes(
    value: Any, path: tuple[Step, ...], site: op.Site
) -> Iterator[tuple[tuple[Step, ...], str, dict[str, Any]]]:
    here = replace(site, owner=value)
    kind = type(value).__name__
    for field in fields(value):
        old = getattr(value, field.name)
        for operator in FIELDS[f"{kind}.{field.name}"]:
            if callable(operator):
                yield from ((path, field.name, {field.name: new}) for new in operator(old, here))
            elif operator == INSIDE:
                for step, part in _parts(old):
                    yield from _changes(part, (*path, field.name, *step), site)
    for fact, operator in TOGETHER.get(kind, {}).items():
        yield from ((path, fact, values) for values in operator(value, here))


def _parts(value: Any) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """The dataclass objects in a field, each with the steps that lead to it."""
    if is_dataclass(value):
        yield (), value
    elif isinstance(value, Mapping):
        yield from (((key,), entry) for key, entry in value.items())
    elif isinstance(value, tuple):
        yield from (((at,), entry) for at, entry in enumerate(value))
