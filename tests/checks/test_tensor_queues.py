"""Rules on the queues of a TPU: waits, sections, and what is ordered without them."""

from __future__ import annotations

from typing import Any

import pytest
from mlusim.simulator import Device

from tests.support.tensors import LANE, ROW, add, collect, load, rules, store

CHIP = "bm1690"


@pytest.mark.parametrize("between", ["nothing", "another command", "a section", "a poll"])
def test_the_processor_waits_before_it_reads(device: Device, between: str) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones)
        store(unit, out, 0)
        if between == "another command":
            add(unit, 1024, 0, 0)
        if between == "a section":
            unit.tpu_parallel_start()
            unit.tpu_parallel_end()
        if between == "a poll":
            unit.tpu_poll()
        unit.tpu_invalidate_cache(out, 4096)
        out[3]
        unit.tpu_poll()

    findings = collect(device, kernel)[0]
    assert [(f.rule, f.instruction) for f in findings] == ([] if between == "a poll" else [("order", "scalar.load")])
    if findings:
        assert "tpu_gdma_cpy_L2S" in findings[0].message
        assert findings[0].related.line == store.__code__.co_firstlineno + 1
        assert "tpu_poll" in findings[0].suggestion


@pytest.mark.parametrize("behind", [True, False])
def test_the_processor_waits_before_it_writes_what_is_still_read(device: Device, behind: bool) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones)
        add(unit, 1024, 0, 0)
        ones[64 * 16 if behind else 7] = 2.0
        unit.tpu_flush_cache(ones, 8192)
        unit.tpu_poll()

    assert rules(device, kernel) == ([] if behind else [("order", "scalar.store")])


@pytest.mark.parametrize("polled", [True, False])
def test_other_engines_are_ordered_by_a_wait_alone(device: Device, polled: bool) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones)
        store(unit, out, 0)
        add(unit, 1024, 0, 0)
        if polled:
            unit.tpu_poll()
        unit.tpu_hau_sort(ones + 4096, out, 16, 16, True, unit.DT_FP32)
        unit.tpu_poll()

    assert rules(device, kernel) == ([] if polled else [("order", "tpu_hau_sort")])


def test_without_a_wait_the_results_are_not_there(device: Device) -> None:
    seen = []

    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones)
        store(unit, out, 0)
        seen.append(out[3])
        unit.tpu_poll()
        seen.append(out[3])

    collect(device, kernel)
    assert seen == [5, 1]


@pytest.mark.parametrize(
    ("address", "shape", "ordered"),
    [
        (0, ROW, False),  # what the sum reads
        (1024, ROW, False),  # what it writes
        (1024 + 60, (1, 64, 1, 1), False),  # a piece of it, at its end
        (2048, ROW, True),  # memory of its own
        (8 * LANE, (1, 4, 1, 16), True),  # lanes of its own
        (7 * LANE, (1, 4, 1, 16), False),  # one lane in common
        (60 * LANE + 960, (1, 5, 1, 16), False),  # round the last lane, into the next row
        (60 * LANE, (1, 5, 1, 16), True),
        (60 * LANE, (1, 4, 1, 16), True),
    ],
)
def test_in_a_section_the_queues_need_memory_of_their_own(
    device: Device, address: int, shape: tuple[int, ...], ordered: bool
) -> None:
    lanes = (1, 8, 1, 16) if shape != ROW else ROW

    def kernel(unit: Any, out: Any, ones: Any, apart: bool = False) -> None:
        load(unit, 0, ones)
        unit.tpu_parallel_start()
        add(unit, 1024, 0, 0, lanes)
        stride = None if address % 64 == 0 else (1, 1, 1, 1)
        load(unit, address, ones, shape, stride)
        unit.tpu_parallel_end()
        load(unit, 1024, ones)  # afterwards they take turns again

    assert rules(device, kernel) == ([] if ordered else [("order", "tpu_gdma_cpy_S2L")])


def test_outside_a_section_each_command_comes_after_all_others(device: Device) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones)
        add(unit, 1024, 0, 0)
        load(unit, 0, out)
        add(unit, 2048, 0, 1024)
        store(unit, out, 2048)
        add(unit, 2048, 0, 0)
        unit.tpu_poll()

    findings, out, _ = collect(device, kernel)
    assert findings == []
    assert (out[:1024] == 7).all()


def test_a_section_delays_what_is_in_it(device: Device) -> None:
    """The hostile order: what a command of one queue writes, the other one does not see before the end."""

    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones)
        add(unit, 1024, 0, 0)
        unit.tpu_parallel_start()
        load(unit, 1024, out)
        add(unit, 2048, 1024, 0)
        unit.tpu_parallel_end()
        store(unit, out, 2048)
        unit.tpu_poll()

    findings, *_ = collect(device, kernel)
    assert [(f.rule, f.instruction) for f in findings] == [("order", "tpu_bdc_fp_add")]


@pytest.mark.parametrize("wait", ["tpu_poll", "tpu_poll_descriptor", "tpu_initialize", "tpu_sync_all"])
def test_no_wait_inside_a_section(device: Device, wait: str) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        unit.tpu_parallel_start()
        getattr(unit, wait)()
        unit.tpu_parallel_end()

    assert rules(device, kernel)[:1] == [("section", wait)]


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ("start end start end", []),
        ("start start end", ["tpu_parallel_start"]),
        ("end", ["tpu_parallel_end"]),
        ("start end end", ["tpu_parallel_end"]),
        ("start", ["tpu_parallel_start"]),  # is never closed
    ],
)
def test_sections_are_opened_and_closed_in_turn(device: Device, calls: str, found: list[str]) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones)
        for call in calls.split():
            getattr(unit, f"tpu_parallel_{call}")()

    assert rules(device, kernel) == [("section", name) for name in found]
