"""Work that is lost, and results that depend on the order of tasks."""

from __future__ import annotations

from typing import Any

import pytest
from launched import BYTES, N, device, rules, run, store, zeros
from mlusim.simulator import launch


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


def test_arrays_that_are_no_outputs_beyond_doubt() -> None:
    """One that is read, one of which every second row is written, one that has much room behind."""

    def kernel(m: Any, updated: Any, rows: Any, room: Any) -> None:
        piece = m.nram("float", N)
        m.__memcpy(piece, updated, BYTES, m.GDRAM2NRAM)
        m.__memcpy(updated, piece, 8, m.NRAM2GDRAM)
        m.__memcpy(rows, piece, 16, m.NRAM2GDRAM, 32, 16, 3)
        m.__memcpy(room, piece, 8, m.NRAM2GDRAM)

    assert rules(run(kernel, zeros(N), zeros(32), zeros(N))) == []


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
