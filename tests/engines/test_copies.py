"""Asynchronous copies of CUDA: they arrive as late as the kernel allows, and what does not wait for them is found."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import Device, Finding, Program, load

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "copies.cu"
TILE, TILES = 64, 7


@pytest.fixture(scope="module")
def program() -> Program:
    instances = [f"pipeline<{slip}>" for slip in range(6)]
    return load([SOURCE], device=Device.load("cuda-sm80"), instances=[*instances, "of_group<float>", "of_group<short>"])


def piped(program: Program, slip: int) -> tuple[np.ndarray, np.ndarray, list[Finding]]:
    """What a pipeline computes, what it should, and its findings."""
    given = np.random.default_rng(1).standard_normal((TILES, TILE, 4)).astype("f")
    out = np.zeros(TILE, "f")
    run = program.launch(f"pipeline<{slip}>", 1, block=TILE, args=[given, out, TILES], on_finding="collect")
    return out, given[:, ::-1].sum((0, 2)), run.findings


def test_a_pipeline(program: Program) -> None:
    out, right, findings = piped(program, 0)
    assert findings == []
    np.testing.assert_allclose(out, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("slip", "rules", "line"),
    [
        (1, {"order"}, "use"),  # never committed
        (2, {"order"}, "use"),  # never waited for
        (3, {"order"}, "use"),  # waits for one batch too few
        (4, {"race"}, "copy"),  # no barrier
        (5, {"race"}, "use"),  # overwrites what others still read
    ],
)
def test_a_slip_in_a_pipeline(program: Program, slip: int, rules: set[str], line: str) -> None:
    _, _, findings = piped(program, slip)
    assert {f.rule for f in findings} <= rules
    assert findings[0].location.line == line_of(SOURCE, f"// line: {line}")
    assert findings[0].severity == "error"


def test_an_early_use_names_the_copy(program: Program) -> None:
    first = piped(program, 2)[2][0]
    assert "which an asynchronous copy may not have reached" in first.message
    assert first.related.line == line_of(SOURCE, "// line: copy")


def test_a_tail_is_filled_with_zeros(program: Program) -> None:
    given, out = np.arange(1, 38, dtype="f"), np.ones(TILE, "f")
    assert program.launch("tail", 1, block=TILE, args=[given, out, given.size]).findings == []
    assert out.tolist() == [*given, *[0] * (TILE - given.size)]


@pytest.mark.parametrize(("dtype", "n", "first"), [("f", 40, 0), ("f", 41, 1), ("i2", 96, 0), ("i2", 37, 3)])
def test_copies_of_a_group(program: Program, dtype: str, n: int, first: int) -> None:
    """In pieces of 16, 4, 2 and 1 bytes, as the addresses and the length allow."""
    given, out = np.arange(n + first).astype(dtype), np.zeros(2 * n, dtype)
    run = program.launch("of_group", 1, block=32, args=[given, out, n, first], shared=2 * n * given.itemsize)
    assert run.findings == []
    assert out.tolist() == [*given[first : first + n][::-1], *np.roll(given[:n], -1)]


@pytest.mark.parametrize(
    ("size", "shift", "rule", "message"),
    [
        (12, 0, "assert", "size is 4, 8 or 16"),
        (16, 1, "alignment", "not aligned to its size"),
        (16, 8, "bounds", "passes its end"),
    ],
)
def test_copies_that_the_hardware_has_not(program: Program, size: int, shift: int, rule: str, message: str) -> None:
    run = program.launch("odd", 1, block=1, args=[np.ones(4, "f"), np.ones(1, "f"), size, shift], on_finding="collect")
    assert [(f.rule, f.location.line) for f in run.findings] == [(rule, line_of(SOURCE, "// line: odd$"))]
    assert message in run.findings[0].message
