"""One cause, one finding: what is left out because another finding of the launch has led to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import N, run


@pytest.mark.parametrize(("count", "said"), [(N + 8, ["bounds"] * 2), (N, [])])
def test_variables_that_reach_into_each_other_are_told_by_their_ends(count: int, said: list[str]) -> None:
    """A count that is too large for two tiles lets the operands of everything behind them overlap."""

    def kernel(m: Any, x: Any, y: Any) -> None:
        one = m.nram("float", N)
        two = m.nram("float", N)
        m.__memcpy(one, x, 4 * count, m.GDRAM2NRAM)
        m.__memcpy(two, x, 4 * count, m.GDRAM2NRAM)
        m.__bang_add(one, one, two, count)
        m.__bang_mul(two, one, two, count)
        m.__memcpy(y, two, 4 * N, m.NRAM2GDRAM)

    found = run(kernel, np.ones(2 * N, np.float32), np.zeros(N, np.float32)).findings
    assert [f.rule for f in found if f.severity == "error"] == said


def test_operands_that_overlap_within_their_variable_are_told() -> None:
    def kernel(m: Any, x: Any, y: Any) -> None:
        one, two = m.nram("float", 2 * N), m.nram("float", N)
        m.__memcpy(one, x, 8 * N, m.GDRAM2NRAM)
        m.__memcpy(two, x, 4 * N + 32, m.GDRAM2NRAM)
        m.__bang_add(one + 8, one, one, N)

    found = run(kernel, np.ones(2 * N, np.float32), np.zeros(N, np.float32)).findings
    assert {f.rule for f in found if f.severity == "error"} == {"bounds", "overlap"}


@pytest.mark.parametrize(("waits", "rest", "said"), [
    (False, N, ["race"]), (True, N, []), (True, N - 1, ["uninitialized"]), (False, N - 1, ["race"]),
])  # fmt: skip
def test_what_comes_too_early_is_a_race(waits: bool, rest: int, said: list[str]) -> None:
    """Each task leaves a tile, and takes the next one's: before it is there, it is uninitialized."""

    def kernel(m: Any, x: Any, y: Any) -> None:
        tiles, mine = m.sram("float", 4 * N), m.nram("float", N)
        m.__memcpy(mine, x + m.coreId * N, 4 * rest, m.GDRAM2NRAM)
        m.__memcpy(tiles + m.coreId * N, mine, 4 * N, m.NRAM2SRAM)
        if waits:
            m.__sync_all_ipu()
        m.__memcpy(mine, tiles + (m.coreId + 1) % 4 * N, 4 * N, m.SRAM2NRAM)
        m.__memcpy(y + m.coreId * N, mine, 4 * N, m.NRAM2GDRAM)

    x, y = np.ones(4 * N, np.float32), np.zeros(4 * N, np.float32)
    found = run(kernel, x, y, tasks=4, kind="union1").findings
    assert [f.rule for f in found if f.severity != "advice"] == said
