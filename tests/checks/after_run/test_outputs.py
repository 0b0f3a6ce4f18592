"""Work that is lost, and results that depend on the order of tasks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import launch

from tests.checks.after_run.launched import BYTES, N, device, rules, run, store, zeros


@pytest.mark.parametrize(
    ("mistake", "lost"),
    [("", None), ("tail", (9 * N, 24)), ("last", (10 * N - 41, 1)), ("core", (2 * N, N))],
)
def test_what_no_task_has_written(mistake: str, lost: tuple[int, int] | None) -> None:
    total = 9 * N + 24

    def kernel(m: Any, out: Any) -> None:
        if mistake == "core" and m.taskId == 2:
            return
        for begin in range(m.taskId * N, total, m.taskDim * N):
            count = min(N, total - begin)
            if count < N and mistake == "tail":
                break
            store(m, out + begin, 1.0, count - (mistake == "last" and count < N))

    found = run(kernel, zeros(total), tasks=4)
    assert rules(found) == ["unwritten"] * (lost is not None)
    if lost is not None:
        (finding,) = found.findings
        assert finding.severity == "warning"
        assert finding.region is not None
        assert (finding.region.offset, finding.region.bytes) == (4 * lost[0], 4 * lost[1])
        assert "of out" in finding.message


@pytest.mark.parametrize(("told", "lost"), [(0, 0), (1, 1)])
def test_a_list_whose_length_is_a_result(told: int, lost: int) -> None:
    """As of boxes that are kept; with another number it says nothing."""

    def kernel(m: Any, out: Any, count: Any, n: int) -> None:
        store(m, out, 1.0, n - 3)
        count[0] = n - 3 + told

    assert rules(run(kernel, zeros(N), np.zeros(1, np.int32), N)) == ["unwritten"] * lost


def test_arrays_that_are_no_outputs_beyond_doubt() -> None:
    """One that is read, one of which every second row is written, one that has much room behind."""

    def kernel(m: Any, updated: Any, rows: Any, room: Any) -> None:
        piece = m.nram("float", N)
        m.__memcpy(piece, updated, BYTES, m.GDRAM2NRAM)
        m.__memcpy(updated, piece, 8, m.NRAM2GDRAM)
        m.__memcpy(rows, piece, 16, m.NRAM2GDRAM, 32, 16, 3)
        m.__memcpy(room, piece, 8, m.NRAM2GDRAM)

    assert rules(run(kernel, zeros(N), zeros(32), zeros(N))) == []


@pytest.mark.parametrize(("together", "severity"), [(3, "advice"), (2, "advice"), (1, "warning")])
def test_what_a_copy_leaves_between_its_rows_is_padding(together: int, severity: str) -> None:
    """Rows of an element more than is written, several by a copy, or each by a copy of its own."""
    width, pitch = N - 1, N

    def kernel(m: Any, out: Any) -> None:
        piece = m.nram("float", 3 * N)
        m.__bang_write_value(piece, 3 * N, 1)
        for first in range(0, 3, together):
            count = min(together, 3 - first)
            target = out + first * pitch
            m.__memcpy(target, piece, width * 4, m.NRAM2GDRAM, pitch * 4, width * 4, count - 1)

    (found,) = run(kernel, zeros(3 * pitch).reshape(3, pitch)).findings
    assert (found.rule, found.severity) == ("unwritten", severity)


@pytest.mark.parametrize(
    ("total", "passed", "found"),
    [
        (4 * N + 8, [4 * N + 8], ["warning unwritten"]),
        (4 * N + 8, [9, 11, 6, 4], ["warning unwritten"]),  # rows, columns, channels, and another number
        (6 * N, [6 * N], ["advice unwritten"]),
        # near misses
        (4 * N + 8, [4 * N], []),
        (4 * N + 8, [], []),
        (4 * N, [4 * N], []),
    ],
)
def test_the_rest_of_an_array_in_place(total: int, passed: list[int], found: list[str]) -> None:
    """Four tiles of an array are doubled where they lie; numbers that are passed say how long it is."""

    def kernel(m: Any, x: Any, *numbers: int) -> None:
        piece = m.nram("float", N)
        for begin in range(0, 4 * N, N):
            m.__memcpy(piece, x + begin, BYTES, m.GDRAM2NRAM)
            m.__bang_add(piece, piece, piece, N)
            m.__memcpy(x + begin, piece, BYTES, m.NRAM2GDRAM)

    said = launch(kernel, args=[zeros(total), *passed], device=device(), on_finding="collect")
    assert [f"{f.severity} {f.rule}" for f in said.findings] == found


@pytest.mark.parametrize(
    ("first", "last", "passed", "found"),
    [
        (0, 4, 5, ["warning unwritten"]),
        (1, 5, 5, ["warning unwritten"]),
        # near misses
        (0, 5, 5, []),
        (0, 4, 4, ["advice unwritten"]),
        (0, 3, 5, []),
    ],
)
def test_a_loop_over_one_tile_too_few(first: int, last: int, passed: int, found: list[str]) -> None:
    """Of five tiles that a loop copies, as the number says that is passed."""

    def kernel(m: Any, out: Any, x: Any, tiles: int) -> None:
        piece = m.nram("float", N)
        for at in range(first, last):
            m.__memcpy(piece, x + at * N, BYTES, m.GDRAM2NRAM)
            m.__memcpy(out + at * N, piece, BYTES, m.NRAM2GDRAM)

    said = launch(kernel, args=[zeros(5 * N), zeros(5 * N), passed], device=device(), on_finding="collect")
    assert sorted(f"{f.severity} {f.rule}" for f in said.findings) == found


@pytest.mark.parametrize("looks", [False, True])
def test_rows_whose_number_depends_on_data_may_be_one_less(looks: bool) -> None:
    def kernel(m: Any, out: Any, x: Any, rows: int) -> None:
        piece, at = m.nram("float", N), 0
        for row in range(rows):
            m.__memcpy(piece, x + row * N, BYTES, m.GDRAM2NRAM)
            if (x[row * N] if looks else row) < 4:
                m.__memcpy(out + at * N, piece, BYTES, m.NRAM2GDRAM)
                at += 1

    x = zeros(5 * N)
    x[4 * N :] = 5
    said = launch(kernel, args=[zeros(5 * N), x, 5], device=device(), on_finding="collect")
    assert rules(said) == ([] if looks else ["unwritten"])


@pytest.mark.parametrize(
    ("skip", "hole", "severity"),
    [((), 0, None), ((2,), 4, "warning"), ((0,), 4, "warning"), ((1, 2, 3), 4, "advice"), ((2,), 36, None)],
)
def test_holes_of_an_output(skip: tuple[int, ...], hole: int, severity: str | None) -> None:
    """Pieces of 64 floats that begin too late: an element or two are holes, more may be meant."""

    def kernel(m: Any, out: Any) -> None:
        for number in range(5):
            late = hole // 4 if number in skip else 0
            store(m, out + number * N + late, 1.0, N - late)

    found = run(kernel, zeros(5 * N)).findings
    assert [finding.severity for finding in found] == [severity] * (severity is not None)
    for finding in found:
        assert finding.rule == "unwritten"
        assert finding.region is not None
        assert finding.region.offset == skip[0] * BYTES
        assert f"writes {hole * len(skip)} of the {5 * BYTES} bytes of out" in finding.message


@pytest.mark.parametrize(
    ("mistake", "lost"),
    [("", None), ("tail", (9 * N, 24)), ("hole", (2 * N, 1)), ("core", (2 * N, 7 * N + 24)), ("half", (2 * N, N // 2))],
)
def test_what_no_task_has_read(mistake: str, lost: tuple[int, int] | None) -> None:
    total = 9 * N + 24

    def kernel(m: Any, source: Any, out: Any) -> None:
        piece = m.nram("float", N)
        out[m.taskId] = 1.0
        if mistake == "core" and m.taskId == 2:
            return
        for begin in range(m.taskId * N, total, m.taskDim * N):
            count = min(N, total - begin)
            late = (1 if mistake == "hole" else N // 2 if mistake == "half" else 0) if begin == 2 * N else 0
            if not (count < N and mistake == "tail"):
                m.__memcpy(piece, source + begin + late, 4 * (count - late), m.GDRAM2NRAM)

    found = [f for f in run(kernel, zeros(total), zeros(4), tasks=4).findings if f.rule != "unused"]
    assert [(f.rule, f.severity) for f in found] == [("unread", "advice")] * (lost is not None)
    for finding in found:
        assert lost is not None
        assert finding.region is not None
        assert (finding.region.offset, finding.region.bytes) == (4 * lost[0], 4 * lost[1])


@pytest.mark.parametrize("read_only", [True, False])
def test_an_untouched_input(read_only: bool) -> None:
    """It is one where the host's array is read-only."""
    source = zeros(N)
    source.flags.writeable = not read_only
    found = run(lambda m, source, out: store(m, out, 1.0), source, zeros(N)).findings
    assert [(f.rule, f.severity) for f in found] == [("unread", "advice")] * read_only


