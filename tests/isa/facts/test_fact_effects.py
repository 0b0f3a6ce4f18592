"""When the effect of every row happens, which syncs wait for it, and which cores meet in a barrier."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import launch

from tests.isa.facts.call import typical
from tests.isa.facts.fact import Fact, Form
from tests.isa.facts.fact_table import FACTS
from tests.isa.facts.probe import STALE, content, device, newest, run
from tests.isa.facts.probe import rows as log_rows
from tests.isa.facts.rows import of_rows


@of_rows(lambda fact: any(o.writes for o in fact.operands))
def check_outputs_change_when_the_row_says(forms: list[Form]) -> None:
    for form in forms:
        call = typical(form, newest(form))
        outcome = run(call, look=True)
        issued, waited = outcome.contents
        for operand in form.fact.operands:
            base, after = waited[operand.name]
            if operand.writes and not operand.is_work:
                old = {content(form, operand)}
                first = outcome.addresses[0][operand.name] + call.span(operand)[0] - base
                end = first + call.span(operand)[1]
                assert set(after[:first] + after[end:]) == old, f"{call}: {operand.name} beyond its bytes"
                assert set(after[first:end]) != old, f"{call}: {operand.name} is as before"
                at_once = issued[operand.name][1] == after
                in_order = form.case is not None and form.case.pipe == "compute"
                late = form.fact.effect in ("deferred", "queued") and not in_order
                assert at_once != late, f"{call}: {operand.name} as issued"
            elif not operand.writes:
                assert issued[operand.name] == waited[operand.name], f"{call}: {operand.name} changed"


SYNCS = [fact for facts in FACTS.values() for fact in facts if fact.waits]
#: An instruction of each pipe whose effect a sync must wait for; the compute pipe has none.
IN_FLIGHT = {"bang": ("io", "move"), "tpu": ("hau", "bdc", "gdma")}
_SIZE = 256


@pytest.mark.parametrize(
    ("fact", "pipe"),
    [
        pytest.param(fact, pipe, id=f"{fact}-{pipe}")
        for fact in SYNCS
        for pipe in IN_FLIGHT["tpu" if fact.name.startswith("tpu") else "bang"]
    ],
)
def test_a_sync_waits_for_its_pipes_and_no_others(fact: Fact, pipe: str) -> None:
    seen: list[bool] = []
    sync = fact.asm or fact.name

    def bang(mlu: Any, source: Any) -> None:
        a, b, c = mlu.wram("float", _SIZE // 4), *(mlu.nram("float", _SIZE // 4) for _ in range(2))
        call = getattr(mlu, "__memcpy")
        call(a, source, _SIZE, mlu.GDRAM2WRAM)
        call(b, source, _SIZE, mlu.GDRAM2NRAM)
        ctypes.memset(b.address, STALE, _SIZE)
        start = source if pipe == "io" else a
        getattr(mlu, "__memcpy_async")(b, start, _SIZE, mlu.GDRAM2NRAM if pipe == "io" else mlu.WRAM2NRAM)
        getattr(mlu, sync)(*(0 for _ in fact.names))
        seen.append(ctypes.string_at(b.address, 1)[0] != STALE)
        getattr(mlu, "__bang_square")(c, b, _SIZE // 4)

    def tpu(tpu: Any, source: Any) -> None:
        local = tpu._machine.map.memories["local"].base
        out = source + (_SIZE // 4 if pipe != "bdc" else (local - source.address) // 4)
        ctypes.memset(out.address, STALE, _SIZE)
        if pipe == "hau":
            tpu.tpu_hau_sort(out, source, _SIZE // 4, _SIZE // 4, 0, tpu.DT_FP32)
        elif pipe == "bdc":
            tpu.tpu_bdc_set_C(0, 0, (1, 1, 1, _SIZE // 4), None, tpu.DT_FP32)
        else:
            tpu.tpu_gdma_cpy_L2S(out, 0, (1, 1, 1, _SIZE // 4), None, None, tpu.DT_FP32)
        getattr(tpu, sync)()
        seen.append(ctypes.string_at(out.address, 1)[0] != STALE)
        out[0]

    kernel, on = (tpu, device("tpu", 1690)) if fact.name.startswith("tpu") else (bang, device("bang", 592))
    run = launch(kernel, (1, 1, 1), args=[np.zeros(_SIZE // 2, np.float32)], device=on, on_finding="collect")
    waits = pipe in fact.waits.split()
    assert seen[0] == waits
    assert ("order" in {finding.rule for finding in run.findings}) == (not waits)


BARRIERS = [fact for fact in SYNCS if fact.joins]
#: Cores of a cluster, and clusters of a union, in the launches below.
_CORES, _CLUSTERS = 4, 2


def _members(joins: str, cores: int) -> set[frozenset[int]]:
    """The cores that meet, by number, where ``cores`` is the number of the first memory core."""
    who, _, where = joins.partition(" of a ")
    groups = []
    for cluster in range(_CLUSTERS):
        group = set(range(cluster * _CORES, (cluster + 1) * _CORES)) if who.startswith("cores") else set()
        groups.append(group | ({cores + cluster} if "memory cores" in who else set()))
    return {frozenset(group) for group in (groups if where == "cluster" else [set().union(*groups)])}


@pytest.mark.parametrize("fact", BARRIERS, ids=str)
def test_who_meets_in_a_barrier(fact: Fact) -> None:
    is_tpu = fact.name.startswith("tpu")
    on = device("tpu", 1690) if is_tpu else device("bang", 592)

    def kernel(context: Any) -> None:
        getattr(context, fact.name)()

    made = launch(kernel, (_CORES * _CLUSTERS, 1, 1), None if is_tpu else "union2", device=on)
    met: dict[int, set[int]] = {}
    for row in log_rows(made.log, fact.name):
        met.setdefault(row.work, set()).add(row.core)
    assert {frozenset(cores) for cores in met.values()} == _members(fact.joins, on.shape.cores)


@of_rows(lambda fact: bool(fact.operands) and not fact.name.startswith("tpu"))
def check_which_cores_of_a_union_execute(forms: list[Form]) -> None:
    for form in forms if forms[0].case else forms[:1]:
        call = typical(form, newest(form))
        executed = sorted(row.core for row in run(call, union=True).rows)
        memory_core = device("bang", call.arch).shape.cores
        if form.case and form.case.by_memory_core:
            wanted = [memory_core]
        elif {"nram", "wram"} & {call.space(operand) for operand in form.fact.operands}:
            wanted = [0, 1, 2, 3]  # the memory core has neither
        else:
            wanted = [0, 1, 2, 3, memory_core]
        assert executed == wanted, str(call)
