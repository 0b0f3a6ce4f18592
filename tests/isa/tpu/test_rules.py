"""Every rule that functions on tensors share, broken one at a time in a call of each form; and the call itself."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Finding, launch

from tests.isa.lane_cases import LANE_BYTES, Case, Struct, device
from tests.isa.references.numbers import size_of
from tests.isa.run_lanes import passed
from tests.isa.tpu.cases import elementwise
from tests.isa.tpu.rows import ELEMENTARY, ROWS, Row

CHIP, OLDER = "bm1690", "bm1688"
SHAPE = (1, 66, 2, 3)
#: One function for each form of arguments.
FORMS = {row.form: row for row in (*ROWS, *ELEMENTARY)}
#: What says nothing of the call.
_OTHERS = ("uninitialized", "unread", "unwritten", "unused", "unwaited", "empty")


def findings(case: Case, chip: str = CHIP) -> list[Finding]:
    def kernel(unit: Any, system: Any) -> None:
        getattr(unit, case.name)(*(passed(argument, system) for argument in case.arguments))
        unit.tpu_poll()

    run = launch(kernel, (1, 1, 1), args=[np.zeros(4096, np.uint8)], device=device(chip), on_finding="collect")
    return [finding for finding in run.findings if finding.rule not in _OTHERS]


def rules(case: Case, chip: str = CHIP) -> list[str]:
    return [finding.rule for finding in findings(case, chip)]


def call(row: Row, chip: str = CHIP) -> Case:
    """A call with lanes in front of its tensors and behind them."""
    return elementwise(chip, row, row.kinds[0], random.Random(row.name), 3, SHAPE)


def changed(case: Case, at: int, value: Any) -> Case:
    return replace(case, arguments=(*case.arguments[:at], value, *case.arguments[at + 1 :]))


def _faults(row: Row, case: Case) -> Iterator[tuple[str, Case, str]]:
    """What is wrong, the call, and the rule."""
    words = row.form.split()
    shape = words.index("shape")
    for axis in range(4):
        for size in (0, 65536):
            sizes = Struct("dim4", (*SHAPE[:axis], size, *SHAPE[axis + 1 :]))
            yield f"size {size} of {'nchw'[axis]}", changed(case, shape, sizes), "length"
    yield "no shape", changed(case, shape, Struct("dim4", None)), "argument"
    moved = [word for word in words if any(mark in word for mark in ":=*")]
    for at, word in enumerate(words):
        given = case.arguments[at]
        if any(mark in word for mark in ":=*@") and "table" not in word:
            if size_of(row.kinds[0].get(word[-1], "float")) > 1:
                yield f"{word} at an odd byte", changed(case, at, given + 1), "alignment"
            if len(moved) > 1 or "@" in word:
                yield f"{word} in another lane", changed(case, at, given + LANE_BYTES), "lane"
        if word in moved:
            name = word[: next(i for i, letter in enumerate(word) if letter in ":=*")]
            stride = words.index(f"&{name}") if f"&{name}" in words else -1
            steps = case.arguments[stride].fields if stride >= 0 else None
            if steps:
                far = Struct("dim4", (1 << 18, *steps[1:]))
                yield f"a stride of {word} too large", changed(case, stride, far), "argument"
            if steps and name == "dst":
                again = Struct("dim4", (*steps[:2], 0, steps[3]))
                yield "a place written twice", changed(case, stride, again), "argument"
        if "*" in word:
            yield f"{word} is the source", changed(case, at, case.arguments[1]), "overlap"
        if word == "mode":
            yield "no such mode", changed(case, at, 7), "argument"
        if word.startswith("#"):
            yield f"no such type {word}", changed(case, at, 63), "dtype"


@pytest.mark.parametrize("row", FORMS.values(), ids=lambda row: row.name)
def test_one_fault_one_finding(row: Row) -> None:
    case = call(row)
    assert rules(case) == []
    for what, fault, rule in _faults(row, case):
        found = findings(fault)
        assert {finding.rule for finding in found} == {rule}, f"{what}: {[*map(str, found)]}"
        assert all(finding.location.line for finding in found)


def test_past_the_end_of_a_lane() -> None:
    case = call(next(row for row in ELEMENTARY if row.name == "fp32_sqrt"))
    last = 3 * LANE_BYTES + LANE_BYTES - 64  # of two rows of lanes
    assert rules(changed(case, 0, last)) == ["bounds"]
    assert rules(changed(case, 0, last - 64)) == []


def test_tables_that_are_never_loaded() -> None:
    """From BM1690 on, nothing reads the table of powers."""
    row = next(row for row in ELEMENTARY if row.name == "fp32_exp")
    for chip, wanted in ((CHIP, ["coeff_addr"]), (OLDER, ["coeff_addr", "table_addr"])):
        case = call(row, chip)

        def kernel(unit: Any, case: Case = case) -> None:
            unit.tpu_bdc_set_C(case.arguments[1], 0, SHAPE, None, unit.DT_FP32)
            getattr(unit, case.name)(*(passed(argument, None) for argument in case.arguments))
            unit.tpu_poll()

        found = launch(kernel, (1, 1, 1), device=device(chip), on_finding="collect").findings
        assert [f.operand for f in found if f.rule == "uninitialized"] == wanted


@pytest.mark.parametrize("name", ["fp_add", "cast", "max_C", "equal"])
def test_floats_of_8_bits_begin_with_bm1690(name: str) -> None:
    row = next(row for row in ROWS if row.name == name)
    kinds = next(kinds for kinds in row.kinds if "float8e4m3" in kinds.values())
    for chip, wanted in ((CHIP, []), (OLDER, ["arch"])):
        assert rules(elementwise(chip, row, kinds, random.Random(1), 3, SHAPE), chip) == wanted


def test_pooling_in_place() -> None:
    """As public kernels do it; one lane row further on it overlaps."""

    def kernel(unit: Any, output: int) -> None:
        dtype = unit.DT_FP32
        unit.tpu_bdc_set_C(0, 0x3F800000, (1, 64, 8, 16), None, dtype)
        unit.tpu_bdc_fp_avg_pool2d(output, 0, (1, 64, 8, 16), (1, 16), (0, 0, 0, 0), (1, 1), (1, 1), dtype, 0x3F800000)
        unit.tpu_poll()

    for output, wanted in ((0, []), (64, ["overlap"]), (1024, [])):
        found = launch(kernel, (1, 1, 1), args=[output], device=device(CHIP), on_finding="collect").findings
        assert [f.rule for f in found if f.severity == "error"] == wanted


@pytest.mark.parametrize(("line", "wrong"), [(2, []), (3, ["value"]), (1 << 31, ["value"])])
def test_an_index_past_the_end_of_a_scatter(line: int, wrong: list[str]) -> None:
    """Nothing is written, not even the line whose index is right."""

    def kernel(unit: Any, out: Any, lines: Any, index: Any) -> None:
        unit.tpu_gdma_h_scatter_S2S(out, lines, index, False, (1, 2, 3, 4), 1, None, None, None, unit.DT_FP32)
        unit.tpu_poll()

    out, lines = np.full(24, 7, np.float32), np.arange(8, dtype=np.float32)
    arrays = [out, lines, np.array([1, line], np.uint32)]
    run = launch(kernel, (1, 1, 1), args=arrays, device=device(CHIP), on_finding="collect")
    found = [finding for finding in run.findings if finding.rule not in _OTHERS]
    assert [finding.rule for finding in found] == wrong
    assert all(f.message == f"index_addr[1] is {line}; it must be below shape.h, 3" for f in found)
    expected = np.full((2, 3, 4), 7)
    if not wrong:
        expected[0, 1], expected[1, 2] = lines[:4], lines[4:]
    assert out.tolist() == expected.ravel().tolist()


def test_channels_that_share_the_lines_of_a_scatter() -> None:
    """As a public kernel sums gradients of rows: only lines that an index names are written, of equal ones the last."""

    def kernel(unit: Any, out: Any, lines: Any, index: Any) -> None:
        unit.tpu_gdma_cpy_S2L(0, lines, (1, 3, 1, 2), None, None, unit.DT_FP32)
        unit.tpu_gdma_h_scatter_L2S(out, 0, index, False, (1, 3, 5, 2), 1, (0, 0, 2, 1), None, None, unit.DT_FP32)
        unit.tpu_poll()

    out, lines = np.full(10, 7, np.float32), np.arange(6, dtype=np.float32)
    arrays = [out, lines, np.array([3, 1, 3], np.uint32)]
    run = launch(kernel, (1, 1, 1), args=arrays, device=device(CHIP), on_finding="collect")
    assert [finding.rule for finding in run.findings if finding.severity != "advice"] == []
    assert out.tolist() == [7, 7, 2, 3, 7, 7, 4, 5, 7, 7]
