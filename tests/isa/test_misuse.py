"""Misuse of instructions, made from their declarations: a rule broken alone is one finding, a legal call is none.

One instruction of each shape is tried: that what is declared is checked. What each has to declare is in the tables of
facts, whose tests try all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from mlusim.isa import Overload, Parameter, Require, names_of

from tests.isa.calls import BANG, BUFFER, MIDDLE, Call, Place, breaking, legal_calls, run

ARCHS = (270, 372, 592)
#: Their smallest legal operands do not fit the buffers; the table of facts has their rules, and those of instructions
#: whose operands lie where contents say.
TOO_LARGE = {
    "__bang_reshape_filter", "__bang_transpose", "__bang_rotate90", "__bang_rotate180", "__bang_rotate270",
    "__bang_reshape_nhwc2nchw", "__bang_reshape_nchw2nhwc", "__bang_pad", "__bang_conv",
    "__bang_conv_partial", "__bang_conv_tf32", "__bang_mlp",
}  # fmt: skip


def shape(name: str) -> frozenset[object]:
    """What its declarations are made of, but for names and numbers: operands, kinds of rules, overlap, effect."""
    return frozenset(
        (
            tuple(
                (p.kind, p.reads, p.writes, p.clobbered, p.register, p.order, p.space or e.space, len(p.dims),
                 any(dim.stride for dim in p.dims))
                for p in e.prototype.parameters
            ),
            frozenset((type(rule), getattr(rule, "rule", "alignment")) for rule in e.rules),
            e.overlap, type(e.effect), e.select is None, all(arch in e.archs for arch in ARCHS),
        )
        for e in BANG.named(name)
    )  # fmt: skip


ELIGIBLE = sorted({entry.name for entry in BANG.instructions if entry.written and not entry.measured} - TOO_LARGE)
NAMES = sorted({shape(name): name for name in reversed(ELIGIBLE)}.values())

each = pytest.mark.parametrize("name", NAMES)


def overloads(name: str, arch: int) -> list[Overload]:
    """The overloads of a name on an architecture, one for all types of a size: rules know no more of a type."""
    found = (o for o in BANG.overloads if o.name == name and o.instruction.written and arch in o.instruction.archs)
    kinds = {(id(o.instruction), *(o.element(p).size for p in o.parameters)): o for o in found}
    return list(kinds.values())


def newest(name: str) -> list[tuple[Overload, int]]:
    """The overloads of a name, each with the newest architecture that has it: some rules depend on none."""
    found = {id(overload): (overload, arch) for arch in ARCHS for overload in overloads(name, arch)}
    return list(found.values())


def operands(overload: Overload) -> list[Parameter]:
    """The operands that lie in an addressable memory."""
    return [p for p in overload.parameters if p.is_memory and not p.register]


def written(overload: Overload) -> tuple[str, ...]:
    """The operands that may change."""
    return tuple(p.name for p in overload.parameters if p.writes)


def expect(call: Call, rule: str, operand: str = "", effect: tuple[str, ...] = (), shown: Iterable[str] = ()) -> None:
    """Exactly one finding, of this rule and operand; nothing changes but, if it still ran, the operands ``effect``.

    It tells the values of the arguments ``shown``.
    """
    outcome = run(call)
    what = f"{call.overload.name}<{call.overload.dtypes}> {dict(call.scalars)} {dict(call.places)}"
    assert [(f.rule, f.instruction, f.operand) for f in outcome.findings] == [(rule, call.overload.name, operand)], what
    assert outcome.changed(call, *effect) == [], what
    for name in shown:
        assert re.search(rf"\b{name} = {call.scalars[name]}\b", outcome.findings[0].message), what


def expect_silence(call: Call) -> None:
    outcome = run(call)
    what = f"{call.overload.name}<{call.overload.dtypes}> {dict(call.scalars)}"
    updates = any(
        p.reads and p.writes for p in call.overload.parameters
    )  # inputs are zero: an update may change nothing
    assert outcome.findings == [], what
    assert outcome.changed(call, *written(call.overload)) == [], what
    assert updates or outcome.before != outcome.after, f"{what} had no effect"


def everywhere(name: str) -> list[tuple[Overload, int]]:
    """The overloads of a name on each architecture."""
    return [(overload, arch) for arch in ARCHS for overload in overloads(name, arch)]


@each
def test_a_legal_call_is_silent(name: str) -> None:
    for overload, arch in everywhere(name):
        for call in legal_calls(overload, arch):
            expect_silence(call)


@each
def test_each_declared_rule_is_checked(name: str) -> None:
    for overload, arch in everywhere(name):
        calls = legal_calls(overload, arch)
        for rule in overload.instruction.rules_for(arch):
            faults = [(call, fault) for call in calls for fault in breaking(call, rule)]
            assert faults, f"nothing breaks {rule} of {name} alone"
            for call, fault in faults[:2] if isinstance(rule, Require) else faults:
                moved = [p for p in call.places if fault.places[p] != call.places[p]]
                if isinstance(rule, Require):
                    named = [p.name for p in operands(overload) if p.name in names_of(rule.condition)]
                    operand = named[0] if rule.rule == "alignment" and len(named) == 1 else ""
                    changed = [name for name in call.scalars if fault.scalars[name] != call.scalars[name]]
                    expect(fault, rule.rule, operand, effect=written(overload), shown=changed)
                else:
                    expect(fault, "alignment", moved[0], effect=written(overload))


def _step(overload: Overload, arch: int, target: Parameter, source: Parameter) -> int:
    """The smallest shift (bytes) that keeps both operands aligned."""
    sizes = [overload.element(target).size, overload.element(source).size]
    aligns = [getattr(rule, "multiple", 0) for rule in overload.instruction.rules_for(arch)]
    return max(*sizes, *aligns)


@each
def test_overlap(name: str) -> None:
    for overload, arch in newest(name):
        kind = overload.instruction.overlap
        memory = [p for p in overload.parameters if p.is_memory]
        for call in legal_calls(overload, arch):
            for target in (p for p in memory if p.writes and not p.clobbered):
                for source in (p for p in memory if p.reads):
                    if target is source or call.places[target.name].space != call.places[source.name].space:
                        continue
                    coincide = call.at(target.name, MIDDLE, buffer=source.name)
                    shifted = call.at(target.name, MIDDLE + _step(overload, arch, target, source), buffer=source.name)
                    ahead = kind == "ascending" and call.span(target.name) <= call.span(source.name)
                    for variant, legal in ((coincide, kind in ("same", "any") or ahead), (shifted, kind == "any")):
                        if legal:
                            assert run(variant).findings == [], f"{name}<{overload.dtypes}>"
                        else:
                            expect(variant, "overlap", target.name, effect=written(overload))


@each
def test_wrong_memory_end_of_memory_and_null(name: str) -> None:
    """What lies inside of bounds is carried out; else there is no effect."""
    for overload, arch in newest(name):
        for call in legal_calls(overload, arch)[:1]:
            for operand in operands(overload):
                place = call.places[operand.name]
                other = "nram" if place.space == "gdram" else "gdram"
                expect(
                    replace(call, places={**call.places, operand.name: replace(place, space=other)}),
                    "space",
                    operand.name,
                )
                beyond = call.at(operand.name, BUFFER - call.span(operand.name) + 64)
                expect(beyond, "bounds", operand.name, effect=written(overload))
                expect(
                    replace(call, places={**call.places, operand.name: Place("", 0, place.space)}),
                    "bounds",
                    operand.name,
                )


@pytest.mark.parametrize("name", sorted({o.name for o in BANG.overloads if o.instruction.select and o.name in NAMES}))
def test_every_case_checks_both_memories(name: str) -> None:
    for overload, arch in newest(name):
        for call in legal_calls(overload, arch):
            for operand in operands(overload):
                place = call.places[operand.name]
                other = "nram" if place.space != "nram" else "sram"
                expect(
                    replace(call, places={**call.places, operand.name: replace(place, space=other)}),
                    "space",
                    operand.name,
                )
        assert overload.instruction.select
        expect(replace(call, scalars={**call.scalars, overload.instruction.select.argument: 99}), "argument")


@pytest.mark.parametrize("arch", ARCHS)
def test_an_instruction_of_another_architecture(arch: int) -> None:
    missing = {id(o.instruction): o for o in BANG.overloads if o.name in NAMES and arch not in o.instruction.archs}
    assert missing
    for overload in missing.values():
        for call in legal_calls(overload, arch):
            expect(call, "arch", effect=written(overload))
