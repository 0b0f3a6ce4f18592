"""Every declaration of a function on tensors says what the table says: types, operands, rules, work and what it does.

A rule is held by calls on both sides of its limit, on every chip, evaluated without a launch.
"""

from __future__ import annotations

import pytest
from mlusim.isa import DIALECTS, Instruction, Section, Wait, Wider

from tests.isa.facts.fact_table import FACTS
from tests.isa.stated.okk import OKK
from tests.isa.stated.tpu import TPU
from tests.isa.stated.words import CODES, NARROW, SIZES, Row, Stated
from tests.isa.tpu import MESSAGES

ROWS = (*TPU, *OKK)
#: Functions that have rows in tests/isa/facts alone.
_OTHERS = {fact.name for fact in FACTS["tpu"]} | MESSAGES


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    """All that is asked of it, in one test: pytest takes longer for a test than some of that does."""
    check_what_it_is(row)
    check_its_arguments(row)
    check_its_rules(row)
    check_its_operands_and_its_work(row)


def stated(row: Row) -> Stated:
    dialect = DIALECTS[row.name.partition("_")[0]]
    (entry,) = dialect.named(row.name)
    return Stated(row, entry)


def test_every_function_on_tensors_is_stated() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))
    declared = {entry.name for dialect in ("tpu", "okk") for entry in DIALECTS[dialect].instructions}
    waits = {name for name in declared if not {"bdc", "gdma", "sdma"} & {*name.split("_")}}
    assert declared - waits - {*names} <= _OTHERS
    assert {name for name in waits if name.startswith("tpu_")} <= _OTHERS


@pytest.mark.parametrize("name", ["okk_poll", "okk_initialize", "okk_parallel_start", "okk_parallel_end"])
def test_waits_of_okk(name: str) -> None:
    (entry,) = DIALECTS["okk"].named(name)
    opens = {"okk_parallel_start": Section(True), "okk_parallel_end": Section(False)}
    assert entry.effect == opens.get(name, Wait(("bdc", "gdma")))
    assert (entry.pipe, entry.engine, entry.work, entry.provenance) == ("sync", "", "", "documented")


def check_what_it_is(row: Row) -> None:
    held = stated(row)
    entry, facts = held.entry, row.facts
    pipe = row.name.split("_")[1]
    assert (entry.pipe, entry.engine, entry.overlap) == (pipe, row.engine, row.overlap)
    assert entry.effect.completion == ("deferred" if held.sdma else "queued")
    assert not getattr(entry.effect, "partial", False)
    assert str(entry.archs) == (">=1690" if held.sdma else "all")
    for fact in ("moves", "looks_up", "adds", "divisor", "counts"):
        assert getattr(entry, fact) == facts.get(fact, ""), fact
    assert entry.provenance == facts.get("provenance", "documented" if held.okk else "inferred")
    assert entry.wider is Wider[row.wider]
    assert not entry.inferred_types
    for argument in entry.type_arguments.values():
        assert argument.elements == {code: kind for kind, code in CODES.items()}


def check_its_arguments(row: Row) -> None:
    held = stated(row)
    parameters = {p.name: p for p in held.entry.prototype.parameters}
    declared = [{v: binding[of] for v, of in held.variables.items()} for binding in held.entry.bindings]
    assert sorted(map(str, declared)) == sorted(map(str, held.bindings or [{}]))
    for word in held.words:
        p = parameters[word.declared]
        assert p.is_memory == (word in held.operands), word
        if p.pointer:
            assert p.nullable == (word.mark == "&" or word.declared in ("padding", "stride", "dilation")), word
        if word not in held.operands:
            continue
        first = word is held.operands[0] or word.name == "count"
        assert (p.writes, p.clobbered) == (first or word.mark == "*", word.mark == "*"), word
        assert p.reads == (word.inout or not (first or word.mark == "*")), word
        assert held.entry.space_of(p) == ("system" if word.mark == "/" else "local"), word
        assert p.type == held.variables.get(word.kind, word.kind), word
        assert (p.defined, p.order) == ("", "")
        flag = {"index": "index_is_local", "mask": "mask_in_lmem"}.get(word.name, "")
        anywhere = flag and word.mark == "/" and not held.sdma
        assert p.local_if == (flag if anywhere else ""), word


def _by_size(held: Stated, arch: int) -> list[dict[str, str]]:
    """One combination of types for each combination of sizes; floats of 8 bits are none before BM1690."""
    found: dict[tuple[int, ...], dict[str, str]] = {}
    for binding in held.bindings or [{}]:
        if arch >= 1690 or not {*binding.values()} & {*NARROW.split()}:
            found.setdefault(tuple(SIZES[kind] for kind in binding.values()), binding)
    return list(found.values())


def _archs(entry: Instruction) -> tuple[int, ...]:
    if "_sdma_" in entry.name:
        return (1690,)
    return (1684,) if entry.name.startswith("okk_") else (1690, 1684, 1688)


def check_its_rules(row: Row) -> None:
    """All of them with the first types on the newest chip; of others those that depend on types, or on the chip."""
    held = stated(row)
    newest = _archs(held.entry)[0]
    addresses = {word.declared for word in held.operands}
    for arch in _archs(held.entry):
        for at, binding in enumerate(_by_size(held, arch)[: None if arch == newest else 1]):
            legal = held.bases(arch, binding, arch == newest and not at)
            assert legal or at, f"no legal call of {row.name} with {binding} on {arch}"
            for call in legal[: 2 if at else None]:
                assert not call.broken(), (call.values, call.broken())
                for name, probe in held.probes(call):
                    if not at or name in addresses:
                        assert probe.broken(name) == held.broken(probe, name), (arch, binding, name, probe.values)


def check_its_operands_and_its_work(row: Row) -> None:
    held = stated(row)
    for arch in _archs(held.entry):
        for binding in _by_size(held, arch)[: None if arch in (1684, _archs(held.entry)[0]) else 1]:
            for call in held.sizes(arch, binding):
                assert call.extents() == held.extents(call), (arch, binding, call.values)
