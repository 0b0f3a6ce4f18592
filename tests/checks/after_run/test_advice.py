"""Each advice stands alone: without it its own findings are gone, and no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Finding, Log
from mlusim.simulator.checks.after_run import report
from mlusim.simulator.checks.after_run.left_out import left_out
from mlusim.simulator.checks.after_run.off_grid import off_grid
from mlusim.simulator.flow import Kind, causes_of

from tests.checks.after_run.launched import BYTES, N, run, zeros

ROW = 40  # elements of rows that are no whole lines
#: What an advice finds where that is more than one kind.
SEVERAL = {Kind.OVERRUN: {Kind.OVERRUN, Kind.OVERREAD}, Kind.UNTAKEN: {Kind.UNTAKEN, Kind.UNUSED, Kind.DEAD}}


def part_of_a_tile(m: Any, source: Any, out: Any) -> None:
    tile = m.nram("float", N)
    m.__memcpy(tile, source, BYTES, m.GDRAM2NRAM)
    m.__bang_mul_scalar(tile, tile, 2.0, N - 3)
    m.__memcpy(out, tile, BYTES, m.NRAM2GDRAM)


def one_element_too_many(m: Any, source: Any, out: Any) -> None:
    made, tile = m.nram("float", N), m.nram("float", N)
    for count in (N, ROW):
        m.__memcpy(tile, source, 4 * count, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, tile, 2.0, N)
    m.__memcpy(out, made, 4 * (ROW + 1), m.NRAM2GDRAM)


def a_tile_that_begins_late(m: Any, source: Any, out: Any) -> None:
    tile, sums = m.nram("float", 2 * N), m.nram("float", N)
    m.__memcpy(tile, source, 2 * BYTES, m.GDRAM2NRAM)
    m.__bang_sumpool(sums, tile, 1, 1, 2 * N, 1, 2 * N, 1, 1)
    m.__memcpy(tile + 1, source, BYTES, m.GDRAM2NRAM)
    m.__bang_sumpool(sums + 1, tile, 1, 1, N, 1, N, 1, 1)
    m.__memcpy(out, sums, 8, m.NRAM2GDRAM)


def an_unused_end(m: Any, source: Any, out: Any) -> None:
    tile, made, sums = m.nram("float", N), m.nram("float", N), m.nram("float", N)
    for number in range(2):
        m.__memcpy(tile, source, 4 * ROW, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, tile, 2.0, ROW)
        m.__memcpy(out, made + 1, 4 * (ROW - 1), m.NRAM2GDRAM)
        m.__memcpy(tile, source, BYTES, m.GDRAM2NRAM)
        m.__bang_sumpool(sums + 1, tile, 1, 1, N, 1, N, 1, 1)
        out[number] = 1.0


def an_end_in_the_next_tile(m: Any, source: Any, out: Any) -> None:
    tiles, other, made = m.nram("float", 2 * N), m.nram("float", 2 * N), m.nram("float", N)
    for tile in (tiles, other):
        m.__memcpy(tile, source, BYTES, m.GDRAM2NRAM)
        m.__memcpy(tile + N, source + N, BYTES, m.GDRAM2NRAM)
    m.__bang_mul_scalar(tiles, other, 2.0, N + 16)
    m.__bang_add(made, tiles, other, N)
    m.__bang_add(made, made, tiles + N, N)
    m.__memcpy(out, made, BYTES, m.NRAM2GDRAM)


def more_than_a_tile(m: Any, source: Any, out: Any) -> None:
    tiles, made = m.nram("float", 4 * N), m.nram("float", 4 * N)
    m.__memcpy(tiles, source, 4 * ROW, m.GDRAM2NRAM)
    m.__memcpy(tiles + ROW, source, BYTES, m.GDRAM2NRAM)
    m.__bang_mul_scalar(made, tiles, 2.0, ROW + 16)
    m.__bang_add(made + 2 * N, tiles + ROW, tiles + ROW, N)
    m.__memcpy(out, made, 4 * ROW, m.NRAM2GDRAM)


def rows_beside_the_others(m: Any, source: Any, out: Any) -> None:
    tile, made = m.nram("float", N), m.nram("float", N)
    for number in (5, 2, 3):
        m.__memcpy(tile, source + number * ROW, 4 * ROW, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, tile, 2.0, ROW)
        m.__memcpy(tile, source + (number + 1) * ROW + 1, 4 * ROW, m.GDRAM2NRAM)
        m.__bang_add(made, made, tile, ROW)
    m.__memcpy(out, made, 4 * (ROW - 1), m.NRAM2GDRAM)


def a_tile_over_another(m: Any, source: Any, out: Any) -> None:
    tiles, made, sums = m.nram("float", 2 * N), m.nram("float", N), m.nram("float", N)
    m.__memcpy(tiles, source, 4 * ROW, m.GDRAM2NRAM)
    m.__memcpy(tiles + ROW - 1, source + 4 * ROW, 4 * ROW, m.GDRAM2NRAM)
    m.__bang_mul_scalar(made, tiles, 2.0, ROW)
    m.__bang_mul_scalar(sums, tiles + ROW - 1, 3.0, ROW)
    m.__bang_add(made, made, sums, ROW)
    m.__memcpy(out, made, 4 * ROW, m.NRAM2GDRAM)


def a_rest_that_is_added_again(m: Any, source: Any, out: Any) -> None:
    tile, total = m.nram("float", N), m.nram("float", N)
    m.__bang_write_value(total, N, 0.0)
    for count in (N, ROW):
        m.__memcpy(tile, source, 4 * count, m.GDRAM2NRAM)
        m.__bang_add(total, total, tile, N)
    m.__memcpy(out, total, BYTES, m.NRAM2GDRAM)


def a_load_that_nothing_uses(m: Any, source: Any, out: Any) -> None:
    tile, other = m.nram("float", N), m.nram("float", N)
    m.__memcpy(other, source + N, BYTES, m.GDRAM2NRAM)
    m.__memcpy(tile, source, BYTES, m.GDRAM2NRAM)
    m.__memcpy(tile, source + 2 * N, BYTES, m.GDRAM2NRAM)
    m.__bang_add(tile, tile, other, N)
    m.__memcpy(out, tile, BYTES, m.NRAM2GDRAM)


KERNELS = (
    part_of_a_tile, one_element_too_many, a_tile_that_begins_late, an_unused_end, an_end_in_the_next_tile,
    more_than_a_tile, rows_beside_the_others, a_tile_over_another, a_rest_that_is_added_again,
    a_load_that_nothing_uses,
)  # fmt: skip


def arrays() -> tuple[np.ndarray, np.ndarray]:
    return zeros(8 * ROW), zeros(N)


@pytest.fixture(scope="module")
def logs() -> list[Log]:
    return [run(kernel, *arrays()).log for kernel in KERNELS]


def causes(log: Log, advice: set[int]) -> list[tuple[Any, ...]]:
    found = causes_of(log, True, (), advice)
    assert found is not None
    return [(Kind(cause["kind"]), *cause.tolist()[1:8]) for cause in found.causes]


@pytest.mark.parametrize("advice", report.ADVICE_ON_TILES, ids=lambda kind: kind.name)
def test_advice_on_tiles(logs: list[Log], advice: Any) -> None:
    own, seen = SEVERAL.get(advice, {advice}), set()
    for log in logs:
        every = causes(log, set(report.ADVICE_ON_TILES))
        assert causes(log, set(report.ADVICE_ON_TILES) - {advice}) == [c for c in every if c[0] not in own]
        assert [c for c in causes(log, {advice}) if c[0] in own] == [c for c in every if c[0] in own]
        seen |= {c[0] for c in every}
    assert own <= seen


def findings_of(kernel: Any) -> list[Finding]:
    """What is found of a kernel, but for unread results: an output that is not written explains them."""
    return [f for f in run(kernel, *arrays()).findings if f.rule != "unused"]


@pytest.mark.parametrize(
    ("advice", "words"), [(off_grid, "where they begin for all other lines"), (left_out, "no task ")]
)
def test_advice_on_arrays(monkeypatch: pytest.MonkeyPatch, advice: Callable[..., Any], words: str) -> None:
    every = [findings_of(kernel) for kernel in KERNELS]
    monkeypatch.setattr(report, "ADVICE_ON_ARRAYS", [one for one in report.ADVICE_ON_ARRAYS if one is not advice])
    without = [findings_of(kernel) for kernel in KERNELS]
    assert without == [[f for f in found if words not in f.message] for found in every]
    assert without != every


def test_what_gives_way_to_advice_that_is_taken_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """One mistake shows in several ways, of which one is told: without it the next one is."""
    every = {f.rule for f in run(one_element_too_many, *arrays()).findings}
    monkeypatch.setattr(report, "ADVICE_ON_TILES", set(report.ADVICE_ON_TILES) - {Kind.LEFTOVER})
    without = {f.rule for f in run(one_element_too_many, *arrays()).findings}
    assert "leftover" in every
    assert "leftover" not in without
    assert without - every <= {"shifted", "partial"}
