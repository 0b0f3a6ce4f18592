"""What is asked of the rows of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.isa.facts.fact import Fact, Form


@dataclass(frozen=True)
class Question:
    """What is asked of the forms of each row that is ``wanted``: it raises where the simulator answers otherwise."""

    ask: Callable[[list[Form]], None]
    wanted: Callable[[Fact], bool]

    def wrong(self, fact: Fact) -> list[Exception]:
        """What it raises of a row, noted with its name."""
        try:
            if self.wanted(fact):
                self.ask(list(fact.forms))
        except Exception as error:
            error.add_note(f"asked by {self.ask.__module__}.{self.ask.__name__}")
            return [error]
        return []


def of_rows(wanted: Callable[[Fact], bool] = lambda fact: True) -> Callable[[Callable[[list[Form]], None]], Question]:
    """Make a question of a function."""
    return lambda ask: Question(ask, wanted)
