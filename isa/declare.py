"""The language of declarations: what isa/bang and isa/tpu are written in."""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from .effects import Atomic, Barrier, Cache, Completion, Compute, Copy, Section, Signal, Wait
from .errors import DeclarationError
from .instruction import Case, Instruction, Overload, Select, TypeArgument
from .prototype import parse, parse_name
from .rules import DOCUMENTED, INFERRED, Align, Archs, Require, Rule

__all__ = [
    "DOCUMENTED",
    "INFERRED",
    "Align",
    "Archs",
    "Atomic",
    "Barrier",
    "Cache",
    "Case",
    "Completion",
    "Compute",
    "Copy",
    "DeclarationError",
    "Instruction",
    "Overload",
    "Require",
    "Section",
    "Select",
    "Signal",
    "TypeArgument",
    "Wait",
    "alias",
    "declare",
    "family",
    "instruction",
]

#: What stands for a doc line where Python keeps none.
_STRIPPED = "python -OO keeps no doc lines" if sys.flags.optimize > 1 else ""


def instruction(prototype: str, *, doc: str = "", **facts: Any) -> Callable[[Callable[..., Any]], Instruction]:
    """Declare an instruction whose semantics is the decorated function; the rest is as in `declare`.

    The function takes arrays and values by the names of the prototype and of ``let`` (``count_<operand>`` is the number
    of elements of an operand, ``type_<operand>`` its NumPy type, ``held_<operand>`` what one that is written held
    before, for `Sums`) and returns the new contents of the written operands, then the value that the instruction
    returns, if it returns one.
    """

    def decorate(function: Callable[..., Any]) -> Instruction:
        text = doc or (inspect.getdoc(function) or _STRIPPED).split("\n")[0]
        return declare(prototype, doc=text, semantics=function, **facts)

    return decorate


def declare(
    prototype: str,
    *,
    doc: str,
    types: str | Mapping[str, str] | Iterable[Mapping[str, str]] = "",
    inferred_types: str = "",
    archs: str = "",
    rules: Iterable[Rule] = (),
    type_arguments: Mapping[str, str | TypeArgument] | None = None,
    **facts: Any,
) -> Instruction:
    """Declare an instruction; ``facts`` are the other fields of `Instruction`.

    ``types`` lists the element types of T ("half float"), or maps each type variable to such a list (all
    combinations), or lists the bindings one by one. ``inferred_types`` are further types of T that public kernels use
    and no document states. ``rules`` of architectures that lack the instruction drop out. `DeclarationError` for what
    cannot be read; facts that contradict each other, or name what does not exist, are found by `check`.
    """
    held = Archs(archs)
    return Instruction(
        parse(prototype),
        doc,
        _bindings(types, inferred_types),
        frozenset(inferred_types.split()),
        held,
        rules=tuple(rule for rule in rules if rule.archs.meets(held)),
        type_arguments={
            variable: TypeArgument(given) if isinstance(given, str) else given
            for variable, given in (type_arguments or {}).items()
        },
        **facts,
    )


def family(
    prototype: str, members: Mapping[str, tuple[Callable[..., Any], str]], **facts: Any
) -> tuple[Instruction, ...]:
    """Declare instructions that differ in name (``{op}`` in the prototype), semantics and doc line."""
    made: list[Instruction] = []
    for op, (semantics, doc) in members.items():
        if not made:
            made.append(declare(prototype.format(op=op), doc=doc, semantics=semantics, **facts))
            continue
        # All else is equal to the first one, which has been parsed.
        name = parse_name(prototype).format(op=op)
        made.append(replace(made[0], prototype=replace(made[0].prototype, name=name), doc=doc, semantics=semantics))
    return tuple(made)


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
