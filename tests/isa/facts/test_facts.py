"""Every row of the table: the modules beside this one state what is asked of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.isa.facts import (
    test_fact_effects,
    test_fact_forms,
    test_fact_limits,
    test_fact_places,
    test_fact_precision,
    test_fact_records,
    test_fact_values,
)
from tests.isa.facts.fact import Fact
from tests.isa.facts.fact_table import ALL
from tests.isa.facts.rows import Question

MODULES = (
    test_fact_forms, test_fact_limits, test_fact_places, test_fact_records, test_fact_effects, test_fact_precision,
    test_fact_values,
)  # fmt: skip
QUESTIONS = [each for module in MODULES for each in vars(module).values() if isinstance(each, Question)]


@pytest.mark.parametrize("fact", ALL, ids=str)
def test_row(fact: Fact) -> None:
    """All in one test: there are thousands, and pytest takes longer for a test than most of them do."""
    wrong = [error for question in QUESTIONS for error in question.wrong(fact)]
    if wrong:
        raise ExceptionGroup(str(fact), wrong)


def test_a_row_that_does_not_hold_says_what_was_asked() -> None:
    fact = next(fact for fact in ALL if fact.name == "__bang_add")
    with pytest.raises(ExceptionGroup) as caught:
        test_row(replace(fact, archs=">=592", work="7"))
    asked = {note for error in caught.value.exceptions for note in error.__notes__}
    assert {note.rpartition(".")[2] for note in asked} == {"check_architectures", "check_records"}
