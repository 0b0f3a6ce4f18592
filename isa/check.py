"""What a declaration must not say.

It is checked when something is made of it anew: all of a dialect with the header that C kernels compile against, which
is made once for the files that declare it, and an instruction with its issue port. The import of hundreds of
declarations need not wait for it.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from . import expression
from .dialect import Dialect
from .effects import WITH_SEMANTICS, Barrier, Cache, Copy, Signal, Wait
from .errors import DeclarationError
from .instruction import SHAPE_NAMES, Instruction
from .orders import ORDERS
from .prototype import Kind, Parameter
from .rules import DOCUMENTED, INFERRED, Align, Require
from .types import TYPES

#: Pipes that every dialect has: the core's own unit, and what its front end does itself.
_COMMON_PIPES = ("scalar", "sync")
_OVERLAPS = ("same", "none", "any", "ascending")
_DERIVED = ("placed_", "order_", "sizeof_", "count_", "bytes_", "space_", "lane_", "type_")


def check(made: Instruction) -> None:
    """`DeclarationError` that names the instruction and the fact, if one contradicts another or names nothing."""
    for problem in _problems(made):
        raise DeclarationError(f"{made.name}: {problem}")


def check_dialect(dialect: Dialect) -> None:
    """As `check`, for all instructions of a dialect, and whether it has the pipes and spaces that they name."""
    before: Instruction | None = None
    for made in dialect.instructions:
        problems = _own_problems(made) if before and _is_member(made, before) else _problems(made)
        for problem in (*problems, *_elsewhere(made, dialect)):
            raise DeclarationError(f"{made.name}: {problem}")
        before = made


def _is_member(made: Instruction, other: Instruction) -> bool:
    """Whether it differs from another one in name, semantics and doc line alone, as those of a family do."""
    shared = (field.name for field in fields(made) if field.name not in ("prototype", "doc", "semantics"))
    return (
        made.prototype.parameters is other.prototype.parameters
        and made.prototype.returns == other.prototype.returns
        and all(getattr(made, name) is getattr(other, name) for name in shared)
    )


def _elsewhere(made: Instruction, dialect: Dialect) -> Iterator[str]:
    """What the rest of its dialect lacks."""
    pipes = {*dialect.pipes, *_COMMON_PIPES}
    used = {case.pipe for case in made.select.cases.values()} if made.select else {made.pipe}
    if wrong := (used | set(made.waits)) - pipes:
        yield f"no pipe {', '.join(sorted(wrong))}; there are {', '.join(pipes)}"
    spaces = {made.space_of(p) for p in made.prototype.memory} - {""}
    if made.select:
        spaces = {space for case in made.select.cases.values() for space in case.spaces.values()}
    for p in made.prototype.memory:
        space = dialect.spaces.get(made.space_of(p))
        if space and bool(space.offsets or space.members) != p.is_tensor:
            yield f"{p.name} is {p.kind}, which {space.name} does not hold"
    if wrong := spaces - set(dialect.spaces):
        yield f"no space {', '.join(sorted(wrong))}; there are {', '.join(dialect.spaces)}"


def _problems(made: Instruction) -> Iterator[str]:
    yield from _parameters(made)
    yield from _types(made)
    yield from _effect(made)
    yield from _rules(made)
    yield from _expressions(made)
    yield from _own_problems(made)


def _own_problems(made: Instruction) -> Iterator[str]:
    if isinstance(made.effect, WITH_SEMANTICS) and made.semantics is not None:
        yield from _semantics(made)
    if not made.doc:
        yield "no doc line"
    if made.divisor and made.divisor not in {p.name for p in made.prototype.parameters}:
        yield f"it divides by {made.divisor!r}, which is no parameter"


def _parameters(made: Instruction) -> Iterator[str]:
    parameters = made.prototype.parameters
    names = [p.name for p in parameters]
    for name in names:
        if names.count(name) > 1:
            yield f"two parameters are called {name!r}"
        if name.startswith("_") or keyword.iskeyword(name) or name in (*expression.FUNCTIONS, *SHAPE_NAMES):
            yield f"a parameter cannot be called {name!r}: expressions and generated code need the name"
        if name.startswith(_DERIVED) and name.partition("_")[2] in names:
            yield f"a parameter cannot be called {name!r}: expressions derive that name from another one"
    for name in (*made.let, *made.measured):
        if name in names or name.startswith(("_", *_DERIVED)) or name in made.labels:
            yield f"let cannot define {name!r}: the name is taken"
    for p in parameters:
        if p.order and p.order not in ORDERS:
            yield f"unknown order {p.order!r} of {p.name!r}; there are {', '.join(ORDERS)}"
        if p.order and (p.kind is not Kind.PACKED or len(p.dims) != (3 if p.defined else 2) or not p.reads or p.writes):
            yield f"{p.name!r}: an operand in an order of its own is one of packed rows, and read"
        if p.local_if and not any(q.name == p.local_if and q.type == "bool" for q in parameters):
            yield f"{p.local_if!r}, which says where {p.name!r} lies, is no bool of the prototype"
        if p.defined and not p.writes and not p.order:
            yield f"{p.name!r} is not written, so that no part of it can be the defined one"
        if p.kind is Kind.VARIABLE and (p.writes or p.dims[0].stride):
            yield f"{p.name!r}: a variable operand is read, and has no strides"
        elif p.is_tensor and p.dims[0].stride:
            yield from _stride(made, p)


def _stride(made: Instruction, p: Parameter) -> Iterator[str]:
    named = {q.name: q for q in made.prototype.parameters if q.kind is Kind.STRUCT}
    stride = p.dims[0].stride
    if stride.isidentifier() and (stride not in named or named[stride].type != "dim4"):
        yield f"the stride {stride!r} of {p.name!r} is no dim4 of the prototype"


def _types(made: Instruction) -> Iterator[str]:
    variables = set().union(*made.bindings)
    used = {p.type for p in made.prototype.parameters}
    for binding in made.bindings:
        for p in made.prototype.parameters:
            if p.kind is not Kind.STRUCT and binding.get(p.type, p.type) not in TYPES:
                yield f"unknown type {p.type!r} of {p.name!r}"
            if p.passed and binding.get(p.passed, p.passed) not in TYPES:
                yield f"unknown type {p.passed!r}, as which C passes {p.name!r}"
        if set(binding) != variables:
            yield f"{dict(binding)} does not bind the variables {sorted(variables)}"
    for variable in sorted(variables - used - {made.prototype.returns}):
        yield f"no parameter has the type {variable!r}, which `types` binds"
    if len({tuple(sorted(binding.items())) for binding in made.bindings}) < len(made.bindings):
        yield "a type is listed twice"
    returns = made.prototype.returns
    if returns not in variables and returns not in TYPES:
        yield f"unknown type {returns!r} of the result"
    for variable, argument in made.type_arguments.items():
        if variable not in variables:
            yield f"type_arguments binds {variable!r}, which no type list mentions"
        if argument.argument not in {p.name for p in made.prototype.parameters if p.kind is Kind.VALUE}:
            yield f"type_arguments names {argument.argument!r}, which is no value of the prototype"
        for name in argument.elements.values():
            if name not in TYPES:
                yield f"type_arguments: unknown type {name!r}"
        bound = {binding[variable] for binding in made.bindings if variable in binding}
        for name in sorted(bound - set(argument.elements.values())):
            yield f"no value of {argument.argument!r} means {name!r}"


def _effect(made: Instruction) -> Iterator[str]:
    effect, kind = made.effect, type(made.effect).__name__
    memory = made.prototype.memory
    if isinstance(effect, WITH_SEMANTICS) and made.semantics is None:
        yield f"{kind} needs semantics"
    if not isinstance(effect, WITH_SEMANTICS) and made.semantics is not None:
        yield f"{kind} has no semantics of its own, and some is given"
    if isinstance(effect, Copy) and (len(made.written), len(made.read), len(memory)) != (1, 1, 2):
        yield "Copy has one written and one read operand"
    if isinstance(effect, Copy) and effect.cluster not in ("", *(p.name for p in made.prototype.parameters)):
        yield f"{effect.cluster!r}, which names a cluster, is no parameter"
    if isinstance(effect, Cache) and effect.action not in ("flush", "invalidate"):
        yield f"unknown cache action {effect.action!r}"
    if isinstance(effect, Barrier) and (
        effect.reach not in ("cluster", "union") or effect.members not in ("", "ipu", "mpu")
    ):
        yield f"unknown barrier {effect.scope!r}"
    if isinstance(effect, (Wait, Barrier)) and (memory or made.work):
        yield f"{kind} has neither operands nor work"
    if isinstance(effect, Signal) and [p.kind for p in made.prototype.parameters] != [Kind.VALUE] * 2:
        yield "Signal has two arguments, its number and a count"
    if made.overlap not in _OVERLAPS:
        yield f"overlap is {made.overlap!r}; there are {', '.join(_OVERLAPS)}"
    if made.overlap == "ascending" and any(p.kind is not Kind.PACKED or len(p.dims) > 1 for p in memory):
        yield "overlap in ascending order is one of packed operands"
    for fact in ("moves", "looks_up"):
        if (named := getattr(made, fact)) and named not in {p.name for p in made.read}:
            yield f"{fact} names {named!r}, which is no operand that is read"
    if made.counts and made.counts not in made.measured:
        yield f"counts names {made.counts!r}, which is not measured"
    if made.provenance not in (DOCUMENTED, INFERRED):
        yield f"provenance is {made.provenance!r}"
    if made.select is not None:
        wanted = {p.name for p in memory}
        if made.select.argument not in {p.name for p in made.prototype.parameters if p.kind is Kind.VALUE}:
            yield f"select names {made.select.argument!r}, which is no value of the prototype"
        for case in made.select.cases.values():
            if set(case.spaces) != wanted:
                yield f"case {case.label} gives spaces to {sorted(case.spaces)}, the operands are {sorted(wanted)}"


def _rules(made: Instruction) -> Iterator[str]:
    memory = {p.name for p in made.prototype.memory if not p.register}
    for rule in made.rules:
        if rule.provenance not in (DOCUMENTED, INFERRED):
            yield f"provenance of a rule is {rule.provenance!r}"
        if isinstance(rule, Align):
            if rule.multiple < 2 or rule.multiple & (rule.multiple - 1):
                yield f"Align({rule.multiple}) is no power of two above 1"
            if set(rule.operands) - memory or not memory:
                yield f"Align names {sorted(set(rule.operands) - memory)}, which are no operands in memory"


def _expressions(made: Instruction) -> Iterator[str]:
    """Every expression is well-formed and names what there is at its place."""
    parameters = made.prototype.parameters
    values = {p.name for p in parameters if not p.is_memory} | set(made.labels) | set(SHAPE_NAMES)
    sizes = {f"sizeof_{p.name}" for p in parameters if p.is_memory}
    addresses = {p.name for p in parameters if p.is_memory}
    places = {f"space_{p.name}" for p in parameters if p.is_memory and made.select}
    places |= {f"lane_{p.name}" for p in parameters if p.is_lanes}
    places |= {f"placed_{p.name}" for p in parameters if p.kind is Kind.VARIABLE}
    counts = {f"{what}_{p.name}" for p in parameters if p.is_memory for what in ("count", "bytes")}
    known = values | sizes | {f"order_{p.name}" for p in parameters if p.order}
    for name, text in made.let.items():
        yield from _unknown(f"let {name}", text, known)
        known = known | {name}
    extents = known | set(made.measured) | {f"lane_{p.name}" for p in parameters if p.is_lanes}
    for p in parameters:
        for dim in p.dims:
            for text in (dim.count, dim.stride):
                if text and not text.startswith("~"):
                    yield from _unknown(f"extent of {p.name}", text, extents)
        if p.kind is Kind.SCATTERED and p.dims[0].stride not in made.measured:
            yield f"the rows of {p.name!r} lie where no name of `measured` says"
        if p.defined:
            yield from _unknown(f"defined part of {p.name}", p.defined, known)
    for rule in made.rules:
        if isinstance(rule, Require):
            for text in filter(None, (rule.condition, rule.when)):
                yield from _unknown("rule", text, known | addresses | places)
    if made.work:
        yield from _unknown("work", made.work, known | counts)
    if made.adds:
        yield from _unknown("adds", made.adds, known | set(made.measured))
        if not any(p.reads and p.writes for p in parameters):
            yield "adds says when an inout operand is read, and there is none"


def _unknown(what: str, text: str, known: set[str]) -> Iterator[str]:
    if text in known:  # most are a name alone
        return
    try:
        missing = expression.names_of(text) - known
    except expression.ExpressionError as error:
        yield f"{what}: {error}"
        return
    if missing:
        yield f"{what} {text!r} names {', '.join(sorted(missing))}, which the prototype lacks"


def _semantics(made: Instruction) -> Iterator[str]:
    if isinstance(made.semantics, np.ufunc):
        inputs = [p for p in made.prototype.parameters if p.reads or typed_value(made, p)]
        if len(inputs) != made.semantics.nin or len(made.written) != 1:
            yield (
                f"{made.semantics.__name__} takes {made.semantics.nin} inputs and gives one output;"
                f" the prototype has {len(inputs)} and {len(made.written)}"
            )
        return
    assert made.semantics is not None
    wanted = _arguments(made.semantics)
    operands = {p.name for p in made.prototype.memory}
    known = {p.name for p in made.prototype.parameters} | set(made.let)
    known |= {f"{what}_{name}" for name in operands for what in ("count", "type")}
    known |= {f"held_{p.name}" for p in made.prototype.memory if p.reads and p.writes}
    if unknown := wanted - known:
        yield f"the semantics asks for {sorted(unknown)}, which the prototype lacks"
    for name, function in made.measured.items():
        if unknown := _arguments(function) - known:
            yield f"measured {name} asks for {sorted(unknown)}, which the prototype lacks"
    if not made.written and made.prototype.returns == "void":
        yield "nothing is written and nothing is returned"


def _arguments(function: Callable[..., Any]) -> set[str]:
    code = function.__code__
    return set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def typed_value(made: Instruction, p: Parameter) -> bool:
    """Whether a parameter is a value of one of the element types that the types bind."""
    return p.kind in (Kind.VALUE, Kind.BITS) and any(p.type in binding for binding in made.bindings)
