"""Every plausible mistake is found by its rule, and the kernel without it is silent."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from mlusim.simulator import Device, KernelError, Program, Run, load
from mlusim.simulator.findings import ADVICE, RULES

from mlusim import simulator

from .corpus import MISTAKES, Mistake

SOURCE = Path(__file__).with_name("mistakes.mlu")


@cache
def built(device: str, watched: str, broken: bool) -> Program:
    """The kernels with their mistakes or without, on a device."""
    made = Device.load(device)
    if watched:
        made = made.watched(getattr(simulator, watched))
    return load([SOURCE], device=made, define=["BROKEN"] if broken else [])


def run(mistake: Mistake, broken: bool) -> Run:
    """What a launch says; errors are collected, as one may follow from another."""
    program = built(mistake.device, mistake.watched, broken)
    try:
        return program.launch(mistake.kernel, args=mistake.arguments(), on_finding="collect", **mistake.launch)
    except KernelError as error:
        return error.run


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.kernel)
def test_a_mistake_is_found_and_its_near_miss_is_silent(mistake):
    found = run(mistake, True).findings
    assert mistake.rule in {f.rule for f in found}, f"found only {[str(f) for f in found]}"
    first = next(f for f in found if f.rule == mistake.rule)
    assert first.location.line or mistake.rule == "unwritten"
    if mistake.kernel == "output_never_written":  # the line of what should have been stored
        assert "__bang_add(" in SOURCE.read_text(encoding="utf-8").splitlines()[first.related.line - 1]
    quiet = run(mistake, False).findings
    wrong = [f for f in quiet if f.severity != ADVICE or f.rule == mistake.rule != "precision"]
    assert not wrong, "\n".join(map(str, wrong))


def test_every_kernel_is_in_the_table_and_names_a_rule():
    kernels = re.findall(r"__mlu_entry__ void (\w+)", SOURCE.read_text(encoding="utf-8"))
    assert kernels == [mistake.kernel for mistake in MISTAKES]
    assert {mistake.rule for mistake in MISTAKES} <= set(RULES)
