"""The command that mutates declared facts: what it generates, and what becomes of a mutant."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from mlusim.isa import DIALECTS, DeclarationError
from mlusim.isa.declare import Require

from tests.mutate.explained import EXPLAINED
from tests.mutate.expressions import conditions, differ, quantities
from tests.mutate.mutants import FIELDS, Mutant, every, sample
from tests.mutate.operators import Site, World, condition
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

#: Facts that were once falsified with all tests green.
FALSIFIED = (
    "__memcpy(* condition: dst % 8 == 0 -> dst % 4 == 0",
    "__memcpy(* condition: src % 8 == 0 -> src % 4 == 0",
    "__memcpy(*segnum) work: size * (segnum + 1) -> size",
    "__bang_write_value(* condition: * % 64 == 0 -> * % 32 == 0",
    "__bang_add<* condition: * % 128 == 0 -> * % 64 == 0",
    "__bang_add<* work: elem_count * max(sizeof_dst, 2) -> *",
    "__bang_half2int16_rd condition: src_count % 64 == 0 -> src_count % 32 == 0",
    "__bang_half2int16_rd work: src_count * max(sizeof_src, sizeof_dst, 2) -> *",
    "tpu_hau_sort<* work: len * 4 -> *",
)


#: All of BANG C, and some of the functions on tensors, which are hundreds alike; `make mutants` draws from all.
INSTRUCTIONS = ("__*", "tpu_hau*", "tpu_bdc_a*", "okk_bdc_a*")


@pytest.fixture(scope="module")
def mutants() -> list[Mutant]:
    return [mutant for only in INSTRUCTIONS for mutant in every(only=only)]


@pytest.mark.parametrize("pattern", FALSIFIED)
def test_a_fact_that_was_once_falsified_is_mutated(mutants: list[Mutant], pattern: str) -> None:
    name, _, fact = pattern.partition(" condition: ")
    wanted = f"{name} (*) condition: {fact}" if fact else pattern
    assert any(fnmatchcase(str(mutant), wanted) for mutant in mutants)


def test_a_limit_is_mutated_where_its_rule_can_be_in_force(mutants: list[Mutant]) -> None:
    """Where only bytes are so narrow, bytes and elements are one: no other limit."""
    entry = next(one.entry for one in mutants if str(one).startswith("__bang_conv(") and "/int16/int8" in str(one))

    def limits(when: str) -> list[str]:
        rule = Require("channel_input * sizeof_kernel % 32 == 0", when=when)
        site = Site.of(World(DIALECTS["bang"]), entry)
        assert {sizes["sizeof_kernel"] for sizes in site.sizes} == {1, 2}
        return list(condition(rule.condition, replace(site, owner=rule)))

    for when, elements in (("", True), ("sizeof_src == 2 * sizeof_kernel", False)):
        assert "channel_input * sizeof_kernel % 16 == 0" in limits(when)
        assert ("channel_input % 32 == 0" in limits(when)) is elements


def test_every_mutant_says_something_else(mutants: list[Mutant]) -> None:
    for mutant in mutants:
        assert any(getattr(mutant.owner, name) != value for name, value in mutant.values.items()), mutant


def test_a_mutant_differs_from_its_instruction_or_contradicts_itself(mutants: list[Mutant]) -> None:
    for mutant in sample(mutants, len(mutants) // 20, seed=3):
        try:
            assert mutant.changed() != mutant.entry, mutant
        except DeclarationError:
            continue


def test_a_sample_depends_on_its_seed_alone(mutants: list[Mutant]) -> None:
    drawn = sample(mutants, 20, seed=7)
    assert every(only="__bang_a*") == [mutant for mutant in mutants if mutant.entry.name.startswith("__bang_a")]
    assert drawn == sample(list(mutants), 20, seed=7)
    assert drawn != sample(mutants, 20, seed=8)
    assert [mutants.index(mutant) for mutant in drawn] == sorted(mutants.index(mutant) for mutant in drawn)
    assert sample(mutants, 10**6, seed=7) == mutants


def test_every_field_of_a_declaration_has_its_operators() -> None:
    def declared(value: Any) -> Iterator[str]:
        if is_dataclass(value):
            for field in fields(value):
                key = f"{type(value).__name__}.{field.name}"
                yield key
                if key not in FIELDS or "inside" in FIELDS[key]:
                    yield from declared(getattr(value, field.name))
        elif isinstance(value, tuple):
            for entry in value:
                yield from declared(entry)
        elif isinstance(value, dict):
            yield from declared(tuple(value.values()))

    assert {key for dialect in DIALECTS.values() for key in declared(tuple(dialect.instructions))} == set(FIELDS)


def test_an_explained_mutant_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = list(EXPLAINED)
    monkeypatch.setattr("tests.mutate.mutants.EXPLAINED", {})
    texts = {pattern: map(str, every(only=pattern)) for pattern in patterns}
    assert [pattern for pattern in patterns if not any(fnmatchcase(text, pattern) for text in texts[pattern])] == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0 < k <= n", ["1 < k <= n", "0 <= k <= n", "0 < k < n"]),
        ("a % 64 == 0", ["a % 32 == 0", "a % 128 == 0", "a % 65 == 0", "a % 64 != 0", "a % 64 == 1"]),
        ("n > 0 or m", ["n > 0", "m", "n >= 0 or m", "n > 1 or m"]),
        ("d in (4, 6)", ["d not in (4, 6)", "d in (6,)", "d in (4,)"]),
        ("s == 'wram'", ["s != 'wram'"]),
    ],
)
def test_mutants_of_a_condition(text: str, wanted: list[str]) -> None:
    assert sorted(conditions(text)) == sorted(wanted)


def test_mutants_of_an_amount_of_work() -> None:
    assert sorted(quantities("n * max(s, 2)")) == sorted(
        ["n", "max(s, 2)", "n * 2", "n * s", "n * max(s, 1)", "n * max(s, 4)", "n * max(s, 3)", "2 * (n * max(s, 2))"]
    )


@pytest.mark.parametrize(
    ("old", "new", "sizes", "wanted"),
    [
        ("n * max(sizeof_dst, 2)", "n * sizeof_dst", [2, 4], False),
        ("n * max(sizeof_dst, 2)", "n * sizeof_dst", [1], True),
        ("n * max(sizeof_dst, 2)", "n * sizeof_dst", [4, 1], True),
        ("n > 0", "n >= 1", [4], False),
        ("d != 8 or n % 64 == 0", "d != 4 or n % 64 == 0", [4], True),
        ("s == 'wram'", "s != 'wram'", [4], True),
        ("unknown(n)", "unknown(n) + 1", [4], True),
    ],
)
def test_whether_a_change_can_be_told(old: str, new: str, sizes: list[int], wanted: bool) -> None:
    assert differ(old, new, [{"sizeof_dst": size} for size in sizes]) == wanted


# --- the command ------------------------------------------------------------------------------------------------------

_ADD = """
import numpy as np
from mlusim.simulator import Device, launch

