"""Elements that are added to a sum again: a shorter tile has left them behind its own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checks.after_run.launched import BYTES, N, run, zeros

REST = 26  # elements of the last tile


def sums(m: Any, source: Any, out: Any, how: str) -> None:
    tile, total, made = (m.nram("float", N) for _ in range(3))
    m.__bang_write_value(total, N, 0.0)
    for number in range(2):
        m.__memcpy(tile, source + number * N, BYTES, m.GDRAM2NRAM)
        if how == "another sum":
            m.__bang_add(made, tile, tile, N)
        elif how == "the largest":
            m.__bang_maxequal(total, total, tile, N)
        else:
            m.__bang_add(total, total, tile, N)
    if how == "cleared":
        m.__bang_write_value(tile, N, 0.0)
    if how == "a new sum":
        m.__memcpy(out + N, total, BYTES, m.NRAM2GDRAM)
        m.__bang_write_value(total, N, 0.0)
    m.__memcpy(tile, source + 2 * N, 4 * REST, m.GDRAM2NRAM)
    if how == "the largest":
        m.__bang_maxequal(total, total, tile, N)
    else:
        m.__bang_add(total, total, tile, REST if how == "its count" else N)
    m.__memcpy(out, total, BYTES, m.NRAM2GDRAM)


@pytest.mark.parametrize("how", ["", "cleared", "its count", "the largest", "a new sum", "another sum"])
def test_what_is_left_of_an_older_tile(how: str) -> None:
    """The largest stays the largest, and nobody need use the end of a sum of fewer elements."""
    found = run(lambda m, *arrays: sums(m, *arrays, how), zeros(3 * N), zeros(2 * N)).findings
    seen = [(f.severity, f.instruction, f.region.bytes) for f in found if f.rule == "leftover" and f.region]
    assert seen == [("warning", "__bang_add", 4 * (N - REST))] * (how == "")
