"""Results that the same instruction overwrites in the next round of a loop, unused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import BYTES, N, run, zeros

ROUNDS = 4


def sums(m: Any, source: Any, out: Any, how: str) -> None:
    """The sum of tiles, times two, or of another kind: ``how``."""
    tile, total, seen = m.nram("float", N), m.nram("float", N), 0.0
    m.__bang_write_value(total, N, 0.0)
    for number in range(2 if how == "two rounds" else ROUNDS):
        if how != "the same again" or not number:
            m.__memcpy(tile, source + number * N, BYTES, m.GDRAM2NRAM)
        if how == "added":
            m.__bang_add(total, total, tile, N)
        else:
            m.__bang_mul_scalar(total, tile, 2.0, N)
        if how == "stored":
            m.__memcpy(out + number * N, total, BYTES, m.NRAM2GDRAM)
        if how == "looked at":
            seen += total[0]
    m.__memcpy(out, total, BYTES, m.NRAM2GDRAM)
    out[N] = seen


def found(how: str) -> list[tuple[str, str]]:
    made = run(lambda m, x, y: sums(m, x, y, how), np.ones(ROUNDS * N, np.float32), zeros(ROUNDS * N))
    return [(f.severity, f.instruction) for f in made.findings if f.rule == "unused"]


def test_only_the_last_round_counts() -> None:
    assert found("overwritten") == [("warning", "__bang_mul_scalar")]


def test_what_is_done_for_the_time_that_it_takes() -> None:
    assert found("the same again") == [("advice", "__bang_mul_scalar")]


@pytest.mark.parametrize("how", ["added", "stored", "looked at", "two rounds"])
def test_every_round_counts(how: str) -> None:
    assert found(how) == []


def test_results_that_are_stored_in_part_count_as_well() -> None:
    """Of six rounds the first three leave nothing, of the others a part is stored."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, made = m.nram("float", N), m.nram("float", N)
        for number in range(6):
            m.__memcpy(tile, source + number % ROUNDS * N, BYTES, m.GDRAM2NRAM)
            m.__bang_mul_scalar(made, tile, 2.0, N)
            if number > 2:
                m.__memcpy(out, made, BYTES // 2, m.NRAM2GDRAM)

    told = run(kernel, np.ones(ROUNDS * N, np.float32), zeros(N)).findings
    assert [one for one in told if "the round before" in one.message] == []
