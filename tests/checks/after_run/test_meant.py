"""Arrays whose length a launch passes: all of them was meant, and what is left out is no choice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import N, run, zeros

ROWS = 9


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(2).uniform(0.5, 2, shape).astype(np.float32)


def severities(kernel: Any, *arguments: Any, rule: str, words: str) -> list[str]:
    found = run(kernel, *arguments).findings
    return [f.severity for f in found if f.rule == rule and words in f.message]


def products(rows: range) -> Any:
    """Rows of x times rows of y are added up."""

    def kernel(m: Any, out: Any, x: Any, y: Any, *_: Any) -> None:
        total, one, two = (m.nram("float", N) for _ in range(3))
        m.__bang_write_value(total, N, 0.0)
        for row in rows:
            m.__memcpy(one, x + row * N, 4 * N, m.GDRAM2NRAM)
            m.__memcpy(two, y + row * N, 4 * N, m.GDRAM2NRAM)
            m.__bang_mul(one, one, two, N)
            m.__bang_add(total, total, one, N)
        m.__memcpy(out, total, 4 * N, m.NRAM2GDRAM)

    return kernel


@pytest.mark.parametrize(
    ("rows", "passed", "said"),
    [
        (range(ROWS), (ROWS, N), []),
        (range(ROWS - 2), (ROWS, N), ["warning"]),
        (range(ROWS - 1, ROWS), (ROWS, N), ["warning"]),  # as where = takes the place of +=
        (range(ROWS - 2), (ROWS, N, ROWS - 2), []),  # so many are asked for
        (range(3, ROWS), (ROWS, N, 3), []),  # or to be skipped
        (range(ROWS - 2), (3, N), []),  # nothing says that there are more
        (range(1, ROWS - 1), (ROWS, N), []),  # a border
    ],
)
def test_a_sum_of_products_that_ends_too_early(rows: range, passed: tuple[int, ...], said: list[str]) -> None:
    kernel, arrays = products(rows), (zeros(N), numbers(ROWS, N), numbers(ROWS, N))
    assert severities(kernel, *arrays, *passed, rule="unread", words="nor those of another array") == said


@pytest.mark.parametrize(
    ("rows", "passed", "looks", "said"),
    [
        (ROWS, (ROWS, N), False, []),
        (ROWS - 2, (ROWS, N), False, ["warning"]),
        (ROWS - 2, (ROWS, N), True, []),  # data may say how many there are
        (ROWS - 2, (ROWS, N, ROWS - 2), False, []),
        (ROWS - 2, (3, N), False, []),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.int32])
def test_columns_of_a_product_that_end_too_early(
    rows: int, passed: tuple[int, ...], looks: bool, said: list[str], dtype: type
) -> None:
    """Each row of weights makes a column; of whole numbers, they might be indices."""
    size = np.dtype(dtype).itemsize

    def kernel(m: Any, out: Any, weights: Any, *_: Any) -> None:
        tile, total = m.nram("float", N), m.nram("float", N)
        m.__bang_write_value(total, N, 0.0)
        for row in range(rows):
            m.__memcpy(tile, weights + row * N, size * N, m.GDRAM2NRAM)
            if not looks or weights[row * N] < 200:
                m.__memcpy(out + row, total, 4, m.NRAM2GDRAM, 4 * ROWS, 4, 3)

    weights = (100 * numbers(ROWS, N)).astype(dtype)
    words = {"rule": "unwritten", "words": "nor reads those of an input"}
    told = [] if dtype == np.int32 else said
    assert severities(kernel, np.zeros((4, ROWS), np.float32), weights, *passed, **words) == told


@pytest.mark.parametrize(("columns", "said"), [(N - 8, ["warning"]), (N // 2, [])])
def test_a_half_of_each_row_may_be_all_that_is_meant(columns: int, said: list[str]) -> None:
    def kernel(m: Any, out: Any, x: Any, *_: Any) -> None:
        tile = m.nram("float", N)
        for row in range(ROWS):
            m.__memcpy(tile, x + row * N, 4 * columns, m.GDRAM2NRAM)
            m.__memcpy(out + row * N, tile, 4 * columns, m.NRAM2GDRAM)

    words = {"rule": "unwritten", "words": "nor reads those of an input"}
    assert severities(kernel, np.zeros((ROWS, N), np.float32), numbers(ROWS, N), ROWS, N, **words) == said


def test_rows_that_indices_choose_may_all_lie_before_the_end() -> None:
    def kernel(m: Any, out: Any, x: Any, y: Any, chosen: Any, *_: Any) -> None:
        products(range(int(chosen[0]), int(chosen[1])))(m, out, x, y)

    arrays = zeros(N), numbers(ROWS, N), numbers(ROWS, N)
    words = {"rule": "unread", "words": "nor those of another array"}
    assert severities(kernel, *arrays, np.array([0, 7], np.int32), ROWS, N, **words) == []


@pytest.mark.parametrize(
    ("used", "passed", "said"),
    [
        (False, (N,), ["warning"]),
        (True, (N,), []),
        (False, (7,), ["advice"]),  # nothing says how long it is
        (False, (N, 0), ["advice"]),  # which may say that there is no bias
    ],
)
def test_an_array_that_is_not_touched_at_all(used: bool, passed: tuple[int, ...], said: list[str]) -> None:
    def kernel(m: Any, out: Any, x: Any, bias: Any, *_: Any) -> None:
        one, two = m.nram("float", N), m.nram("float", N)
        m.__memcpy(one, x, 4 * N, m.GDRAM2NRAM)
        m.__memcpy(two, bias if used else x, 4 * N, m.GDRAM2NRAM)
        m.__bang_add(one, one, two, N)
        m.__memcpy(out, one, 4 * N, m.NRAM2GDRAM)

    arrays = zeros(N), numbers(N), numbers(N)
    arrays[2].flags.writeable = False
    assert severities(kernel, *arrays, *passed, rule="unread", words="no task reads") == said


@pytest.mark.parametrize(
    ("stored", "passed", "looks", "said"),
    [
        (48, (3 * N,), False, ["warning"]),
        (2 * N, (3 * N,), False, []),
        (48, (7,), False, ["advice"]),
        (48, (3 * N,), True, ["advice"]),  # how much is stored may depend on what has been read
    ],
)
def test_a_hole_in_an_output_whose_input_has_none(
    stored: int, passed: tuple[int, ...], looks: bool, said: list[str]
) -> None:
    def kernel(m: Any, x: Any, y: Any, *_: Any) -> None:
        tile = m.nram("float", 2 * N)
        for begin, count, kept in ((0, 2 * N, stored), (2 * N, N, N)):
            m.__memcpy(tile, x + begin, 4 * count, m.GDRAM2NRAM)
            m.__bang_mul_scalar(tile, tile, 2.0, count)
            if not looks or tile[0] > 0:
                m.__memcpy(y + begin, tile, 4 * kept, m.NRAM2GDRAM)

    assert severities(kernel, numbers(3 * N), zeros(3 * N), *passed, rule="unwritten", words="no task writes") == said


def test_nothing_is_said_of_what_an_uninitialized_array_has_not_brought() -> None:
    """The copy that is left out is one finding."""

    def kernel(m: Any, out: Any, x: Any, bias: Any, _: int) -> None:
        one, two = m.nram("float", N), m.nram("float", N)
        m.__memcpy(one, x, 4 * N, m.GDRAM2NRAM)
        m.__bang_add(one, one, two, N)
        m.__memcpy(out, one, 4 * N, m.NRAM2GDRAM)

    found = run(kernel, zeros(N), numbers(N), numbers(N), N).findings
    assert {f.rule for f in found} == {"uninitialized"}
