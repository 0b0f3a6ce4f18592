"""Loads and stores of global memory by threads that nothing orders."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import Program, Run

from tests.support.paths import KERNELS_C

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "global_races.cu"
RACES = [
    "of_the_next", "of_the_one_before", "broadcast", "scratch", "between_blocks", "of_the_module", "across_warps",
]  # fmt: skip
NEAR_MISSES = [
    "with_a_barrier", "in_rounds", "in_warps", "its_own", "to_another", "the_same_flag", "asked_first",
    "the_last_block", "locked",
]  # fmt: skip


def launched(program: Program, kernel: str) -> Run:
    args = [np.arange(256, dtype=np.int32), np.zeros(256, np.int32)]
    return program.launch(kernel, 2, args=args, block=64, on_finding="collect")


def marked(kernel: str) -> int:
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"// ^ {kernel}"))


@pytest.mark.parametrize("kernel", RACES)
def test_a_load_and_a_store_in_no_order(program: Program, kernel: str) -> None:
    (found,) = launched(program, kernel).findings
    assert (found.rule, found.severity, found.location.line) == ("race", "error", marked(kernel))
    assert "nothing orders the two" in found.message


@pytest.mark.parametrize("kernel", NEAR_MISSES)
def test_threads_that_are_ordered(program: Program, kernel: str) -> None:
    assert launched(program, kernel).findings == []
