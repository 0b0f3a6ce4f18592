"""Every declared rule of every function, broken by itself in a legal call, is one finding; a legal call is none."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlusim.isa import DIALECTS, FUNCTIONS, STRUCTS, Instruction, Kind, Require, names_of
from mlusim.simulator import Finding, launch

from tests.okk.lanes import LANE_BYTES, LANES, WORDS, device
from tests.support.expressions import compiled

OKK = DIALECTS["okk"]
ENTRIES = {entry.name: entry for entry in OKK.instructions if entry.written}
#: Bytes of a lane between operands.
APART = 2048
NUMBERS = {
    "output_c": 5, "kernel_h": 2, "kernel_w": 2, "num_series": 5, "C": 3, "rows": 4, "cols": 12, "row_stride": 16,
    "cols_per_channel": 5, "left_rows": 3, "left_cols": 12, "right_cols": 8, "left_cols_per_channel": 5,
    "right_cols_per_channel": 4, "using_bias": 1, "result_add": 0, "select_val": 9,
}  # fmt: skip
STRUCTURES: dict[str, tuple[int, ...]] = {
    "shape": (2, 3, 2, 4), "input_shape": (2, 3, 5, 6), "padding": (1, 0, 2, 1), "stride": (2, 1), "dilation": (1, 2),
    "kernel_stride": (4, 4, 2, 1), "input_stride": (120, 40, 7, 1),
}  # fmt: skip
TRIED = (0, -1, 1, 2, 3, 13, 15, 16, 33, -33, 64, 65, 129, 2048, 4095, 4096, 65535, 65536, 1 << 20)


@dataclass(frozen=True)
class Call:
    """An instruction, and its arguments by name; an operand is an address in local or an offset in system memory."""

    entry: Instruction
    values: dict[str, Any]

    @property
    def names(self) -> dict[str, Any]:
        """What expressions of the declaration may name."""
        given: dict[str, Any] = {**FUNCTIONS, "lanes": LANES, "lane_bytes": LANE_BYTES, "eu_bytes": 128, **self.values}
        for p in self.entry.prototype.parameters:
            value = self.values[p.name]
            if p.kind is Kind.STRUCT and value is not None:
                given[p.name] = STRUCTS[p.type].make(*value)
            if p.is_memory:
                address = value[1] if p.kind is Kind.VARIABLE else value
                given[p.name] = address
                given[f"sizeof_{p.name}"] = p.element(self.entry.bindings[0]).size
                given[f"lane_{p.name}"] = address // LANE_BYTES
                given[f"placed_{p.name}"] = p.kind is Kind.VARIABLE and value[0] != 1
        for name, text in self.entry.let.items():
            given[name] = eval(compiled(text), {}, given)
        return given

    def broken(self) -> list[Require]:
        """The rules that do not hold."""
        names = self.names
        rules = [rule for rule in self.entry.rules if isinstance(rule, Require)]
        in_force = [rule for rule in rules if not rule.when or eval(compiled(rule.when), {}, names)]
        return [rule for rule in in_force if not eval(compiled(rule.condition), {}, names)]

    def having(self, name: str, value: Any) -> Call:
        return replace(self, values={**self.values, name: value})


def legal(entry: Instruction, given: bool, channels: int = 3) -> Call:
    """A call with null structures where that is allowed, or with all of them."""
    values: dict[str, Any] = {}
    place = itertools.count(1)
    for p in entry.prototype.parameters:
        if p.kind is Kind.VARIABLE:
            values[p.name] = (0, next(place) * APART) if given else (1, 7)
        elif p.is_lanes:
            values[p.name] = next(place) * APART
        elif p.is_memory:
            values[p.name] = 512 * next(place)
        elif p.kind is Kind.STRUCT:
            found = STRUCTURES.get(p.name, (70, 30, 9, 1) if p.name.endswith("stride") else None)
            if p.name == "shape" and found:
                found = (found[0], channels, *found[2:])
            values[p.name] = None if p.nullable and not given else found
        else:
            values[p.name] = NUMBERS[p.name]
    return Call(entry, values)


def breaking(call: Call, rule: Require) -> Iterator[Call]:
    """Calls that break a rule and no other: one argument or field changed, or an operand moved."""
    named = names_of(rule.condition) | {n for text in call.entry.let.values() for n in names_of(text)}
    for p in call.entry.prototype.parameters:
        value = call.values[p.name]
        if value is None or (p.name not in named and f"lane_{p.name}" not in named):
            continue
        if p.kind is Kind.STRUCT:
            changes = [(*value[:n], new, *value[n + 1 :]) for n in range(len(value)) for new in TRIED]
        elif p.kind is Kind.VARIABLE:
            changes = [(value[0], value[1] + step) for step in (1, 2, 64, LANE_BYTES)]
        elif p.is_memory:
            changes = [value + step for step in (1, 2, 64, LANE_BYTES)]
        else:
            changes = list(TRIED)
        for new in changes:
            if (changed := call.having(p.name, new)).broken() == [rule]:
                yield changed


@cache
def array() -> Any:
    return device().array(np.zeros(1 << 16, np.uint8))


def run(call: Call) -> tuple[list[Finding], bool]:
    """What an instruction is blamed for, and whether local memory has changed."""
    before = np.full((LANES, WORDS), 0, np.uint32)
    after = before.copy()
    entry = call.entry

    def kernel(unit: Any, held: Any, out: Any, back: Any) -> None:
        whole = (1, LANES, 1, WORDS)
        unit.okk_gdma_32bit_cpy_S2L(0, held, whole, None, None)
        passed = []
        for p in entry.prototype.parameters:
            value = call.values[p.name]
            if p.kind is Kind.SYSTEM:
                value = (out + value).cast(p.element(entry.bindings[0]).name)
            passed.append(value)
        getattr(unit, entry.name)(*passed)
        unit.okk_gdma_32bit_cpy_L2S(back, 0, whole, None, None)
        unit.okk_poll()

    done = launch(kernel, (1, 1, 1), args=[before, array(), after], device=device(), on_finding="collect")
    return [f for f in done.findings if f.instruction == entry.name], bool(after.any())


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("given", [False, True], ids=["null", "given"])
def test_a_legal_call_is_silent(name: str, given: bool) -> None:
    call = legal(ENTRIES[name], given)
    assert call.broken() == []
    assert run(call)[0] == []


@pytest.mark.parametrize("name", ENTRIES)
def test_each_rule_is_checked(name: str) -> None:
    entry = ENTRIES[name]
    calls = [legal(entry, True), legal(entry, False), legal(entry, True, 70)]
    if "row_stride" in calls[0].values:
        calls.append(calls[0].having("row_stride", 1 << 20))
    if "kernel_h" in calls[0].values:  # of a window of one element, padding may be all there is
        small = calls[0].having("kernel_h", 1).having("kernel_w", 1)
        large = small.having("padding", (0, 0, 0, 0))
        calls += [small, *(large.having("input_shape", size) for size in ((2, 3, 2047, 6), (2, 3, 5, 2047)))]
    for rule in entry.rules:
        assert isinstance(rule, Require)
        fault = next((f for call in calls for f in breaking(call, rule)), None)
        assert fault is not None, f"nothing breaks {rule} of {name} alone"
        found, changed = run(fault)
        # What lies elsewhere in consequence may pass the end of a lane, or reach into another operand.
        rules = [f.rule for f in found if f.rule not in ("bounds", "overlap")]
        assert rules == [rule.rule], (rule, fault.values, [f.message for f in found])
        assert not (changed and rule.needed), rule


@pytest.mark.parametrize("name", ENTRIES)
def test_a_tensor_past_the_end_of_a_lane(name: str) -> None:
    entry = ENTRIES[name]
    call = legal(entry, False)
    for p in entry.prototype.parameters:
        if p.kind is Kind.TENSOR:
            (finding,), changed = run(call.having(p.name, LANE_BYTES - 128))
            assert (finding.rule, finding.operand) == ("bounds", p.name)
            assert not changed
            break


@pytest.mark.parametrize("name", [n for n, e in ENTRIES.items() if e.overlap != "any"])
def test_a_result_in_part_over_a_source(name: str) -> None:
    entry = ENTRIES[name]
    call = legal(entry, False)
    target = entry.written[0].name
    tensors = [p for p in entry.read if p.kind is Kind.TENSOR and p.name != target]
    for source in tensors[:1]:
        at = call.values[source.name]
        found, _ = run(call.having(target, at + 128))
        assert "overlap" in [f.rule for f in found]
        found, _ = run(call.having(target, at))
        assert ("overlap" in [f.rule for f in found]) == (entry.overlap == "none")
