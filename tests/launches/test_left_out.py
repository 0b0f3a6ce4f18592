"""Elements that a launch writes, and leaves out in another split, or the other way round."""

from __future__ import annotations

from typing import Any

import pytest

from tests.launches.added import N, add, even, launched

BINS = 4


def rounded_down(m: Any, out: Any, source: Any, n: int) -> None:
    """What the division leaves over is left out: nothing with 4 tasks, one element with 3."""
    each = n // m.taskDim
    add(m, out, source, m.taskId * each, each)


def four_apart(m: Any, out: Any, source: Any, n: int) -> None:
    """Tiles that are handed out as if there were always four tasks."""
    for begin in range(m.taskId * 50, n, 4 * 50):
        add(m, out, source, begin, 50)


def of_its_tile(m: Any, out: Any, source: Any, n: int) -> None:
    """A result of its own tile for each task."""
    add(m, out, source, m.taskId * 100, 100)


def of_its_part(m: Any, out: Any, source: Any, n: int) -> None:
    """A header, and behind it a result for each task, apart from the others; it reads what the split gives it."""
    each = -(-n // m.taskDim)
    tile = m.nram("float", N)
    m.__memcpy(tile, source + m.taskId * each, min(each, n - m.taskId * each) * 4, m.GDRAM2NRAM)
    if m.taskId == 0:
        m.__memcpy(out, tile, 4, m.NRAM2GDRAM)
    m.__memcpy(out + 8 + 64 * m.taskId, tile, 4, m.NRAM2GDRAM)


def in_bins(m: Any, out: Any, source: Any, n: int) -> None:
    """Results for each task, those of one kind side by side."""
    for bin in range(BINS):
        out[bin * m.taskDim + m.taskId] = 1.0


def of_a_pair(m: Any, out: Any, source: Any, n: int) -> None:
    """A result for each pair of tasks."""
    if m.taskId % 2 == 0:
        out[m.taskId // 2] = 1.0


def left_out(kernel: Any, tasks: int, *others: Any) -> list[str]:
    resplit = others[0] if others == ("few",) else others
    return [f"{one.severity}: {one.message}" for one in launched(kernel, tasks, resplit=resplit)[0].findings]


@pytest.mark.parametrize(
    ("kernel", "tasks", "other", "said"),
    [
        (rounded_down, 4, 3, "1 of the 1000 elements of out, the first out[999], is written with 4 tasks and not with"),
        (rounded_down, 8, 7, "6 of the 1000 elements of out, the first out[994], are written with 8 tasks and not"),
        (four_apart, 4, 2, "400 of the 1000 elements of out, the first out[100], are written with 4 tasks and not"),
    ],
)
def test_what_only_the_launch_itself_writes_is_missing_in_the_other(
    kernel: Any, tasks: int, other: int, said: str
) -> None:
    (found,) = left_out(kernel, tasks, other)
    assert found.startswith(f"error: {said}")


@pytest.mark.parametrize("other", [1, 4])
def test_what_only_the_other_writes_is_missing_in_the_launch_itself(other: int) -> None:
    """The launch itself warns of the hole at its end, too."""
    said = [one for one in left_out(rounded_down, 3, other) if one.startswith("error")]
    assert len(said) == 1
    assert said[0].startswith("error: 1 of the 1000 elements of out, the first out[999], is written with")
    assert said[0].endswith("and not with 3 tasks")


def test_it_names_the_instruction_that_writes_it() -> None:
    (found,) = launched(rounded_down, resplit=3)[0].findings
    assert (found.rule, found.operand, found.instruction, found.task) == ("split-dependent", "out", "__memcpy", 3)
    assert found.location is not None
    assert found.region is not None
    assert found.region.bytes == 4


@pytest.mark.parametrize(("tasks", "others"), [(4, (1, 2, 3, 7)), (1, (2, 3, 8)), (7, (1, 4))])
def test_a_kernel_that_writes_all_in_any_split_lacks_nothing(tasks: int, others: tuple[int, ...]) -> None:
    assert left_out(even, tasks, *others) == []


@pytest.mark.parametrize("kernel", [of_its_tile, of_its_part, in_bins, of_a_pair])
@pytest.mark.parametrize("others", [(1, 2, 6), ("few",)])
def test_results_for_each_task_end_earlier_with_fewer(kernel: Any, others: tuple[Any, ...]) -> None:
    """Their values may be others, which is not what this is about."""
    assert [one for one in left_out(kernel, 4, *others) if " written with " in one] == []


def test_a_number_that_was_not_asked_for_may_not_be_what_the_kernel_is_written_for() -> None:
    (found,) = left_out(rounded_down, 4, "few")
    assert found.startswith("advice: 1 of the 1000 elements of out, the first out[999], is written with 4 tasks")
    assert left_out(four_apart, 4, "few") == []
