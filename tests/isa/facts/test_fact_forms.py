"""Exactly the forms of the table exist: names, types, architectures, and values of selecting arguments."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from mlusim.isa import DIALECTS
from mlusim.simulator import launch

from tests.isa import tpu as tpu_rows
from tests.isa.facts import bang_copy
from tests.isa.facts.boundary import unlike
from tests.isa.facts.call import typical
from tests.isa.facts.fact import SIZES, Fact, Form, boundaries
from tests.isa.facts.fact_table import FACTS
from tests.isa.facts.probe import ARCHS, MAIN, alone, declared, dialect_of, newest, plain_values, run
from tests.isa.facts.rows import of_rows

TYPES = [kind for kind in SIZES if kind != "any"]
_PREFIX = {"bang": "__", "tpu": "tpu_"}


@pytest.mark.parametrize("dialect", FACTS)
def test_every_form_has_one_row(dialect: str) -> None:
    there = {
        (entry.name, tuple(parameter.name for parameter in entry.prototype.parameters), entry.prototype.returns)
        for entry in DIALECTS[dialect].instructions
        if entry.name.startswith(_PREFIX[dialect])
    }
    families = tpu_rows.MESSAGES | tpu_rows.NAMES - {fact.name for fact in FACTS["tpu"]}
    there = {form for form in there if form[0] not in families}
    table = Counter((fact.name, fact.names, fact.returns) for fact in FACTS[dialect])
    assert [row for row, count in table.items() if count > 1] == []
    assert set(table) == there


@of_rows()
def check_architectures(forms: list[Form]) -> None:
    """Of every class, and beside every number in an architecture of the row, where these are not alike."""
    seen = set()
    for form in forms:
        if (form.binding.archs, form.binding.inferred) in seen:
            continue
        seen.add((form.binding.archs, form.binding.inferred))
        edges = boundaries(form.fact.archs) | boundaries(form.binding.archs)
        for arch in unlike(form, {*MAIN[dialect_of(form)], *edges}):
            wanted = [] if form.exists_on(arch) else [("arch", "")]
            assert run(typical(form, arch)).broken() == wanted, f"{form} on {arch}"


@of_rows()
def check_others_exist_as_their_neighbours_do(forms: list[Form]) -> None:
    for entry, pair in itertools.product(declared(forms[0]), itertools.pairwise(ARCHS[dialect_of(forms[0])])):
        before, after = ([form.exists_on(arch) for form in forms] for arch in pair)
        if before == after:
            rules = ([rule for rule in entry.rules_for(on) if getattr(rule, "rule", "") == "arch"] for on in pair)
            assert next(rules) == next(rules), f"{entry.name}: {pair}"
            assert (pair[0] in entry.archs) == (pair[1] in entry.archs), f"{entry.name}: {pair}"


def _is_typed(fact: Fact) -> bool:
    """Whether the types of its pointers choose the form."""
    return not fact.codes and any(operand.type != "any" and not operand.is_local for operand in fact.operands)


def _combinations(forms: list[Form]) -> Iterator[tuple[str, ...]]:
    """Types of the operands that no form has: one operand changed, or all that are of one variable."""
    operands = forms[0].fact.operands
    legal = {tuple(form.type_of(operand) for operand in operands) for form in forms}
    typed = [at for at, operand in enumerate(operands) if operand.type != "any"]
    kinds = dict.fromkeys(operands[at].type for at in typed)
    groups = [[at] for at in typed] + [[at for at in typed if operands[at].type == kind] for kind in kinds]
    tried = set()
    for base, group, kind in itertools.product(legal, groups, TYPES):
        changed = tuple(kind if at in group else old for at, old in enumerate(base))
        if changed not in legal and changed not in tried:
            tried.add(changed)
            yield changed


def _as_passed(form: Form) -> tuple[str, ...]:
    """The types of the pointers where C passes an operand as one to another type than it holds."""
    types, passed = form.binding.types, form.fact.passed
    return tuple(types[passed[o.name]] if o.name in passed else form.type_of(o) for o in form.fact.operands)


@of_rows(_is_typed)
def check_no_other_types(forms: list[Form]) -> None:
    fact, operands = forms[0].fact, forms[0].fact.operands
    call = typical(forms[0], newest(forms[0]))
    held = [tuple(form.type_of(operand) for operand in operands) for form in forms]
    legal = list(dict.fromkeys(held + [_as_passed(form) for form in forms if fact.passed]))
    accepted: list[tuple[str, ...]] = []

    def kernel(context: Any) -> None:
        values = plain_values(context, call)
        for kinds in dict.fromkeys((*legal, *_combinations(forms))):
            types = ("uint8" if kind == "any" else kind for kind in kinds)
            pointers = {o.name: context.vreg("int8", 256).cast(t) for o, t in zip(operands, types, strict=True)}
            try:
                getattr(context, fact.asm or fact.name)(*({**values, **pointers}[name] for name in fact.names))
            except TypeError:
                continue
            accepted.append(kinds)

    launch(kernel, device=alone(dialect_of(forms[0]), call.arch), on_finding="collect")
    assert accepted == legal


@of_rows(lambda fact: bool(fact.codes))
def check_no_other_type_codes(forms: list[Form]) -> None:
    for codes in forms[0].fact.codes:
        assert {form.binding.types[codes.variable] for form in forms} == set(codes.values)
        for code in set(range(-1, 64)) - set(codes.values.values()):
            call = typical(forms[0], newest(forms[0])).having(**{codes.argument: code})
            assert run(call).broken() == [("dtype", "")], str(call)


@of_rows(lambda fact: bool(fact.cases))
def check_no_other_cases(forms: list[Form]) -> None:
    labels = [form.case.label for form in forms if form.case]
    for other in (*(case.label for case in bang_copy.DIRECTIONS), -1, 24, 99):
        if other not in labels:
            call = typical(forms[0], newest(forms[0])).having(dir=other)
            assert run(call).broken() == [("argument", "")], str(call)
