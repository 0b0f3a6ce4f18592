"""Every limit of every row: silent up to it, exactly one finding beyond it, on the architectures that have it."""

from __future__ import annotations

import pytest
from boundary import architectures, broken, by_size, probes
from disputes import rows
from fact import Form, Limit
from probe import run, verdict

#: Rules that a row states limits of; the others follow from the simulated memory.
STATED = ("alignment", "argument", "lane", "length")


@pytest.mark.parametrize("forms", rows("limits"))
def test_limits(forms: list[Form]) -> None:
    seen: list[tuple[Limit, ...]] = []
    for form in (form for form, is_known in by_size(forms) if not is_known):
        edges = form.limits not in seen
        seen.append(form.limits)
        for arch in architectures(form, edges):
            calls = probes(form, arch)
            legal = [call for call in calls if not broken(call)]
            assert legal, f"{form} on {arch}: the table has no legal call"
            assert run(*legal).broken() == [], verdict(legal)
            for call in calls:
                for limit in broken(call):
                    outcome = run(call)
                    assert outcome.broken() in [[(limit.rule, operand)] for operand in limit.operands], str(call)
                    found = next(f for f in outcome.findings if f.rule == limit.rule)
                    said = found.limit
                    assert limit.number in said, f"{call}: the limit is {limit.number}, the finding says {said!r}"
                    if limit.rule in STATED:
                        known = "inferred" if limit.inferred else "documented"
                        assert found.provenance == known, f"{call}: {said!r} is {known}, not {found.provenance}"
