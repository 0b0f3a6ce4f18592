"""Rows, parts of rows and columns that blocks of threads leave out or take twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Program

CHIP = "cuda-sm80"
SOURCE = Path(__file__).with_name("left_out.cu")


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(2).uniform(1, 2, shape).astype(np.float32)


def said(program: Program, kernel: str, blocks: Any, threads: int, *args: Any) -> list[tuple[str, str, str]]:
    run = program.launch(kernel, blocks, args=args, block=threads, on_finding="collect", orders=1)
    return [(one.severity, one.rule, one.message.partition(" of the ")[0].partition(",")[0]) for one in run.findings]


def test_blocks_that_do_the_same_work(program: Program) -> None:
    """Other results are those of two blocks as well: of the rows that a list names twice."""
    rows = np.array([3, 0, 2, 2, 1], np.int32)

    def found(slip: int) -> list[tuple[str, str, str]]:
        return said(program, f"added_rows<{slip}>", (3, 2), 16, numbers(4, 16), numbers(5, 16), rows, 5, 16)

    assert found(0) == []
    assert found(1) == [("warning", "race", "block 3 loads the same elements as block 2")]


def test_blocks_that_copy_the_last_row_again(program: Program) -> None:
    assert said(program, "copied_rows", 7, 16, numbers(5, 16), numbers(5, 16), 5, 16) == []


def test_blocks_that_find_nothing_to_do(program: Program) -> None:
    next_row = np.zeros(1, np.int32)
    assert said(program, "by_turns", 8, 16, numbers(6, 16), numbers(6, 16), next_row, 6, 16) == []


@pytest.mark.parametrize(("slip", "found"), [(0, []), (1, [("advice", "unread", "no task reads 540")])])
def test_a_part_of_each_row(program: Program, slip: int, found: list[tuple[str, str, str]]) -> None:
    """Nothing is said of what lies between rows."""
    args = numbers(5, 50), numbers(5, 90), 5, 21, 50, 90
    assert said(program, f"gates<{slip}>", 5, 8, *args) == found


@pytest.mark.parametrize(("slip", "found"), [(0, []), (1, [("warning", "unwritten")])])
def test_columns_between_blocks(program: Program, slip: int, found: list[tuple[str, str]]) -> None:
    """A border on all sides is meant, and columns inside of it are not."""
    args = numbers(12, 50), numbers(12, 50), 12, 50
    assert [one[:2] for one in said(program, f"inside<{slip}>", (3, 10), 16, *args)] == found


@pytest.mark.parametrize(("slip", "found"), [(0, []), (1, [("warning", "unread")])])
def test_rows_as_long_as_a_block_has_threads(program: Program, slip: int, found: list[tuple[str, str]]) -> None:
    args = numbers(4, 25), numbers(4, 25), numbers(4, 25), 4
    assert [one[:2] for one in said(program, f"weighted<{slip}>", 4, 25, *args)] == found
