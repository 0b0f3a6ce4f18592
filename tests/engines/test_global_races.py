"""Loads and stores of global memory by threads that nothing orders."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import KernelError, Program, Run

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "global_races.cu"
RACES = [
    "of_the_next", "of_the_one_before", "broadcast", "scratch", "between_blocks", "of_the_module", "across_warps",
    "updated_beside", "updated_before",
]  # fmt: skip
NEAR_MISSES = [
    "with_a_barrier", "in_rounds", "in_warps", "its_own", "to_another", "the_same_flag", "asked_first",
    "the_last_block", "locked",
]  # fmt: skip


def launched(program: Program, kernel: str, on_finding: str = "collect") -> Run:
    args = [np.arange(256, dtype=np.int32), np.zeros(256, np.int32)]
    return program.launch(kernel, 2, args=args, block=64, on_finding=on_finding)


@pytest.mark.parametrize("kernel", RACES)
def test_a_load_and_a_store_in_no_order(program: Program, kernel: str) -> None:
    (found,) = launched(program, kernel).findings
    assert (found.rule, found.severity, found.location.line) == ("race", "error", line_of(SOURCE, rf"// \^ {kernel}$"))
    assert "nothing orders the two" in found.message


@pytest.mark.parametrize("kernel", NEAR_MISSES)
def test_threads_that_are_ordered(program: Program, kernel: str) -> None:
    assert launched(program, kernel).findings == []


def test_what_would_order_them(program: Program) -> None:
    """A barrier for threads of one block, and for nothing else."""

    def fix(kernel: str) -> str:
        return launched(program, kernel).findings[0].suggestion

    assert "__syncwarp() as both are in one warp" in fix("broadcast")
    assert "__syncthreads()" in fix("across_warps")
    assert "__syncwarp()" not in fix("across_warps")
    assert "no barrier orders blocks" in fix("between_blocks")


def test_it_is_an_error_of_the_launch(program: Program) -> None:
    with pytest.raises(KernelError, match="nothing orders the two"):
        launched(program, "scratch", "raise")
    launched(program, "the_same_flag", "raise")
