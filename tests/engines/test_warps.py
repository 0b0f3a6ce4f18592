"""Functions of the threads of a warp: what they give, and what they break."""

import numpy as np
import pytest
from mlusim.simulator import Program, Run

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "warps.cu"


def marked(word: str) -> int:
    """The line of the source that a comment marks."""
    return line_of(SOURCE, f"// line: {word}$")


def launched(program: Program, kernel: str, block: int, *args, dim: int = 1) -> Run:
    """A launch without any finding."""
    run = program.launch(kernel, dim, args=args, block=block)
    assert run.findings == []
    return run


def broken(program: Program, kernel: str, block: int, *args) -> list[tuple[str, int]]:
    """Rule and line of everything that a launch finds."""
    run = program.launch(kernel, 1, args=args, block=block, on_finding="collect")
    return [(finding.rule, finding.location.line) for finding in run.findings]


@pytest.mark.parametrize("orders", [0, 2])
def test_a_sum_of_blocks(program, orders):
    numbers = np.arange(2000, dtype=np.float32)
    out = np.zeros(3, np.float32)
    run = program.launch("block_sum", 3, args=[out, numbers, numbers.size], block=256, orders=orders)
    assert run.findings == []
    owner = np.arange(2000) // 256 % 3
    assert out.tolist() == [numbers[owner == block].sum() for block in range(3)]


@pytest.mark.parametrize("width", [32, 16, 8, 2])
def test_shuffles(program, width):
    out = np.zeros((64, 4), np.int32)
    launched(program, "shuffles", 64, out, width)
    for t, row in enumerate(out.tolist()):
        lane, warp = t % 32, t // 32 * 32
        first, last = lane // width * width, lane // width * width + width - 1
        expected = [
            first + 5 % width,
            lane - 3 if lane - 3 >= first else lane,
            lane + 3 if lane + 3 <= last else lane,
            lane ^ 9 if lane ^ 9 <= last else lane,
        ]
        assert row == [100 + warp + source for source in expected]


def test_types(program):
    given = [np.arange(32, dtype=dtype) for dtype in ("float64", "uint64", "float16", "int16")]
    pairs = np.arange(64, dtype=np.float16)
    arrays = [*given[:3], pairs, given[3]]
    launched(program, "types", 32, *arrays)
    other = np.arange(32) ^ 1
    assert all((array == other).all() for array in given)
    assert (pairs.reshape(32, 2) == np.arange(64).reshape(32, 2)[other]).all()


def test_votes(program):
    given = np.array([3, 0, 1, 5, 3, 1, 0, 2] * 4, np.int32)
    out = np.zeros((32, 10), np.uint32)
    launched(program, "votes", 32, out, given)

    def mask(condition) -> int:
        return sum(1 << t for t in range(32) if condition(given[t]))

    above = mask(lambda v: v > 2)
    for t, row in enumerate(out.tolist()):
        same = mask(lambda v, mine=given[t]: v == mine)
        active = above  # and the complement of the others' complement
        assert row == [above, 1, 1, same, 0, 0, given.sum(), 0, 5, active]


def test_all_match(program):
    out = np.zeros((32, 10), np.uint32)
    launched(program, "votes", 32, out, np.full(32, 7, np.int32))
    assert out[:, 4:6].tolist() == [[0xFFFFFFFF, 1]] * 32


@pytest.mark.parametrize("n", [32, 27])
def test_parts_of_a_warp_and_threads_that_have_ended(program, n):
    out = np.zeros(32, np.int32)
    launched(program, "halves", 32, out, n)
    assert out.tolist() == [sum(range(16))] * 16 + [n - 1] * (n - 16) + [0] * (32 - n)


def test_a_fence_of_a_warp_orders_its_shared_memory(program):
    out = np.zeros(1, np.float32)
    launched(program, "tree", 64, out, np.arange(64, dtype=np.float32), 1)
    assert out[0] == sum(range(64))
    assert broken(program, "tree", 64, out, np.arange(64, dtype=np.float32), 0)[0] == ("race", marked("stored"))


def test_atomics_before_a_fence(program):
    out = np.zeros(32, np.int32)
    launched(program, "counted", 32, out)
    assert out.tolist() == [32] * 32


def test_a_fence_of_a_warp_orders_no_other_warp(program):
    assert broken(program, "between_warps", 64, np.zeros(64, np.int32)) == [("race", marked("crossed"))]
    assert broken(program, "between_warps", 32, np.zeros(64, np.int32)) == [("uninitialized", marked("crossed"))]


def test_the_way_out_of_a_race_in_one_warp_is_also_a_fence_of_it(program):
    given = [np.zeros(1, np.float32), np.zeros(64, np.float32), 0]
    first = program.launch("tree", 1, args=given, block=64, on_finding="collect").findings[0]
    assert first.suggestion.startswith("call __syncthreads() between them, or __syncwarp() if both are in one warp")
    (found,) = program.launch(
        "between_warps", 1, args=[np.zeros(64, np.int32)], block=64, on_finding="collect"
    ).findings
    assert found.suggestion.startswith("call __syncthreads() between them, or give")


def test_a_thread_of_the_mask_waits_elsewhere(program):
    run = program.launch("divergent", 1, args=[np.zeros(32, np.int32)], block=32, on_finding="collect")
    (found,) = run.findings
    assert (found.rule, found.location.line, found.related.line) == ("barrier", marked("half"), marked("others"))
    assert "thread (16,0,0) of block (0,0,0), which the mask 0xffffffff names" in found.message


def test_a_mask_without_the_thread_itself(program):
    assert broken(program, "left_out", 8, np.zeros(32, np.int32)) == []
    assert broken(program, "left_out", 9, np.zeros(32, np.int32)) == [("barrier", marked("left out"))]


def test_the_value_of_a_thread_that_has_ended(program):
    out = np.zeros(1, np.float32)
    launched(program, "gone", 32, out, 32)
    assert out[0] == 32
    assert broken(program, "gone", 32, out, 20)[0][0] == "uninitialized"
    assert np.isnan(out[0])
    assert broken(program, "gone", 16, out, 32)[0][0] == "uninitialized"
