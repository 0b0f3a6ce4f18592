"""Queues of a TPU: in turns outside a section, side by side inside one; the kernel's processor waits by itself.

Source: tpu_api.md, "Ordering", `tpu_poll`, `tpu_parallel_start`, `tpu_parallel_end`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import launch

from tests.isa.facts.call import Call, typical
from tests.isa.facts.fact import Fact, Form
from tests.isa.facts.fact_table import FACTS
from tests.isa.facts.probe import UNINITIALIZED, Outcome, Step, device, newest, run
from tests.isa.facts.tensor import Dim4, lanes_of
from tests.isa.facts.tpu_control import FP32

QUEUED = [fact for fact in FACTS["tpu"] if fact.effect == "queued"]
OTHER = {"bdc": "gdma", "gdma": "bdc"}
START, END, POLL = "tpu_parallel_start", "tpu_parallel_end", "tpu_poll"
_ELEMENT = Dim4(1, 1, 1, 1)
#: Offset in a lane that no call here reaches.
_FREE = 100 << 10


def _call(fact: Fact) -> Call:
    """A legal call on elements of 4 bytes."""
    form: Form = next(form for form in fact.forms if not fact.codes or str(form.binding) == "float")
    return typical(form, newest(form))


def _steps(*steps: Step | str) -> Step:
    """Several steps, one after the other; a text is an instruction without arguments."""

    def step(tpu: Any, array: Any) -> None:
        for one in steps:
            getattr(tpu, one)() if isinstance(one, str) else one(tpu, array)

    return step


def _touch(pipe: str, address: int, writes: bool) -> Step:
    """A command of a queue that reads or writes one element of local memory."""

    def step(tpu: Any, array: Any) -> None:
        lane = address // tpu._machine.map.lanes.size * tpu._machine.map.lanes.size
        if pipe == "gdma" and writes:
            tpu.tpu_gdma_cpy_S2L(address, array, _ELEMENT, None, None, FP32)
        elif pipe == "gdma":
            tpu.tpu_gdma_cpy_L2S(array, address, _ELEMENT, None, None, FP32)
        else:
            dst, src = (address, lane + _FREE) if writes else (lane + _FREE, address)
            tpu.tpu_bdc_fp_add(dst, src, src, _ELEMENT, None, None, None, FP32)

    return step


def _conflicts(call: Call) -> Iterator[tuple[int, list[int], bool]]:
    """An address in every operand, others beside it, and whether another command there writes: one of both must."""
    chip = call.chip
    assert chip
    for operand in call.form.fact.operands:
        if operand.is_local:
            address = call.address(operand)
            beside = [address + -(-call.span(operand)[1] // 64) * 64]
            lanes = len(lanes_of(operand.tensor(call.names)[0], 0, chip))
            beside += [address + lanes * chip.lane_bytes] if lanes < chip.lanes else []
            for writes in (True, False) if operand.writes else (True,):
                yield address, beside, writes


def _rules(outcome: Outcome) -> list[str]:
    return [finding.rule for finding in outcome.findings if finding.rule not in (UNINITIALIZED, "unused", "bank")]


@pytest.mark.parametrize("fact", QUEUED, ids=str)
def test_in_a_section_the_queues_do_not_wait_for_each_other(fact: Fact) -> None:
    call = _call(fact)
    for address, beside, writes in _conflicts(call):
        touch = _touch(OTHER[fact.pipe], address, writes)
        missed = run(call, first=_steps(START, touch), last=_steps(END))
        assert (_rules(missed), missed.rows[0].serial) == (["order"], False), f"{call}: {address:#x}"
        others = (
            _steps(START, _touch(fact.pipe, address, writes)),  # its own queue
            _steps(START, touch, END, START),
            _steps(touch, START),
            *(_steps(START, _touch(OTHER[fact.pipe], other, writes)) for other in beside),
        )
        for first in others:
            assert _rules(run(call, first=first, last=_steps(END))) == [], f"{call}: {address:#x}"


@pytest.mark.parametrize("fact", QUEUED, ids=str)
def test_outside_a_section_the_queues_take_turns(fact: Fact) -> None:
    call = _call(fact)
    for address, _, writes in _conflicts(call):
        for pipe in OTHER:
            outcome = run(call, first=_touch(pipe, address, writes))
            assert (_rules(outcome), outcome.rows[0].serial) == ([], True), f"{call}: {address:#x}"
            assert outcome.rows[0].op.queues == ("bdc", "gdma")


@pytest.mark.parametrize("fact", QUEUED, ids=str)
def test_the_processor_has_to_wait(fact: Fact) -> None:
    call = _call(fact)
    for operand in fact.operands:
        if operand.writes and not operand.is_work:
            assert "order" in _rules(run(call, load=[(operand.name, 0)], wait=False)), f"{call}: {operand.name}"
            assert "order" not in _rules(run(call, load=[(operand.name, 0)])), f"{call}: {operand.name}"


def test_each_command_sees_the_earlier_ones() -> None:
    def kernel(tpu: Any, array: Any) -> None:
        tpu.tpu_gdma_cpy_S2L(0, array, _ELEMENT, None, None, FP32)
        tpu.tpu_bdc_fp_add(64, 0, 0, _ELEMENT, None, None, None, FP32)
        tpu.tpu_gdma_cpy_L2S(array + 1, 64, _ELEMENT, None, None, FP32)
        tpu.tpu_gdma_cpy_S2L(0, array + 1, _ELEMENT, None, None, FP32)
        tpu.tpu_bdc_fp_mul(64, 0, 0, _ELEMENT, None, None, None, FP32)
        tpu.tpu_gdma_cpy_L2S(array + 2, 64, _ELEMENT, None, None, FP32)
        tpu.tpu_poll()

    held = np.array([3, 0, 0], np.float32)
    launch(kernel, (1, 1, 1), args=[held], device=device("tpu", 1690))
    assert held.tolist() == [3, 6, 36]


@pytest.mark.parametrize(
    ("calls", "blamed"),
    [
        ((START, END), ""),
        ((START, END, POLL, START, END, POLL), ""),
        ((START, POLL, END), POLL),
        ((START, START, END), START),
        ((END,), END),
        ((START, END, END), END),
    ],
)
def test_sections_open_and_close(calls: tuple[str, ...], blamed: str) -> None:
    made = launch(
        _steps(*calls), (1, 1, 1), args=[np.zeros(1, np.float32)], device=device("tpu", 1690), on_finding="collect"
    )
    assert [(f.rule, f.instruction) for f in made.findings if f.rule != "empty"] == [("section", blamed)] * bool(blamed)
