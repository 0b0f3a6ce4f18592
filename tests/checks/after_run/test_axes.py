"""Arrays whose axes a launch walks along too little, or on whose pieces it reads others again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Finding, launch
from mlusim.simulator.checks.after_run import report
from mlusim.simulator.checks.after_run.axes import end_of_axis

from tests.checks.after_run.launched import N
from tests.support.devices import device

BATCH, ROWS = 3, 4


def ran(kernel: Callable[..., object], *values: Any, **more: Any) -> list[Finding]:
    return launch(kernel, (1, 1, 1), "block", list(values), device=device(), on_finding="collect", **more).findings


def said(found: list[Finding]) -> list[tuple[str, str, str]]:
    return [(f.severity, f.rule, f.message.partition(";")[0]) for f in found]


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(0.5, 2, shape).astype(np.float32)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


Place = Callable[[int, int], tuple[int, int]]


def scaled(
    of_x: Place = lambda b, r: (b, r), of_factor: Place = lambda b, r: (b, r), to: Place = lambda b, r: (b, r),
    rows: int = ROWS,
) -> Callable[..., None]:  # fmt: skip
    """Rows of a batch times rows of another array."""

    def kernel(m: Any, out: Any, x: Any, factor: Any, *_: int) -> None:
        one, two = m.nram("float", N), m.nram("float", N)
        for b in range(BATCH):
            for r in range(rows):
                (xb, xr), (fb, fr), (ob, orow) = of_x(b, r), of_factor(b, r), to(b, r)
                m.__memcpy(one, x + (xb * ROWS + xr) * N, 4 * N, m.GDRAM2NRAM)
                m.__memcpy(two, factor + (fb * ROWS + fr) * N, 4 * N, m.GDRAM2NRAM)
                m.__bang_mul(one, one, two, N)
                m.__memcpy(out + (ob * ROWS + orow) * N, one, 4 * N, m.NRAM2GDRAM)

    return kernel


def of_batch(kernel: Callable[..., object], *passed: int) -> list[tuple[str, str, str]]:
    arrays = zeros(BATCH, ROWS, N), numbers(BATCH, ROWS, N), numbers(BATCH, ROWS, N)
    return said(ran(kernel, *arrays, *passed))


def test_an_index_that_is_no_part_of_an_address() -> None:
    dropped = scaled(of_factor=lambda b, r: (0, r))
    (found,) = of_batch(dropped, BATCH, ROWS)
    words = "no task reads elements of factor whose index on axis 0 is not 0"
    assert (found[:2], found[2]) == (("warning", "unread"), words)
    assert of_batch(scaled(), BATCH, ROWS) == []


@pytest.mark.parametrize(("reads", "found"), [(1, []), (2, [("warning", "unread")])])
def test_a_flag_that_lies_in_the_first_place(reads: int, found: list[tuple[str, str]]) -> None:
    """Each task looks at the first element of coordinates, whose others are of no use to it."""

    def kernel(m: Any, out: Any, x: Any, points: Any, _: int) -> None:
        tile = m.nram("float", N)
        for row in range(m.taskId, ROWS, m.taskDim):
            m.__memcpy(tile, x + row * N, 4 * N, m.GDRAM2NRAM)
            m.__memcpy(out + row * N, tile, 4 * N, m.NRAM2GDRAM)
        for _ in range(reads):
            if points[0] < 0:
                m.__memcpy(out, out, 4, m.GDRAM2GDRAM)

    run = ran(kernel, zeros(ROWS, N), numbers(ROWS, N), numbers(ROWS, 3), ROWS)
    assert [one[:2] for one in said(run) if "whose index on axis 0 is not 0" in one[2]] == found


def test_an_output_of_which_one_place_alone_is_written() -> None:
    (found,) = of_batch(scaled(to=lambda b, r: (b, 0)), BATCH, ROWS)
    assert found == ("warning", "unwritten", "no task writes elements of out whose index on axis 1 is not 0")


@pytest.mark.parametrize("passed", [(ROWS,), (N, 7)])
def test_a_length_that_is_not_passed_may_be_meant(passed: tuple[int, ...]) -> None:
    found = of_batch(scaled(of_factor=lambda b, r: (0, r)), *passed)
    assert not any("whose index on axis 0 is not 0" in message for *_, message in found)


def test_the_first_of_each_row_is_chosen_where_nothing_else_is_as_long() -> None:
    """The first token of each text: its axis is in no other array."""

    def kernel(m: Any, out: Any, x: Any, batch: int, _: int) -> None:
        tile = m.nram("float", N)
        for b in range(batch):
            m.__memcpy(tile, x + b * ROWS * N, 4 * N, m.GDRAM2NRAM)
            m.__bang_mul_scalar(tile, tile, 2.0, N)
            m.__memcpy(out + b * N, tile, 4 * N, m.NRAM2GDRAM)

    found = said(ran(kernel, zeros(BATCH, N), numbers(BATCH, ROWS, N), BATCH, ROWS))
    assert [one for one in found if one[0] != "advice"] == []


def test_an_end_of_an_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    """A triangle of each member of a batch, but for its last row."""

    monkeypatch.setattr(report, "ADVICE_ON_ARRAYS", (end_of_axis,))  # others may say it of all of its gaps

    def kernel(last: int) -> Callable[..., None]:
        def triangle(m: Any, out: Any, x: Any, batch: int, rows: int) -> None:
            tile = m.nram("float", N)
            for b in range(batch):
                for r in range(rows):
                    at = (b * rows + r) * N
                    m.__memcpy(tile, x + at, 4 * N, m.GDRAM2NRAM)
                    m.__bang_mul_scalar(tile, tile, 2.0, N)
                    if r < last:
                        m.__memcpy(out + at, tile, 32 * (r + 1), m.NRAM2GDRAM)

        return triangle

    def found(last: int) -> list[str]:
        arrays = zeros(BATCH, ROWS, N), numbers(BATCH, ROWS, N)
        told = said(ran(kernel(last), *arrays, BATCH, ROWS))
        return [f"{severity} {message}" for severity, _, message in told if "axis 1" in message]

    assert found(ROWS - 1) == ["warning no task writes elements of out whose index on axis 1 is 3, the last of 4"]
    assert found(ROWS) == []


LENGTH, TILE = 2 * N + 8, N


def in_tiles(lengths: Callable[[int], list[int]], step: int = LENGTH) -> Callable[..., None]:
    """Rows doubled in tiles of so many elements each."""

    def kernel(m: Any, out: Any, x: Any, *_: int) -> None:
        tile = m.nram("float", LENGTH)
        for row in range(ROWS):
            at = row * step
            for length in lengths(LENGTH):
                m.__memcpy(tile, x + at, 4 * length, m.GDRAM2NRAM)
                m.__bang_mul_scalar(tile, tile, 2.0, LENGTH if length % N else N)
                m.__memcpy(out + at, tile, 4 * length, m.NRAM2GDRAM)
                at += length

    return kernel


@pytest.mark.parametrize(
    ("lengths", "passed", "told"),
    [
        (lambda n: [TILE] * (n // TILE), (ROWS, LENGTH), True),
        (lambda n: [TILE] * (n // TILE), (ROWS, LENGTH, LENGTH - 8), False),  # so many were meant
        (lambda n: [TILE] * (n // TILE), (ROWS, LENGTH, 8), False),  # so many are the padding
        (lambda n: [TILE] * (n // TILE), (ROWS,), False),  # the kernel was not told
        (lambda n: [TILE], (ROWS, LENGTH), False),  # a part of each row
        (lambda n: [TILE, TILE, 8], (ROWS, LENGTH), False),
    ],
)
def test_what_tiles_leave_over_of_each_row_of_an_output(lengths: Any, passed: tuple[int, ...], told: bool) -> None:
    found = ran(in_tiles(lengths), zeros(ROWS, LENGTH), numbers(ROWS, LENGTH), *passed)
    said_so = [f for f in found if "leave over" in f.message]
    assert [(f.severity, f.rule) for f in said_so] == [("warning", "unwritten")] * told
    if told:
        place = f"index on axis 1 is {2 * N} to {LENGTH - 1}, of {LENGTH}: what tiles of {N} leave over"
        assert all(place in f.message for f in said_so)


@pytest.mark.parametrize(
    ("walk", "told"),
    [
        (lambda n: 0, True),  # the address does not step on
        (lambda n: n // 2 * 2, False),  # no walk: rows by number may be so
        (lambda n: n, False),
        (lambda n: (3, 3, 0, 1)[n], False),
    ],
)
def test_pieces_that_are_read_again_in_place_of_others(walk: Callable[[int], int], told: bool) -> None:
    def kernel(m: Any, out: Any, x: Any) -> None:
        total, tile = m.nram("float", N), m.nram("float", N)
        m.__bang_write_value(total, N, 0.0)
        for n in range(ROWS):
            m.__memcpy(tile, x + walk(n) * N, 4 * N, m.GDRAM2NRAM)
            m.__bang_add(total, total, tile, N)
        m.__memcpy(out, total, 4 * N, m.NRAM2GDRAM)

    found = [f for f in ran(kernel, zeros(N), numbers(ROWS * N)) if "read repeatedly" in f.message]
    assert [(f.severity, f.rule) for f in found] == [("warning", "unread")] * told


@pytest.mark.parametrize("rest", [0, 8])
def test_what_tiles_leave_over_of_each_row_of_an_input(rest: int) -> None:
    """The sum of each row."""

    def kernel(m: Any, out: Any, x: Any, rows: int, _: int) -> None:
        total, tile = m.nram("float", N), m.nram("float", N)
        for row in range(rows):
            m.__bang_write_value(total, N, 0.0)
            for at, length in ((0, N), (N, N), (2 * N, rest)):
                m.__bang_write_value(tile, N, 0.0)
                if length:
                    m.__memcpy(tile, x + row * LENGTH + at, 4 * length, m.GDRAM2NRAM)
                m.__bang_add(total, total, tile, N)
            m.__memcpy(out + row * N, total, 4 * N, m.NRAM2GDRAM)

    found = ran(kernel, zeros(ROWS, N), numbers(ROWS, LENGTH), ROWS, LENGTH)
    told = [(f.severity, f.rule) for f in found if "leave over" in f.message]
    assert told == ([] if rest else [("warning", "unread")])


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (lambda done: 0, True),
        (lambda done: 2 * done, False),
        (None, False),  # the first component of each, twice
    ],
)
def test_every_second_element_of_tiles_that_do_not_step_on(steps: Callable[[int], int] | None, told: bool) -> None:
    """The real parts of complex numbers, in two tiles of which the second is shorter."""
    first, count = 48, 64

    def kernel(m: Any, out: Any, x: Any, *_: int) -> None:
        tile = m.nram("float", count)
        for begin, length in ((0, first), (first, count - first)) if steps else ((0, count), (0, count)):
            at = steps(begin) if steps else 0
            m.__memcpy(tile, x + at, 4, m.GDRAM2NRAM, 4, 8, length - 1)
            m.__memcpy(out + begin, tile, 4 * length, m.NRAM2GDRAM)

    found = ran(kernel, zeros(count), numbers(2 * count), count)
    assert [(f.severity, f.rule) for f in found if "read repeatedly" in f.message] == [("warning", "unread")] * told


def test_pieces_that_overlap_by_half() -> None:
    def kernel(m: Any, out: Any, x: Any, step: int) -> None:
        total, tile = m.nram("float", N), m.nram("float", N)
        m.__bang_write_value(total, N, 0.0)
        for n in range(ROWS):
            m.__memcpy(tile, x + n * step, 4 * N, m.GDRAM2NRAM)
            m.__bang_add(total, total, tile, N)
        m.__memcpy(out, total, 4 * N, m.NRAM2GDRAM)

    def told(step: int, size: int = ROWS * N) -> list[str]:
        found = ran(kernel, zeros(N), numbers(size), step)
        return [f.severity for f in found if "read repeatedly" in f.message]

    assert (told(N // 2), told(N)) == (["warning"], [])
    assert told(N // 2, ROWS * N + N) == []  # windows, and an array that they would not fill


def added(used: bool) -> Callable[..., None]:
    def kernel(m: Any, out: Any, x: Any, y: Any, *_: float) -> None:
        one, two = m.nram("float", N), m.nram("float", N)
        m.__memcpy(one, x, 4 * N, m.GDRAM2NRAM)
        m.__memcpy(two, y, 4 * N, m.GDRAM2NRAM)
        m.__bang_add(one, one, two if used else one, N)
        m.__bang_maxequal(two, two, one, N)
        m.__memcpy(out, two if used else one, 4 * N, m.NRAM2GDRAM)

    return kernel


def test_an_input_without_a_part_in_any_result() -> None:
    def ignored(kernel: Callable[..., object], *values: Any) -> list[tuple[str, str]]:
        found = ran(kernel, zeros(N), *values, vary=True)
        return [(f.severity, f.operand) for f in found if f.rule == "ignored" and f.operand]

    assert ignored(added(False), numbers(N), numbers(N)) == [("warning", "y")]
    assert ignored(added(True), numbers(N), numbers(N)) == []
    # A number that is passed may be the factor that switches it off; an input of ones or zeros may do so, too.
    assert ignored(added(False), numbers(N), numbers(N), 0.0) == [("advice", "y")]
    assert ignored(added(False), np.ones(N, np.float32), numbers(N)) == []
