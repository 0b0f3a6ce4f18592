"""Tiles that are taken beside where they begin or end, and results that reach into the next one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import BYTES, N, rules, run, zeros

ROW = 40  # elements of rows that are no whole lines


def load(m: Any, source: Any, count: int, tile: Any = None) -> Any:
    """A tile of so many elements."""
    tile = m.nram("float", N) if tile is None else tile
    m.__memcpy(tile, source, 4 * count, m.GDRAM2NRAM)
    return tile


def found(kernel: Any, source: int = 4 * N, out: int = N) -> list[tuple[str, str, int]]:
    """Rule, severity and bytes of the findings but advice on loads."""
    what = run(kernel, zeros(source), zeros(out)).findings
    return [(f.rule, f.severity, f.region.bytes if f.region else 0) for f in what]


@pytest.mark.parametrize("late", [0, 1, 31, 32])
@pytest.mark.parametrize("made", ["loaded", "filled", "rounded up"])
def test_a_tile_that_begins_late(late: int, made: str) -> None:
    """Before it lies what is left of an older one, less than a line; what is taken is reduced."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, sums = m.nram("float", 2 * N), m.nram("float", N)
        load(m, source, 2 * N, tile)
        m.__bang_sumpool(sums, tile, 1, 1, 2 * N, 1, 2 * N, 1, 1)
        if made == "filled":
            m.__bang_write_value(tile + late, N, 1.0)
        else:
            m.__memcpy(tile + late, source, 4 * (ROW if made == "rounded up" else N), m.GDRAM2NRAM)
        m.__bang_sumpool(sums + 1, tile, 1, 1, N, 1, N, 1, 1)
        m.__memcpy(out, sums, 8, m.NRAM2GDRAM)

    # rounded up, 24 elements and those before are no tile of this one's line
    wanted = [("shifted", "advice", 4 * late)] if 0 < late < 32 else []
    assert [f for f in found(kernel, out=2) if f[0] == "shifted"] == wanted


@pytest.mark.parametrize("before", ["a tile of its own", "nothing"])
def test_what_lies_before_a_tile(before: str) -> None:
    """A header, made as such, belongs to what is taken; uninitialized bytes do not."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, sums = m.nram("float", 2 * N), m.nram("float", 2 * N)
        if before == "a tile of its own":
            m.__bang_write_value(tile, 1, 1.0)
        load(m, source, N, tile + 1)
        m.__bang_mul_scalar(sums, tile, 2.0, N)
        m.__bang_mul_scalar(sums, tile, 2.0, N + 1)
        m.__memcpy(out, sums, BYTES + 4, m.NRAM2GDRAM)

    assert ("uninitialized" in [rule for rule, *_ in found(kernel, out=N + 1)]) == (before == "nothing")


@pytest.mark.parametrize(
    ("first", "count", "also", "lost"),
    [
        (0, ROW, None, 0), (1, ROW - 1, None, 4), (0, ROW - 1, None, 4), (1, ROW - 1, 0, 0), (3, ROW - 3, None, 0),
        (0, ROW - 3, None, 0), (0, ROW // 2, None, 80),
    ],
)  # fmt: skip
def test_an_unused_end(first: int, count: int, also: int | None, lost: int) -> None:
    """An element or two, or half of a tile; three may be meant. What is taken elsewhere is taken."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        made = m.nram("float", N)
        for _ in range(2):
            m.__bang_mul_scalar(made, load(m, source, ROW), 2.0, ROW)
            m.__memcpy(out, made + first, 4 * count, m.NRAM2GDRAM)
        if also is not None:
            m.__memcpy(out, made + also, 4, m.NRAM2GDRAM)

    assert found(kernel, out=count) == [("shifted", "advice", lost)] * (lost > 0)


def test_the_end_of_a_tile_of_whole_lines_is_padding() -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        made = m.nram("float", N)
        m.__bang_mul_scalar(made, load(m, source, N), 2.0, N)
        m.__memcpy(out, made, BYTES - 4, m.NRAM2GDRAM)

    assert found(kernel, out=N - 1) == []


