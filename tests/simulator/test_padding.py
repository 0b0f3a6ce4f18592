"""Padding that is computed on and never used stays silent; whatever looks at it is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Program, load

SIZE, ROWS, WIDTH = 256, 8, 32


@pytest.fixture(scope="module")
def program() -> Program:
    return load([Path(__file__).parents[1] / "kernels_c" / "padding.mlu"], device=Device.load("mlu370-x4"))


@pytest.mark.parametrize("count", [1, 100, 255, 256])
def test_padding_through_arithmetic_and_conversions(program: Program, count: int) -> None:
    data, out = np.arange(SIZE, dtype=np.float32), np.zeros(SIZE, np.float32)
    run = program.launch("padded", args=[out, data[:count].copy(), count, count], on_finding="collect")
    assert run.findings == []
    assert out[:count].tolist() == (2 * data + 1)[:count].tolist()


@pytest.mark.parametrize("count", [1, 100, 255])
def test_a_store_of_padding_that_the_host_sees(program: Program, count: int) -> None:
    run = program.launch("padded", args=[np.zeros(SIZE, np.float32), np.zeros(count, np.float32), count, count + 1])
    (finding,) = run.findings
    assert (finding.rule, finding.instruction, finding.region.bytes) == ("uninitialized", "__memcpy", 4)
    assert "'result'" in finding.message


@pytest.mark.parametrize(("width", "used"), [(20, 20), (20, 21), (31, 32), (32, 32)])
def test_padding_of_rows_through_shared_memory(program: Program, width: int, used: int) -> None:
    data, out = np.random.default_rng(1).random((ROWS, width), np.float32), np.zeros((ROWS, used), np.float32)
    run = program.launch("in_rows", (4, 1, 1), "union1", args=[out, data, width, used], on_finding="collect")
    assert [(f.rule, f.instruction) for f in run.findings] == ([("uninitialized", "__memcpy")] if used > width else [])
    assert (out[:, :width] == data).all()


@pytest.mark.parametrize(
    ("how", "instruction"),
    [(0, "__bang_count"), (1, "scalar.load"), (2, "scalar.load"), (3, "__bang_maxpool"), (4, "")],
)
def test_who_uses_padding_is_named(program: Program, how: int, instruction: str) -> None:
    arrays = [np.zeros(1, np.float32), np.ones(100, np.float32)]
    run = program.launch("use", args=[*arrays, 100, how], on_finding="collect")
    named = {(f.rule, f.instruction) for f in run.findings if f.rule != "unwritten"}  # one use stores nothing
    assert named == ({("uninitialized", instruction)} if instruction else set())


@pytest.mark.parametrize(
    ("left", "begin", "first", "last"),
    [(SIZE, 0, 0, 0), (SIZE, 16, 0, 4), (SIZE, 13, 0, 4), (250, 0, 250, SIZE), (SIZE - 1, 4, 0, 1), (0, 4, 0, SIZE)],
)
def test_an_element_needs_all_bytes_of_both_sources(
    program: Program, left: int, begin: int, first: int, last: int
) -> None:
    """Sources whose padding differs; the warning names the first piece, and what is undefined in the sum is NaN."""
    out = np.zeros(SIZE, np.float32)
    run = program.launch("two_sources", args=[out, np.zeros(SIZE, np.float32), left, begin], on_finding="collect")
    pieces = [(f.region.offset // 4, (f.region.offset + f.region.bytes) // 4) for f in run.findings if f.region]
    assert pieces == ([(first, last)] if last else [])
    assert np.isnan(out).sum() == (begin + 3) // 4 + (SIZE - left) - (left == 0)
