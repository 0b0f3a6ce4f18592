"""Banks that BDC and GDMA use side by side: said where a section has such a pair, with the cycles counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Finding, Run, launch

BANK = 16 * 1024  # of a lane of a BM1690
#: 4 KB a lane, 64 cycles of 64 bytes.
SHAPE = (1, 64, 1, 1024)
BEATS = 64


def load(unit: Any, address: int, source: Any, shape: tuple[int, ...] = SHAPE) -> None:
    unit.tpu_gdma_cpy_S2L(address, source, shape, None, None, unit.DT_FP32)


def add(unit: Any, dst: int, src: int) -> None:
    unit.tpu_bdc_fp_add(dst, src, src, SHAPE, None, None, None, unit.DT_FP32)


def launched(body: Any, cores: int = 1) -> Run:
    """``body(unit, source)`` behind a load of the first bank, with a store of the first three."""

    def kernel(unit: Any, out: Any, source: Any) -> None:
        for bank in range(3):
            load(unit, bank * BANK, source)
        body(unit, source)
        for bank in range(3):
            target = out + (unit.tpu_core_index() * 3 + bank) * 65536
            unit.tpu_gdma_cpy_L2S(target, bank * BANK, SHAPE, None, None, unit.DT_FP32)
        unit.tpu_poll()

    arrays = [np.zeros(3 * 65536 * cores, np.float32), np.ones(65536, np.float32)]
    return launch(kernel, (cores, 1, 1), args=arrays, device=Device.load("bm1690"), on_finding="collect")


def banks(run: Run) -> list[Finding]:
    return [finding for finding in run.findings if finding.rule == "bank"]


@pytest.mark.parametrize(
    ("target", "bank"),
    [
        (BANK, None),  # a bank of its own
        (BANK - 4096, 0),  # the end of the bank that the addition works in
        (BANK - 2048, 0),  # half of it
        (2 * BANK, 2),  # the bank of the result, behind it
    ],
)
def test_a_load_beside_an_addition(target: int, bank: int | None) -> None:
    def body(unit: Any, source: Any) -> None:
        unit.tpu_parallel_start()
        add(unit, 2 * BANK + 4096, 0)
        load(unit, target, source)
        unit.tpu_parallel_end()

    run = launched(body)
    if bank is None:
        assert banks(run) == []
        return
    (found,) = banks(run)
    cycles = BEATS // 2 if target == BANK - 2048 else BEATS  # the fewer of both engines'
    assert f" and tpu_bdc_fp_add use bank {bank} of local memory" in found.message
    assert f"up to {cycles} cycles" in found.message
    assert (found.severity, found.instruction, found.provenance) == ("advice", "tpu_gdma_cpy_S2L", "inferred")
    assert found.related is not None


def test_only_what_runs_side_by_side_shares() -> None:
    def without_a_section(unit: Any, source: Any) -> None:
        add(unit, 4096, 0)
        load(unit, 8192, source)

    def in_two_sections(unit: Any, source: Any) -> None:
        unit.tpu_parallel_start()
        add(unit, 4096, 0)
        unit.tpu_parallel_end()
        unit.tpu_parallel_start()
        load(unit, 8192, source)
        unit.tpu_parallel_end()

    def of_one_engine(unit: Any, source: Any) -> None:
        unit.tpu_parallel_start()
        load(unit, 4096, source)
        load(unit, 8192, source)
        unit.tpu_parallel_end()

    for body in (without_a_section, in_two_sections, of_one_engine):
        assert banks(launched(body)) == []


@pytest.mark.parametrize(("lane", "said"), [(8, 0), (7, 1), (60, 1), (56, 0)])
def test_every_lane_has_banks_of_its_own(lane: int, said: int) -> None:
    """An addition in lanes 0 to 7, a load into eight lanes from another one on, counted round."""

    def body(unit: Any, source: Any) -> None:
        unit.tpu_parallel_start()
        unit.tpu_bdc_fp_add(4096, 0, 0, (1, 8, 1, 1024), None, None, None, unit.DT_FP32)
        load(unit, lane * 16 * BANK + 8192, source, (1, 8, 1, 1024))
        unit.tpu_parallel_end()

    assert len(banks(launched(body))) == said


def test_sections_and_cores_are_counted_and_the_worst_is_told() -> None:
    def body(unit: Any, source: Any) -> None:
        for turn in range(3):
            unit.tpu_parallel_start()
            for _ in range(turn + 1):
                load(unit, 8192, source)
            for _ in range(2):
                add(unit, 4096, 0)
            unit.tpu_parallel_end()

    (found,) = banks(launched(body, cores=2))
    assert found.count == 2 * 3
    assert f"up to {3 * BEATS} cycles" in found.message  # three loads; two additions have three operands each


def test_a_hazard_is_told_alone() -> None:
    def body(unit: Any, source: Any) -> None:
        unit.tpu_parallel_start()
        add(unit, 4096, 0)
        load(unit, 0, source)
        unit.tpu_parallel_end()

    run = launched(body)
    assert [finding.rule for finding in run.findings if finding.severity == "error"] == ["order"]
    assert banks(run) == []


def test_all_lines_that_share_a_bank_are_one_finding() -> None:
    def body(unit: Any, source: Any) -> None:
        unit.tpu_parallel_start()
        add(unit, 4096, 0)
        unit.tpu_gdma_cpy_S2L(8192, source, (1, 64, 1, 512), None, None, unit.DT_FP32)
        load(unit, 12288, source)  # twice as much, and so the one to begin with
        unit.tpu_parallel_end()

    (found,) = banks(launched(body))
    assert f"up to {BEATS} cycles" in found.message
    (other,) = found.also
    assert other.line == body.__code__.co_firstlineno + 3
    assert found.count == 2