@pytest.mark.parametrize(("idle", "unread"), [(4, []), (1, [N]), (3, [3 * N])])
def test_tasks_that_have_not_come_leave_their_part_unread(idle: int, unread: list[int]) -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        piece = m.nram("float", N)
        if m.taskId != idle:
            m.__memcpy(piece, source + m.taskId * N, BYTES, m.GDRAM2NRAM)
            m.__bang_atomic_reduce_add(out, piece, N)

    found = [f for f in run(kernel, zeros(4 * N), zeros(N), tasks=4).findings if f.rule == "unread"]
    assert [f.region.offset // 4 for f in found if f.region] == unread


@pytest.mark.parametrize("written", ["half", "whole", "pieces", "back", "filled", "half, then used", "past the end"])
def test_tiles_that_are_changed_in_part(written: str) -> None:
    """In place on half of what was loaded, and then all of it is used."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        piece = m.nram("float", 2 * N)
        m.__memcpy(piece, source, BYTES, m.GDRAM2NRAM)
        m.__memcpy(piece + N, source, BYTES, m.GDRAM2NRAM)
        if written == "filled":
            m.__bang_write_value(piece, N, 0.0)
        counts = {"whole": [N], "pieces": [N // 2, N // 2], "past the end": [N + N // 2]}.get(written, [N // 2])
        at = 0
        for count in counts:
            m.__bang_mul_scalar(piece + at, piece + at, 2.0, count)
            at += count
        if written in ("half, then used", "past the end"):
            m.__bang_add(piece, piece, piece, 2 * N)
        m.__memcpy(source if written == "back" else out, piece, BYTES, m.NRAM2GDRAM)

    found = [finding for finding in run(kernel, zeros(N), zeros(N)).findings if finding.rule == "partial"]
    assert len(found) == (written in ("half", "half, then used", "past the end"))
    if found:
        rest = BYTES + BYTES // 2 if written == "past the end" else BYTES // 2
        assert found[0].region is not None
        assert (found[0].region.offset, found[0].region.bytes) == (rest, BYTES // 2)
        assert found[0].instruction == ("__memcpy" if written == "half" else "__bang_add")


@pytest.mark.parametrize(
    ("count", "at", "how", "found"),
    [
        (N // 2, 0, "loaded", ""), (N // 2, N // 2, "loaded", ""), (N, 0, "loaded", "unused"),
        (N // 4, 0, "loaded", ""), (N // 2, 0, "filled", ""), (N // 4, 0, "in place", ""),
        (N - 24, 0, "in place", ""), (N - 32, 0, "in place", "partial"), (N - 1, 1, "in place", ""),
        (N - 1, 0, "in place", "partial"),
    ],
)  # fmt: skip
def test_tiles_of_which_a_part_is_new(count: int, at: int, how: str, found: str) -> None:
    """Halves of a tile of two lines: rows that are loaded anew are meant.

    A quarter is a short tile, 24 elements fill a line, one begins a recurrence. One at the end has been forgotten.
    """

    def kernel(m: Any, source: Any, out: Any) -> None:
        piece = m.nram("float", N)
        m.__memcpy(piece, source, BYTES, m.GDRAM2NRAM)
        if how == "loaded":
            m.__memcpy(piece + at, source, 4 * count, m.GDRAM2NRAM)
        elif how == "filled":
            m.__bang_write_value(piece + at, count, 0.0)
        else:
            m.__bang_mul_scalar(piece + at, piece + at, 2.0, count)
        m.__bang_add(piece, piece, piece, N)
        m.__memcpy(out, piece, BYTES, m.NRAM2GDRAM)

    assert [f.rule for f in run(kernel, zeros(N), zeros(N)).findings] == [found] * bool(found)


@pytest.mark.parametrize(("used", "count", "found"), [(129, 256, 0), (128, 256, 1), (129, 224, 1), (161, 224, 0)])
def test_padding_of_a_line_or_of_as_many_elements(used: int, count: int, found: int) -> None:
    """A product of `count` elements, of which `used` are new then: rounded up to 32, to 128, or too short."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        one, two = m.nram("float", count), m.nram("float", count)
        m.__memcpy(two, source, 4 * count, m.GDRAM2NRAM)
        m.__bang_mul(one, two, two, count)
        m.__memcpy(one, source, 4 * used, m.GDRAM2NRAM)
        m.__bang_mul(one, one, two, count)
        m.__memcpy(out, one, 4 * used, m.NRAM2GDRAM)

    assert rules(run(kernel, zeros(count), zeros(used))).count("partial") == found


@pytest.mark.parametrize(("other", "found"), [("half", []), ("whole", ["partial"]), ("shorter", ["partial"])])
def test_a_line_of_which_half_is_padding(other: str, found: list[str]) -> None:
    """Of two factors of a line both have the half, or one alone; the rest of the first one is of an earlier product."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        one, two = m.nram("float", 32), m.nram("float", 32)
        m.__bang_write_value(two, 32, 1.0)
        m.__memcpy(two, source, {"half": 64, "whole": 128, "shorter": 32}[other], m.GDRAM2NRAM)
        m.__bang_mul(one, two, two, 32)
        m.__memcpy(one, source, 64, m.GDRAM2NRAM)
        m.__bang_mul(one, two, one, 32)
        m.__memcpy(out, one, 64, m.NRAM2GDRAM)

    assert [f.rule for f in run(kernel, zeros(32), zeros(16)).findings if f.rule == "partial"] == found


def test_a_result_that_depends_on_the_order_of_tasks() -> None:
    def kernel(m: Any, out: Any, mine: Any) -> None:
        m.__bang_atomic_reduce_exch(out, float(m.taskId))
        mine[m.taskId] = 1.0

    out, mine = zeros(1), zeros(4)
    found = run(kernel, out, mine, tasks=4, orders=4)
    assert rules(found) == ["order-dependent"]
    assert found.findings[0].operand == "out"
    assert (out.tolist(), mine.tolist()) == ([3.0], [1.0] * 4)  # those of the usual order
    assert rules(run(kernel, out, mine, tasks=4)) == []
    assert rules(run(kernel, out, mine, tasks=1, orders=4)) == []


def test_effects_come_early_in_other_orders() -> None:
    """What a missing wait leaves to luck: late here, and early in some order; the hazard is found in any case."""

    def kernel(m: Any, out: Any, source: Any) -> None:
        piece = m.nram("float", N)
        m.__bang_write_value(piece, N, 7.0)
        m.__sync()
        m.__memcpy_async(piece, source, BYTES, m.GDRAM2NRAM)
        seen.append(piece[0])
        m.__sync()
        m.__memcpy(out, piece, BYTES, m.NRAM2GDRAM)

    seen: list[float] = []
    source = zeros(N)
    source.flags.writeable = False
    assert rules(run(kernel, zeros(N), source)) == ["order"]
    assert seen == [7.0]
    quiet = device().checked("fast")
    seen.clear()
    launch(kernel, (1, 1, 1), args=[zeros(N), source], device=quiet, orders=8)
    assert seen[0] == 7.0
    assert set(seen) == {0.0, 7.0}


@pytest.mark.parametrize("orders", [-1, 1.5, True, 10**6])
def test_orders_are_a_whole_number(orders: Any) -> None:
    with pytest.raises(ValueError, match="orders is"):
        run(lambda m: None, orders=orders)


@pytest.mark.parametrize("passed", [True, False])
def test_an_array_with_room_behind_the_elements_that_the_launch_passes(passed: bool) -> None:
    total = 9 * N + 24

    def kernel(m: Any, out: Any, *_: int) -> None:
        for begin in range(0, total, N):
            store(m, out + begin, 1.0, min(N, total - begin))

    found = launch(kernel, (1, 1, 1), "block", [zeros(total + 10), *[total] * passed], device=device())
    assert rules(found) == ["unwritten"] * (not passed)
