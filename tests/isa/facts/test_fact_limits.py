"""Every limit of every row: silent up to it, exactly one finding beyond it, on the architectures that have it."""

from __future__ import annotations

import itertools

from mlusim.simulator import Finding

from tests.isa.facts.boundary import Broken, architectures, by_size, probes
from tests.isa.facts.call import Call
from tests.isa.facts.fact import Form, Limit
from tests.isa.facts.probe import ARCHS, declared, dialect_of, expect, in_force
from tests.isa.facts.rows import of_rows

#: Rules that a row states limits of; the others follow from the simulated memory.
STATED = ("alignment", "argument", "lane", "length")


@of_rows()
def check_limits(forms: list[Form]) -> None:
    seen: list[tuple[Limit, ...]] = []
    for form in (form for form, is_known in by_size(forms) if not is_known):
        edges = form.limits not in seen
        seen.append(form.limits)
        for arch in architectures(form, edges):
            tried = probes(form, arch)
            assert not all(limits for _, limits in tried), f"{form} on {arch}: the table has no legal call"
            found = expect([(call, _findings(limits)) for call, limits in tried])
            for (call, limits), findings in zip(tried, found, strict=True):
                for limit in limits:
                    _check_text(call, limit, next(f for f in findings if f.rule == limit.rule))


def _findings(limits: list[Broken]) -> list[list[tuple[str, str]]]:
    """What may be found of a call that breaks one limit, or none."""
    return [[(limit.rule, operand)] for limit in limits for operand in limit.operands] or [[]]


def _check_text(call: Call, limit: Broken, found: Finding) -> None:
    """The finding says what the limit is, and where that is known from."""
    said = found.limit
    assert limit.number in said, f"{call}: the limit is {limit.number}, the finding says {said!r}"
    if limit.rule in STATED:
        known = "inferred" if limit.inferred else "documented"
        assert found.provenance == known, f"{call}: {said!r} is {known}, not {found.provenance}"


@of_rows()
def check_rules_change_between_the_architectures_that_the_row_names(forms: list[Form]) -> None:
    """`check_limits` tries them on some architectures; on all others they are those of a neighbour."""
    for entry in declared(forms[0]):
        known = [arch for arch in ARCHS[dialect_of(forms[0])] if arch in entry.archs]
        for pair in itertools.pairwise(known):
            before, after = ([limit for f in forms for limit in f.limits if in_force(limit, on)] for on in pair)
            if before == after:  # types that only some have are `check_architectures`' part
                found = ([rule for rule in entry.rules_for(on) if getattr(rule, "rule", "") != "arch"] for on in pair)
                assert next(found) == next(found), f"{entry.name}: {pair}"