def kernel(mlu, x):
    a = mlu.nram("float", 64)
    mlu.__memcpy(a, x, 256, mlu.GDRAM2NRAM)
    mlu.__bang_add(a, a, a, 64)

def test_work():
    log = launch(kernel, args=[np.zeros(64, np.float32)], device=Device.load("mlu590")).log
    names = [log.ops[op].name for op in log.records["op"]]
    assert log.records["work"][names.index("__bang_add")] == 256
"""
_NOTHING = "def test_nothing():\n    pass\n"
_HANG = "import time\nfrom mlusim.isa import DIALECTS\n" + (
    "def test_hang():\n    if DIALECTS['bang'].instructions[0].work == 'elem_count': time.sleep(600)\n"
)
_PROCESS = """
import subprocess, sys

def test_process():
    assert subprocess.run([sys.executable, "-c", "pass"]).returncode
"""
#: Notices any mutant and knows no fact.
_ANY_CHANGE = """
from mlusim.isa import DIALECTS, declared_in

def test_files():
    assert all(declared_in(dialect) for dialect in DIALECTS.values())
"""
_WORK = "__bang_add<* work: * -> elem_count"


def mutate(tmp_path: Path, test: str, *options: str) -> tuple[int, list[str]]:
    """Exit code and lines of the command when ``test`` is all that can kill a mutant."""
    (tmp_path / "test_it.py").write_text(test)
    command = [sys.executable, "-m", "tests.mutate", *options, "--tests", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize(
    ("test", "code", "first", "last"),
    [
        (_ADD, 0, "killed ", "1 of 1 mutants killed"),
        (_NOTHING, 1, "survived ", "0 of 1 mutants killed"),
        (_HANG, 0, "killed ", "1 of 1 mutants killed"),
        (_PROCESS + _NOTHING, 1, "survived ", "0 of 1 mutants killed"),
    ],
    ids=["a test that knows the fact", "none", "a test that hangs", "a test in a process without the mutant"],
)
def test_the_command(tmp_path: Path, test: str, code: int, first: str, last: str) -> None:
    limit = "5" if test == _HANG else "60"
    found, lines = mutate(tmp_path, test, "--only", _WORK, "--verbose", "--limit", limit)
    assert (found, lines[-1]) == (code, last)
    assert lines[0].startswith(first)
    assert "elem_count * max(sizeof_dst, 2) -> elem_count" in lines[0]


def test_tests_that_fail_without_a_mutant_kill_nothing(tmp_path: Path) -> None:
    code, lines = mutate(tmp_path, _ANY_CHANGE, "--only", _WORK)
    assert code == 2
    assert lines == ["the tests fail without any mutant: " + lines[-1].partition(": ")[2]]
    assert lines[0].endswith("::test_files")
