"""Where the simulator does not do what a row says, and the references support the row.

Each entry is tested and expected to fail; once the simulator agrees, the test says so, and the entry goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.isa.facts.fact import Fact, Form
from tests.isa.facts.fact_table import ALL


@dataclass(frozen=True)
class Dispute:
    """Forms whose ``aspects`` (names of tests) differ from the row."""

    name: str
    aspects: str
    reason: str
    concerns: Callable[[Form], bool]
    whole_row: bool = False  # the test looks at all forms of the row together


DISPUTES: tuple[Dispute, ...] = ()


def rows(aspect: str, wanted: Callable[[Fact], bool] = lambda fact: True) -> list[Any]:
    """Parameters of a test: every wanted row with its forms; disputed forms apart, where failing is expected."""
    parameters = []
    for fact in filter(wanted, ALL):
        agreed = list(fact.forms)
        for dispute in DISPUTES:
            if dispute.name == fact.name and aspect in dispute.aspects.split():
                disputed = [form for form in agreed if dispute.concerns(form)]
                agreed = [form for form in agreed if form not in disputed]
                groups = [disputed] if dispute.whole_row and disputed else [[form] for form in disputed]
                expected = pytest.mark.xfail(reason=dispute.reason, strict=True)
                parameters += [pytest.param(group, id=f"{group[0]}-disputed", marks=expected) for group in groups]
        if agreed:
            parameters.append(pytest.param(agreed, id=str(fact)))
    return parameters
