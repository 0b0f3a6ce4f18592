"""Cooperative groups of CUDA: what their threads are told, what they give each other, and what they break."""

import numpy as np
import pytest
from mlusim.simulator import Program, Run

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "groups.cu"


def marked(word: str) -> int:
    """The line of the source that a comment marks."""
    return line_of(SOURCE, f"// line: {word}$")


def launched(program: Program, kernel: str, block: object, *args, dim: int = 1, **options) -> Run:
    """A launch without any finding."""
    run = program.launch(kernel, dim, args=args, block=block, **options)
    assert run.findings == []
    return run


def broken(program: Program, kernel: str, block: int, *args) -> list:
    """Everything that a launch finds."""
    return program.launch(kernel, 1, args=args, block=block, on_finding="collect").findings


def test_numbers(program):
    out = np.zeros((2 * 96, 16), np.uint32)
    launched(program, "numbers", (48, 2), out, dim=2)
    for thread, row in enumerate(out.tolist()):
        block, t = divmod(thread, 96)
        warp = [t % 32, t // 32, 3]
        tile = [t % 8, 8, t % 32 // 8, 4]
        assert row == [t, 96, block, t // 48, *warp, *tile, t % 8, 8, 192, block, 48]


def test_what_the_threads_of_a_tile_give_each_other(program):
    given = np.array([3, 9, 1, 5, 3, 1, 8, 2, 16, 20, 17, 19, 16, 21, 18, 30], np.int32)
    out = np.zeros((16, 12), np.int32)
    launched(program, "exchanged", 16, out, given)

    def mask(tile, condition) -> int:
        return sum(1 << rank for rank in range(8) if condition(tile[rank]))

    for t, row in enumerate(out.tolist()):
        tile, r = given[t // 8 * 8 : t // 8 * 8 + 8].tolist(), t % 8
        votes = [mask(tile, lambda v: v > 4), max(tile) > 8, 1]
        odd = mask(tile, lambda v, mine=tile[r]: v % 2 == mine % 2)
        joined = [sum(tile), max(tile), np.bitwise_xor.reduce(tile)]
        moved = [tile[3], tile[max(r - 2, r % 2 if r < 2 else 0)], tile[r + 2 if r < 6 else r], tile[r ^ 5]]
        assert row == [*moved, *votes, odd, 255, *joined]


def test_sums_up_to_a_thread(program):
    given = np.array([3, -9, 1, 5, -3, 1, 8, -2, 6, 2, 7, -9, 6, 1, 8, 3], np.int32)
    out = np.zeros((16, 4), np.int32)
    launched(program, "scanned", 16, out, given)
    for t, row in enumerate(out.tolist()):
        tile, r = given[t // 8 * 8 : t // 8 * 8 + 8].tolist(), t % 8
        before = sum(v for v in tile[:r] if (v > 0) == (tile[r] > 0))
        assert row == [sum(tile[: r + 1]), sum(tile[:r]), max(tile[: r + 1]), before]


def test_votes_at_a_barrier(program):
    given = (np.random.default_rng(1).random((9, 40)) < 0.5).astype(np.int32) * 7
    given[3], given[5] = 0, 2
    out = np.zeros((9, 40, 3), np.int32)
    launched(program, "voted", 40, out, given, 9)
    assert out.tolist() == [[[np.count_nonzero(row), row.all(), row.any()]] * 40 for row in given]


def test_values_of_more_than_eight_bytes(program):
    given = np.sin(np.arange(32.0) + 4)
    value, at = np.zeros(1), np.zeros(1, np.int32)
    launched(program, "best", 32, value, at, given)
    assert (value[0], at[0]) == (given.max(), given.argmax())


def test_threads_that_come_together(program):
    given = np.array([2, -1, 3, 2, -1, 5, 3, 2] * 4, np.int32)
    out = np.zeros((32, 6), np.int32)
    launched(program, "sent", 32, out, given)
    here = np.flatnonzero(given >= 0)
    for t, row in enumerate(out.tolist()):
        if given[t] < 0:
            assert row == [0] * 6
            continue
        same = here[given[here] == given[t]].tolist()
        odd = here[given[here] % 2 == given[t] % 2]
        assert row == [len(here), here[1], same.index(t), sum(same), len(odd), odd[0]]


@pytest.mark.parametrize(("kind", "part"), [(0, 64), (1, 16), (2, 16)])
def test_any_group_orders_the_shared_memory_of_its_threads(program, kind, part):
    out = np.zeros(64, np.int32)
    launched(program, "in_shared", 64, out, kind, shared=256)
    assert out[::part].tolist() == np.arange(64).reshape(-1, part).sum(1).tolist()


def test_threads_of_a_warp_may_store_the_same_value(program):
    given, out = np.arange(64, dtype=np.float32), np.zeros(2, np.float32)
    launched(program, "alike", 64, out, given, -1)
    assert out.tolist() == given.reshape(2, 32).sum(1).tolist()
    for thread in (33, 63):  # also the last one
        (found,) = broken(program, "alike", 64, out, given, thread)
        assert (found.rule, found.location.line, found.related.line) == ("race", *[marked("alike")] * 2)


def test_hints_for_the_caches(program):
    out = np.zeros(32, np.float32)
    launched(program, "hints", 32, out, np.arange(32, dtype=np.float32))
    assert out.tolist() == (4 * np.arange(32)).tolist()


def test_a_part_of_a_tile_does_not_come(program):
    (found,) = broken(program, "half_a_tile", 32, np.zeros(32, np.int32))
    assert (found.rule, found.location.line, found.related.line) == (
        "barrier",
        marked("half a tile"),
        marked("the block"),
    )
    assert "which the mask 0xffff names" in found.message


def test_two_places_of_a_block(program):
    (found,) = broken(program, "half_a_block", 64, np.zeros(64, np.int32))
    assert (found.rule, found.location.line, found.related.line) == (
        "barrier",
        marked("first half"),
        marked("second half"),
    )


def test_a_block_that_is_no_multiple_of_the_tile(program):
    out = np.zeros(48, np.int32)
    assert broken(program, "uneven", 32, out) == []
    assert {(f.rule, f.location.line) for f in broken(program, "uneven", 48, out)} == {
        ("uninitialized", marked("uneven"))
    }


@pytest.mark.parametrize(
    ("which", "name"),
    [
        (0, "grid_group::sync"),
        (1, "tiled_partition of more than 32 threads"),
        (2, "tiled_partition of more than 32 threads"),
    ],
)
def test_what_is_not_modelled_says_so(program, which, name):
    found = broken(program, "not_modelled", 64, np.zeros(64, np.int32), which)[0]
    assert (found.rule, found.message) == ("not-modelled", f"{name} is known but not modelled yet")