@pytest.mark.parametrize(
    ("loaded", "count", "lost"),
    [(True, N // 2, BYTES // 2), (True, N, 0), (True, N // 4, 0), (True, N - 8, 0), (False, N // 2, 0)],
)
def test_half_of_whole_lines_that_are_loaded(loaded: bool, count: int, lost: int) -> None:
    """Nobody loads twice as much as is stored; what is computed may be a whole tile, and less of it needed."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        piece = m.nram("float", N)
        for _ in range(2):
            tile = load(m, source, N)
            if not loaded:
                m.__bang_mul_scalar(piece, tile, 2.0, N)
            m.__memcpy(out, tile if loaded else piece, 4 * count, m.NRAM2GDRAM)

    assert found(kernel, out=count) == [("shifted", "advice", lost)] * (lost > 0)


@pytest.mark.parametrize(("hole", "wide"), [(None, 1), (3, 1), (3, 3)])
def test_a_hole_between_tiles_that_are_stored(hole: int | None, wide: int) -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        tiles, loaded = m.nram("float", 512), load(m, source, 9)
        m.__bang_write_value(tiles, 512, 0.0)
        for number in range(16):
            late = 0 if hole is None or number < hole else wide
            m.__bang_mul_scalar(tiles + 9 * number + late, loaded, 2.0, 9)
        m.__memcpy(out, tiles, 16 * 36, m.NRAM2GDRAM)

    seen = [f for f in found(kernel, out=144) if f[2] == 4 * wide]
    assert seen == [("shifted", "advice", 4)] * (hole is not None and wide == 1)


@pytest.mark.parametrize("late", [0, 1, 3])
def test_pieces_that_are_stored_from_an_element_on(late: int) -> None:
    """The first of them is left out, and as much is taken behind the last one."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        places = m.nram("float", N)
        m.__bang_write_value(places, N, 0.0)
        for number in range(ROW):
            places[number] = number
        m.__memcpy(out, places + late, 4 * ROW, m.NRAM2GDRAM)

    assert found(kernel, out=ROW) == [("shifted", "advice", 4)] * (late == 1)


@pytest.mark.parametrize(("count", "over"), [(12, 0), (32 + 12, 0), (64, 0), (64 + 12, 48)])
def test_a_count_that_is_large_enough_for_the_next_tile_and_more(count: int, over: int) -> None:
    """Two tiles of 12 elements, 32 apart: a row of both, and of whole rows, may be meant."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tiles, made = m.nram("float", 4 * N), m.nram("float", 4 * N)
        load(m, source, 12, tiles)
        m.__memcpy(tiles + 32, source, 48, m.GDRAM2NRAM)
        m.__bang_mul_scalar(tiles, tiles, 2.0, count)
        m.__bang_add(made, tiles, tiles + 32, 12)
        m.__memcpy(out, made, 48, m.NRAM2GDRAM)

    seen = [f for f in found(kernel, out=12) if f[0] == "overrun"]
    assert seen == [("overrun", "advice", over)] * (over > 0)


@pytest.mark.parametrize("how", ["in place", "made"])
@pytest.mark.parametrize(("count", "lost"), [(N, 0), (N + 16, 64), (2 * N, 0)])
def test_a_result_that_ends_in_the_next_tile(how: str, count: int, lost: int) -> None:
    """All of both tiles may be meant; a part of the next one is not."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tiles, other, made = m.nram("float", 2 * N), m.nram("float", 2 * N), m.nram("float", N)
        for tile in (tiles, other):
            load(m, source, N, tile)
            load(m, source + N, N, tile + N)
        m.__bang_mul_scalar(tiles, tiles if how == "in place" else other, 2.0, count)
        m.__bang_add(made, tiles, other, N)
        m.__bang_add(made, made, other + N, N)
        m.__bang_add(made, made, tiles + N, N)
        m.__memcpy(out, made, BYTES, m.NRAM2GDRAM)

    seen = [f for f in run(kernel, zeros(2 * N), zeros(N)).findings if f.rule == "overrun"]
    wrong = [f.region.bytes for f in seen if f.region and f.instruction == "__bang_add"]
    assert wrong == [lost] * (lost > 0)


def test_pieces_that_are_rounded_up_may_reach_into_what_comes_next() -> None:
    """The line that makes a tile of pieces makes the last one as long as the others; what was there has been taken."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tiles, piece, made = m.nram("float", 2 * N), load(m, source, 32), m.nram("float", N)
        load(m, source, N, tiles + 48)
        for number in range(2):
            m.__bang_mul_scalar(tiles + 32 * number, piece, 2.0, 32)
        m.__bang_add(made, tiles, tiles + 48, 48)
        m.__memcpy(out, made, 192, m.NRAM2GDRAM)

    assert "overrun" not in [rule for rule, *_ in found(kernel, out=48)]


@pytest.mark.parametrize(("count", "beyond"), [(ROW, 0), (ROW + 16, 64), (ROW + N, 0)])
@pytest.mark.parametrize("lines", [1, 2])
def test_what_is_taken_ends_in_the_next_tile(count: int, beyond: int, lines: int) -> None:
    """Rows that one line has loaded are one tile of rows: a part of them may be taken."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tiles, made = m.nram("float", 4 * N), m.nram("float", 4 * N)
        if lines == 1:
            for at, size in ((0, ROW), (ROW, N)):
                m.__memcpy(tiles + at, source, 4 * size, m.GDRAM2NRAM)
        else:
            load(m, source, ROW, tiles)
            m.__memcpy(tiles + ROW, source, BYTES, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, tiles, 2.0, count)
        m.__bang_add(made + 2 * N, tiles + ROW, tiles + ROW, N)
        m.__memcpy(out, made, 4 * count, m.NRAM2GDRAM)

    seen = [f for f in found(kernel, out=count) if f[0] == "overrun"]
    assert seen == [("overrun", "advice", beyond)] * (lines == 2 and beyond > 0)


@pytest.mark.parametrize(
    ("row", "beside", "lines", "rows", "wanted"),
    [
        (ROW, 0, 2, 3, 0), (ROW, 1, 2, 3, 1), (ROW, -1, 2, 3, 1), (ROW, ROW // 2, 2, 3, 0), (4, 1, 2, 3, 0),
        (ROW, 1, 1, 3, 0), (ROW, 1, 2, 2, 0),
    ],
)  # fmt: skip
def test_rows_of_the_device_beside_the_others(row: int, beside: int, lines: int, rows: int, wanted: int) -> None:
    """Of gathered rows all that one line takes begin an element off. Short rows may be structures, two are no grid."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, made = m.nram("float", N), m.nram("float", N)
        for number in (5, 2, 3)[-rows:]:
            if lines == 2:
                m.__memcpy(tile, source + number * row, 4 * row, m.GDRAM2NRAM)
                m.__bang_mul_scalar(made, tile, 2.0, row)
            m.__memcpy(tile, source + (number + 1) * row + beside, 4 * row, m.GDRAM2NRAM)
            m.__bang_add(made, made if lines == 2 else tile, tile, row)
        m.__memcpy(out, made, 4 * row, m.NRAM2GDRAM)

    seen = [f for f in run(kernel, zeros(8 * row), zeros(row)).findings if f.rule == "shifted"]
    assert len(seen) == wanted
    for finding in seen:
        source = Path(__file__).read_text(encoding="utf-8").splitlines()
        assert (finding.severity, finding.count) == ("advice", 3)
        assert "+ beside" in source[finding.location.line - 1]
        assert f"multiples of {4 * row}" in finding.message


@pytest.mark.parametrize("how", ["rows", "wide rows", "filled", "updated"])
@pytest.mark.parametrize("hole", [0, 1, 3])
def test_an_element_that_is_missing_in_every_row(how: str, hole: int) -> None:
    """Of rows of an output, of what was filled before, of what is read and written back; three may be meant."""
    count = {"rows": 3, "wide rows": 100}.get(how, ROW)
    if hole >= count:
        return

    def kernel(m: Any, out: Any) -> None:
        made = m.nram("float", 4 * N)
        if how == "filled":
            m.__gdramset(out, 8 * count, 0.0)
        for at in range(0, 8 * count, count):
            if how == "updated":
                m.__memcpy(made, out + at, 4 * count, m.GDRAM2NRAM)
                m.__bang_mul_scalar(made, made, 2.0, count)
            else:
                m.__bang_write_value(made, count, 1.0)
            m.__memcpy(out + at, made, 4 * (count - hole), m.NRAM2GDRAM)

    seen = [f for f in run(kernel, zeros(8 * count)).findings if f.rule == "unwritten"]
    large = how == "wide rows" and hole == 3  # a tenth of what lies beside it, and less
    assert [f.severity for f in seen] == ["advice"] * (hole == 1 or large)


@pytest.mark.parametrize("idle", [None, 1])
def test_a_task_that_leaves_its_part_of_every_row(idle: int | None) -> None:
    def kernel(m: Any, out: Any) -> None:
        if m.taskId == idle:
            return
        tile = m.nram("float", N)
        m.__bang_write_value(tile, N, 1.0)
        for row in range(80):
            m.__memcpy(out + (row * 4 + m.taskId) * 4, tile, 16, m.NRAM2GDRAM)

    seen = run(kernel, zeros(80 * 16), tasks=4).findings
    assert [(f.rule, f.severity) for f in seen] == [("unwritten", "advice")] * (idle is not None)


@pytest.mark.parametrize(("missing", "wanted"), [((), 0), ((3,), 1), ((3, 9, 12), 0)])
def test_a_piece_that_is_missing_where_most_tasks_have_nothing_to_do(missing: tuple[int, ...], wanted: int) -> None:
    def kernel(m: Any, out: Any) -> None:
        if m.taskId == 0:
            tile = m.nram("float", N)
            m.__bang_write_value(tile, N, 1.0)
            for number in range(16):
                if number not in missing:
                    m.__memcpy(out + number * N, tile, BYTES, m.NRAM2GDRAM)

    seen = run(kernel, zeros(16 * N), tasks=4).findings
    assert [(f.rule, f.severity) for f in seen] == [("unwritten", "advice")] * wanted


@pytest.mark.parametrize("short", [0, 1])
@pytest.mark.parametrize("way", ["pooled", "all pooled", "added"])
def test_leftovers_of_channels(short: int, way: str) -> None:
    """Rows of padded channels: an element that a load leaves out comes to light in the sum of the rows."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        rows, sums = m.nram("float", 4 * N), m.nram("float", N)
        for count in (N, ROW - short):
            for number in range(4):
                m.__memcpy(rows + N * number, source, 4 * count, m.GDRAM2NRAM)
        if way != "added":
            m.__bang_mul_scalar(rows, rows, 2.0, 4 * N)
        if way == "added":
            m.__bang_add(sums, rows, rows, N)
        else:
            width, channels = (4 * N, 1) if way == "all pooled" else (4, N)
            m.__bang_sumpool(sums, rows, channels, 1, width, 1, width, width, 1)
        m.__memcpy(out, sums, 4 if way == "all pooled" else 4 * ROW, m.NRAM2GDRAM)

    seen = [f for f in run(kernel, np.ones(N, np.float32), zeros(ROW)).findings if f.rule == "leftover"]
    assert len(seen) == (short and way != "all pooled")


@pytest.mark.parametrize("read", [False, True])
def test_an_unread_sum(read: bool) -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        sums = m.nram("float", N)
        for number in range(2):
            m.__bang_sumpool(sums + 1, load(m, source, N), 1, 1, N, 1, N, 1, 1)
            out[number] = sums[1] if read else 1.0

    assert rules(run(kernel, zeros(N), zeros(2))) == ["unused"] * (not read)


@pytest.mark.parametrize(
    ("step", "times", "taken", "found"),
    [
        ("compute", 3, "nothing", ["warning"]),
        ("again", 3, "nothing", ["advice"]),  # on the same operands, for the time that it takes
        ("compute", 3, "an element", ["warning"]),  # of the last time
        ("compute", 2, "an element", []),
        ("compute", 1, "nothing", []),  # the end of a loop may leave one
        ("fill", 3, "nothing", []),
        ("in place", 3, "nothing", []),  # the next time takes it
    ],
)
def test_a_step_whose_result_is_unused(step: str, times: int, taken: str, found: list[str]) -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        piece, made, other = m.nram("float", N), m.nram("float", N), m.nram("float", N)
        m.__memcpy(piece, source, BYTES, m.GDRAM2NRAM)
        if step == "compute" and times > 1:
            m.__memcpy(other, piece, BYTES, m.NRAM2NRAM)
        m.__bang_write_value(made, N, 1.0)
        for number in range(times):
            if step in ("compute", "again"):
                m.__bang_mul_scalar(made, other if step == "compute" and number % 2 else piece, 2.0, N)
            elif step == "fill":
                m.__bang_write_value(made, N, 2.0)
            else:
                m.__bang_mul_scalar(made, made, 2.0, N)
        m.__memcpy(out, piece, BYTES, m.NRAM2GDRAM)
        if taken == "an element":
            m.__memcpy(out, made + 5, 4, m.NRAM2GDRAM)

    told = run(kernel, zeros(N), zeros(N)).findings
    assert [f.severity for f in told] == found
    often = "every time" if taken == "nothing" else "only the last round counts"
    assert all(f.rule == "unused" and (often in f.message) == (f.severity == "warning") for f in told)


def test_bytes_that_were_read_and_never_written_beside_a_hole() -> None:
    """Nothing is known of who has made them: a pass that looked it up ended the process."""

    def kernel(m: Any, out: Any) -> None:
        for _ in range(100):
            tile, other = m.nram("float", 2 * N), m.nram("float", 2 * N)
            m.__bang_write_value(tile + 60, 2, 1.0)
            m.__bang_add(other, tile + 62, tile + 62, 2 * N - 62)
            for piece in range(10):
                m.__bang_write_value(other, 6, 1.0)
                m.__bang_add(tile + 6 * piece, other, other, 6)
            m.__memcpy(out, tile, 2 * BYTES, m.NRAM2GDRAM)

    assert rules(run(kernel, zeros(2 * N))) == ["uninitialized"]
