"""Counts that leave out the end of all that goes in, of what lies there, and of what is used then."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checks.after_run.launched import BYTES, N, run, zeros


def products(m: Any, source: Any, out: Any, count: int, loaded: int = N, used: bool = True) -> None:
    """A tile holds the sum of two others, which is stored or not, and then ``count`` of their products."""
    one, other, made = (m.nram("float", N) for _ in range(3))
    m.__memcpy(one, source, BYTES, m.GDRAM2NRAM)
    m.__memcpy(other, source + N, BYTES, m.GDRAM2NRAM)
    m.__bang_add(made, one, other, N)
    if used:
        m.__memcpy(out, made, BYTES, m.NRAM2GDRAM)
    m.__memcpy(one, source + N, 4 * loaded, m.GDRAM2NRAM)
    m.__bang_mul(made, one, other, count)
    m.__bang_active_exp(made, made, N)
    m.__memcpy(out + N, made, BYTES, m.NRAM2GDRAM)


@pytest.mark.parametrize(
    ("count", "loaded", "used", "lost"),
    [
        (N, N, True, 0), (N - 1, N, True, 4), (N // 4, N, True, 3 * N), (N - 1, N, False, 4), (N // 4, N, False, 0),
        (N - 1, N - 1, True, 0), (N // 4, N // 4, True, 0),
    ],
)  # fmt: skip
def test_a_count_that_leaves_out_an_end(count: int, loaded: int, used: bool, lost: int) -> None:
    """As many as have come are meant, and so may a part be of a tile that is made in two steps."""
    launched = run(lambda m, *arrays: products(m, *arrays, count, loaded, used), zeros(2 * N), zeros(2 * N))
    seen = [f for f in launched.findings if f.rule == "partial"]
    assert [(f.severity, f.instruction, f.region.bytes) for f in seen if f.region] == [
        ("advice", "__bang_active_exp", lost)
    ] * (lost > 0)
