"""Waits that have something to wait for in another launch alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import load

from tests.support.devices import device
from tests.support.sources import line_of

SOURCE = Path(__file__).with_name("rounds.mlu")


def redundant(**repeats: Any) -> list[int]:
    """The lines of waits that are said to be redundant, of a launch of four tasks with a round each."""
    program = load([SOURCE], device=device("mlu370-x4"))
    run = program.launch("rounds", (4, 1, 1), args=[np.ones((4, 256), np.float32), 4], **repeats)
    return [one.location.line for one in run.advice if one.rule == "redundant-sync"]


def test_a_wait_that_another_number_of_tasks_needs() -> None:
    line = line_of(SOURCE, "// before$")
    assert redundant() == [line]
    assert redundant(resplit=8) == [line]  # none of which has two rounds
    assert redundant(resplit=2) == []
