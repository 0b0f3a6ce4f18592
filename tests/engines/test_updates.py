"""Updates of global memory by threads that nothing orders: a device may lose one of two."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import Program, Run

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "updates.cu"
BLOCKS, THREADS = 2, 64
#: What each kernel takes.
ARRAYS = {
    "histogram": [np.arange(128) % 10, np.zeros(10)],
    "sum": [np.ones(128, np.float32), np.zeros(1, np.float32)],
    "of_blocks": [np.ones(2), np.zeros(1)],
    "largest": [np.arange(128), np.zeros(1)],
    "of_the_module": [],
    "beside_atomics": [np.zeros(1)],
    "in_a_warp": [np.zeros(1)],
    "behind_volatile": [np.ones(128), np.zeros(1)],
    "in_place": [np.zeros(128)],
    "narrow": [np.zeros(128, np.uint8)],
    "with_atomics": [np.arange(128) % 10, np.zeros(10)],
    "by_barriers": [np.zeros(2)],
    "by_warps": [np.zeros(4)],
    "locked": [np.zeros(1), np.zeros(1)],
    "the_last_block": [np.zeros(2), np.zeros(1), np.zeros(1)],
    "turns": [np.zeros(1), np.zeros(1)],
    "flags": [np.zeros(2)],
    "by_one": [np.zeros(1), np.zeros(1)],
}
LOST = ["histogram", "sum", "of_blocks", "largest", "of_the_module", "beside_atomics", "in_a_warp", "behind_volatile"]


def launched(program: Program, kernel: str, **more: object) -> Run:
    arrays = [array if array.dtype != np.float64 else array.astype(np.int32) for array in ARRAYS[kernel]]
    arrays = [array.astype(np.int32) if array.dtype == np.int64 else array.copy() for array in arrays]
    return program.launch(kernel, BLOCKS, args=arrays, block=THREADS, on_finding="collect", **more)


@pytest.mark.parametrize("kernel", LOST)
def test_an_update_that_may_be_lost(program: Program, kernel: str) -> None:
    (found,) = launched(program, kernel).findings
    assert (found.rule, found.severity, found.location.line) == ("race", "error", line_of(SOURCE, rf"// \^ {kernel}$"))
    assert found.related is not None
    assert "atomic" in found.suggestion


def test_both_threads_are_named(program: Program) -> None:
    (found,) = launched(program, "of_blocks").findings
    assert "thread (0,0,0) of block (1,0,0) updates byte 0" in found.message
    assert "which thread (0,0,0) of block (0,0,0) has updated" in found.message
    assert found.count == 1


@pytest.mark.parametrize("kernel", sorted(ARRAYS.keys() - set(LOST)))
@pytest.mark.parametrize("orders", [0, 2])
def test_updates_that_are_ordered(program: Program, kernel: str, orders: int) -> None:
    if kernel == "turns" and orders:
        pytest.skip("its blocks wait for each other, in the order of their numbers")
    assert launched(program, kernel, orders=orders).findings == []


def test_one_block_of_one_thread(program: Program) -> None:
    assert program.launch("sum", 1, args=[np.ones(1, np.float32), np.zeros(1, np.float32)], block=1).findings == []


def test_nothing_is_left_of_the_launch_before(program: Program) -> None:
    counts = program.device.array(np.zeros(1, np.int32))
    for who in (0, THREADS):  # a thread of each block
        args = [np.array([who], np.int32), counts]
        assert program.launch("by_one", BLOCKS, args=args, block=THREADS, isolate=False).findings == []
