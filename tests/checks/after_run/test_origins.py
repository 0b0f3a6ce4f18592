"""Uninitialized bytes that are stored: named is also the line that has left them out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import BYTES, N, run, zeros
from tests.support.paths import ROOT

HERE = ROOT / "tests" / "checks" / "after_run" / "test_origins.py"


def lines_of(kernel: Any) -> tuple[str, str]:
    """The texts of the lines that the only warning names: who reads, who has left out."""
    (found,) = [f for f in run(kernel, np.ones(4 * N, np.float32), zeros(N)).findings if f.rule == "uninitialized"]
    source = HERE.read_text().splitlines()
    return source[found.location.line - 1], source[found.related.line - 1] if found.related else ""


def pass_on(m: Any, piece: Any, out: Any, times: int = 2) -> None:
    for _ in range(times):
        m.__bang_mul_scalar(piece, piece, 2.0, N)
    m.__memcpy(out, piece, BYTES, m.NRAM2GDRAM)


def short_load(m: Any, source: Any, out: Any) -> None:
    piece = m.nram("float", N)
    m.__memcpy(piece, source, BYTES - 4, m.GDRAM2NRAM)  # too short
    pass_on(m, piece, out)


def late_load(m: Any, source: Any, out: Any) -> None:
    piece = m.nram("float", N)
    m.__memcpy(piece + 1, source, BYTES - 4, m.GDRAM2NRAM)  # too late
    pass_on(m, piece, out)


def short_step(m: Any, source: Any, out: Any) -> None:
    piece, made = m.nram("float", N), m.nram("float", N)
    m.__memcpy(piece, source, BYTES, m.GDRAM2NRAM)
    m.__bang_add(made, piece, piece, N - 32)  # too short
    pass_on(m, made, out)


def one_of_two(m: Any, source: Any, out: Any) -> None:
    one, two = m.nram("float", N), m.nram("float", N)
    m.__memcpy(one, source, BYTES, m.GDRAM2NRAM)
    m.__memcpy(two, source, BYTES // 2, m.GDRAM2NRAM)  # too short
    m.__bang_add(one, one, two, N)
    pass_on(m, one, out)


def step_left_out(m: Any, source: Any, out: Any) -> None:
    piece, made = m.nram("float", N), m.nram("float", N)
    m.__memcpy(piece, source, BYTES, m.GDRAM2NRAM)
    m.__bang_abs(made, made, N)  # too early: it is uninitialized
    pass_on(m, made, out)


@pytest.mark.parametrize("kernel", [step_left_out, short_load, late_load, short_step, one_of_two])
def test_the_line_that_has_left_them_out_is_named(kernel: Any) -> None:
    reader, other = lines_of(kernel)
    assert "NRAM2GDRAM" in reader
    assert "  # too " in other


def test_nothing_is_named_where_they_were_not_passed_on() -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        pass_on(m, m.nram("float", N), out, 0)

    assert lines_of(kernel)[1] == ""


def test_the_memory_that_they_come_from_is_named() -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        shared, piece = m.sram("float", 2 * N), m.nram("float", N)
        m.__memcpy(shared, source, BYTES, m.GDRAM2SRAM)
        m.__sync_cluster()
        m.__memcpy(piece, shared + N, BYTES, m.SRAM2NRAM)  # too far
        pass_on(m, piece, out + m.taskId * N, 0)

    found_by = run(kernel, np.ones(N, np.float32), zeros(4 * N), tasks=4, kind="union1").findings
    (found,) = [f for f in found_by if f.rule == "uninitialized"]
    missing = f"sram[0] {BYTES:#x}..{2 * BYTES:#x}"
    assert found.suggestion == f"write {missing} before it is read: these bytes were made of it"
