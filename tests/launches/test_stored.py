"""Words of shared memory that no thread loads, and blocks that store only what others store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Program, load

from tests.support.devices import device
from tests.support.sources import line_of

SOURCE = Path(__file__).with_name("stored.cu")
#: (severity, rule, line, how the message begins)
Said = list[tuple[str, str, int, str]]


@pytest.fixture(scope="module")
def program() -> Program:
    return load([SOURCE], device=device("cuda-sm80"))


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).random(shape, np.float32)


def found(program: Program, kernel: str, blocks: int, threads: Any, *args: Any, **how: Any) -> Said:
    """What is said of such words, and of blocks."""
    how = how or {"vary": True}
    run = program.launch(kernel, blocks, args=args, block=threads, on_finding="collect", **how)
    return [
        (one.severity, one.rule, one.location.line, one.message.partition(" that ")[0])
        for one in run.findings
        if one.rule in ("unused", "race")
    ]


def marked(word: str) -> int:
    return line_of(SOURCE, f"// {word}$")


def test_words_of_shared_memory_that_no_thread_loads(program: Program) -> None:
    def by_four(picked: int, blocks: int = 4, **how: Any) -> Said:
        return found(program, f"by_four<{picked}>", blocks, 64, zeros(blocks, 64), numbers(blocks, 64), **how)

    said = ("warning", "unused", marked("part"), "16 of the 64 words of shared memory")
    assert by_four(1) == [said]
    assert by_four(2) == []
    assert by_four(1, 1) == []  # that one block does so may be a matter of its data
    assert by_four(1, isolate=True) == []  # without further runs no more is asked


def test_a_word_for_each_lane_of_a_warp(program: Program) -> None:
    """There may be fewer warps; where more than half are loaded, the others should be, too."""

    def totals(picked: int) -> Said:
        return found(program, f"totals<{picked}>", 4, 64, zeros(4, 64), numbers(4, 64))

    assert totals(0) == []
    assert totals(2) == [("warning", "unused", marked("totals"), "16 of the 32 words of shared memory")]


@pytest.mark.parametrize("blocks", [1, 4])
def test_words_that_are_there_for_others(program: Program, blocks: int) -> None:
    """Padding, the rest of a reduction, corners, and a table that data looks up."""
    assert found(program, "padded", blocks, 64, zeros(blocks, 48), numbers(blocks, 48)) == []
    assert found(program, "repeated", blocks, (32, 2), zeros(2 * blocks, 24), numbers(2 * blocks, 24)) == []
    assert found(program, "summed_by_warps", blocks, 64, zeros(blocks), numbers(blocks, 64)) == []
    which = np.random.default_rng(5).integers(64, size=blocks * 64).astype(np.int32)
    assert found(program, "looked_up", blocks, 64, zeros(blocks, 64), numbers(64), which) == []
    width = 8 * blocks
    assert found(program, "kept", blocks, 128, zeros(blocks, 64), numbers(blocks, 128)) == []
    assert found(program, "cross", blocks, (8, 8), zeros(8, width), numbers(16, width + 8)) == []


def test_blocks_that_store_what_others_store(program: Program) -> None:
    def doubled(blocks: int) -> Said:
        return found(program, f"doubled<{blocks}>", 4, 64, zeros(4, 64), numbers(4, 64))

    assert [one[:3] for one in doubled(2)] == [("warning", "race", marked("blocks"))]
    assert doubled(2)[0][3].startswith("all 4 blocks store nothing, in out and elsewhere,")
    assert doubled(4) == []
    there = np.zeros(1, np.int32)
    assert found(program, "moved_back", 4, 64, zeros(200), there, numbers(200), 200) == []


def test_blocks_that_each_do_all_of_it(program: Program) -> None:
    """A kernel that is written for one block leaves what it should on several, too; where something is missing, not."""

    def doubled(count: int, blocks: int = 4) -> Said:
        return found(program, "by_one_block", blocks, 64, zeros(256), numbers(256), count)

    assert [one[:3] for one in doubled(256)] == [("advice", "race", marked("all"))]
    assert [one[:3] for one in doubled(64)] == [("warning", "race", marked("all"))]
    assert doubled(256, 1) == []
