"""Memory that threads take from the heap of a device: lists, what a whole block shares, what lasts, what is out."""

import numpy as np
import pytest
from mlusim.simulator import KernelError, Program

from tests.support.paths import KERNELS_C

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "heap.cu"


@pytest.mark.parametrize("isolate", [True, False])
def test_lists_of_each_thread(program: Program, isolate: bool) -> None:
    sums = np.zeros(96, np.int32)
    run = program.launch("lists", 3, args=[sums, 5], block=32, isolate=isolate)
    assert run.findings == []
    assert sums.tolist() == [5 * i + 10 for i in range(96)]


def test_what_is_not_given_back_lasts(program: Program) -> None:
    kept, sums = np.zeros(4, np.uint64), np.zeros(4, np.float32)
    program.launch("take", 1, args=[kept, 10], block=4)
    assert kept.all()
    assert program.launch("give_back", 1, args=[sums, kept, 10], block=4).findings == []
    assert sums.tolist() == [1000 * i + 45 for i in range(4)]
    with pytest.raises(KernelError) as caught:  # it has been given back
        program.launch("give_back", 1, args=[sums, kept, 10], block=4)
    assert caught.value.finding.rule == "bounds"


def test_a_block_for_all_threads_of_a_block(program: Program) -> None:
    out = np.zeros(64, np.int32)
    assert program.launch("shared_by_a_block", 2, args=[out], block=32, orders=1).findings == []
    assert out.tolist() == [*range(32, 0, -1)] * 2


def test_zeros_and_room_that_grows(program: Program) -> None:
    out = np.full(2, 7, np.int32)
    program.launch("grows", 1, args=[out, 1000], block=1)
    assert out.tolist() == [0, 999]
    program.launch("too_much", 1, args=[out], block=1)
    assert out.tolist() == [1, 1]


def test_names_of_the_runtime_and_a_shared_pointer(program: Program) -> None:
    out = np.full(35, -1, np.int32)
    assert program.launch("by_the_runtime", 1, args=[out, 32], block=32).findings == []
    assert out.tolist() == [*range(31, -1, -1), 0, 1, 0]


@pytest.mark.parametrize("kernel", ["behind", "given_back"])
def test_what_is_outside_of_a_block(program: Program, kernel: str) -> None:
    out = np.zeros(1, np.int32)
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, 1, args=[out, 1000], block=1)
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    found = caught.value.finding
    assert (found.rule, lines[found.location.line - 1].partition("// ^ ")[2]) == ("bounds", kernel)
