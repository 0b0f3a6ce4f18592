"""What blocks of threads leave in global memory for others: a fence is to stand before they say so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Program, Run

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "fences.cu"
BLOCKS, THREADS = 4, 8


def launched(program: Program, kernel: str, blocks: int = BLOCKS, **how: object) -> Run:
    flags = np.zeros(BLOCKS, np.int32)
    x, parts, out = np.arange(1, 33, dtype=np.float32), np.zeros(32, np.float32), np.zeros(8, np.float32)
    last = flags if kernel.startswith(("by_flags", "its_own")) else out
    return program.launch(kernel, blocks, args=[x, parts, last], block=THREADS, on_finding="collect", **how)


@pytest.mark.parametrize("kernel", ["by_ticket<0>", "by_ticket<2>", "by_ticket<3>", "all_store<0>"])
def test_no_fence_between_a_store_and_what_tells_of_it(program: Program, kernel: str) -> None:
    """A fence for the block alone is none, nor is one that comes after."""
    (found,) = launched(program, kernel).findings
    name = kernel.partition("<")[0]
    assert (found.rule, found.severity, found.location.line) == ("race", "warning", marked(name))
    assert found.message.startswith("thread (0,0,0) of block (3,0,0) loads byte ")
    assert "which block (0,0,0) stored before its last atomic" in found.message
    assert found.related is not None
    assert "parts[blockIdx.x" in Path(found.related.file).read_text().splitlines()[found.related.line - 1]


@pytest.mark.parametrize(("blocks", "found"), [(1, []), (2, ["warning"]), (3, ["warning"])])
def test_few_blocks(program: Program, blocks: int, found: list[str]) -> None:
    """The last one takes what all others have left, or the only other one."""
    assert [one.severity for one in launched(program, "by_ticket<0>", blocks).findings if one.rule == "race"] == found


def test_blocks_that_each_use_what_one_has_left(program: Program) -> None:
    (found,) = launched(program, "by_flags<0>").findings
    assert (found.rule, found.severity, found.location.line) == ("race", "advice", marked("by_flags"))
    assert found.count == BLOCKS - 1


@pytest.mark.parametrize("kernel", ["by_ticket<1>", "all_store<1>", "by_flags<1>", "by_atomics", "its_own"])
@pytest.mark.parametrize("orders", [0, 2])
def test_what_others_see(program: Program, kernel: str, orders: int) -> None:
    if kernel.startswith("by_flags") and orders:
        pytest.skip("its blocks wait for each other, in the order of their numbers")
    found = launched(program, kernel, orders=orders).findings
    assert [one for one in found if one.rule == "race"] == []


def marked(kernel: str) -> int:
    return line_of(SOURCE, rf"// \^ {kernel}$")
