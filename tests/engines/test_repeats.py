"""Calls of queued commands that are made again: native code does what the ports in Python do, and most plain ones."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Program, Run, load
from mlusim.simulator.core.machine import Machine
from mlusim.simulator.engines.tasks import runner

from tests.support.paths import KERNELS_C

#: As in the kernel.
KINDS = [
    "load", "store", "move", "matrix_in", "matrix_out", "multiply", "convolve", "sum", "open", "close", "wait",
    "scalar", "clean", "undefine", "transpose",
]  # fmt: skip
#: Steps of the table of the kernel, and numbers of a step.
STEPS, NUMBERS = 40, 7
Step = tuple[str, int, int, int, int, int, int]  # kind, times, to, from, other, form, adds


@pytest.fixture(params=["bm1684", "bm1684x", "bm1690"])
def program(request: pytest.FixtureRequest) -> Program:
    define = ["OKK"] if request.param == "bm1684" else []
    return load([KERNELS_C / "repeats.c"], device=Device.load(request.param), define=define)


def run(
    program: Program, steps: list[Step], native: bool, monkeypatch: pytest.MonkeyPatch, given: Any = None
) -> tuple[Run, np.ndarray]:  # fmt: skip
    monkeypatch.setattr(runner, "NATIVE_PORTS", native)
    if given is None:
        chance = np.random.default_rng(len(steps))
        given = chance.uniform(-1, 1, 1 << 15).astype(np.float32)
        given[chance.random(len(given)) < 0.05] = 1e-40  # subnormal
    out = np.zeros(1 << 15, np.float32)
    table = np.zeros((STEPS, NUMBERS), np.int32)
    table[: len(steps)] = [(KINDS.index(kind), *numbers) for kind, *numbers in steps]
    arguments: dict[str, Any] = {"out": out, "in": given, "count": len(steps), "steps": table}
    return program.launch("table", args=arguments, on_finding="collect", isolate=False), out


def drawn(chance: random.Random) -> list[Step]:
    """A table: memory that is filled, and then anything, much of it again."""
    steps: list[Step] = [("load", 1, slot, slot, 0, 3, 0) for slot in range(4)]
    steps += [("matrix_in", 2, slot, slot, 0, 4, 0) for slot in range(3)]
    kinds = [kind for kind in KINDS if kind != "scalar" or chance.random() < 0.2]
    kept: list[Step] = []
    while len(steps) < STEPS - 2:
        if kept and chance.random() < 0.4:
            steps.append(chance.choice(kept))
            continue
        numbers = (
            chance.randint(1, 9),
            *(chance.randrange(4) for _ in range(3)),
            chance.randrange(8),
            chance.random() < 0.5,
        )
        kept.append((chance.choice(kinds), *numbers))
        steps.append(kept[-1])
    return steps


def bits(floats: np.ndarray) -> bytes:
    """Those of floats; all that are not a number are alike, as they are to NumPy's own products."""
    return np.where(np.isnan(floats), np.float32(np.nan), floats).tobytes()


def differences(program: Program, steps: list[Step], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is not the same of a launch if native code carries out calls that are made again."""
    (first, out), (second, other) = (run(program, steps, native, monkeypatch) for native in (True, False))
    same = {
        "results": bits(out) == bits(other),
        "records": first.log.records.tobytes() == second.log.records.tobytes(),
        "operands": first.log.operands.tobytes() == second.log.operands.tobytes(),
        "runs": first.log.runs.tobytes() == second.log.runs.tobytes(),
        "findings": [str(finding) for finding in first.findings] == [str(finding) for finding in second.findings],
        "counts": [finding.count for finding in first.findings] == [finding.count for finding in second.findings],
    }
    return [what for what, holds in same.items() if not holds]


@pytest.mark.parametrize("seed", range(20))
def test_both_ways_are_the_same(program: Program, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not differences(program, drawn(random.Random(seed)), monkeypatch)


def left_to_python(program: Program, steps: list[Step], monkeypatch: pytest.MonkeyPatch) -> tuple[Counter[str], Run]:
    """How often Python has carried out each instruction."""
    taken: Counter[str] = Counter()
    make = Machine.port

    def counted(self: Machine, number: int) -> Any:
        name, port = self.dialect.overloads[number].name, make(self, number)

        def issue(*numbers: Any) -> Any:
            taken[name] += 1
            return port(*numbers)

        return issue

    with monkeypatch.context() as patch:
        patch.setattr(Machine, "port", counted)
        made, _ = run(program, steps, True, patch)
    return taken, made


#: What fills the memory that other steps use; and steps of calls like each other.
FILLED: list[Step] = [("load", 1, slot, 0, 0, 3, 0) for slot in range(3)]
TIMES, FIRST = 40, 5
ALIKE: dict[str, Step] = {
    "load": ("load", TIMES, 0, 0, 0, 1, 0),
    "move": ("move", TIMES, 1, 0, 0, 3, 0),
    "matrix": ("matrix_in", TIMES, 0, 0, 0, 4, 0),
    "product": ("multiply", TIMES, 2, 0, 1, 0, 1),
    "convolution": ("convolve", TIMES, 2, 0, 1, 0, 0),
    "columns for rows": ("transpose", TIMES, 0, 0, 0, 1, 0),
    "a broken rule": ("matrix_in", TIMES, 0, 0, 0, 0, 1),
}


@pytest.mark.parametrize("alike", ALIKE)
@pytest.mark.parametrize("beside", [False, True], ids=["in turn", "side by side"])
def test_calls_like_the_first_need_no_python(
    program: Program, alike: str, beside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, okk = ALIKE[alike], program.device.isa == "okk"
    around: tuple[list[Step], list[Step]] = ([("open", 1, 0, 0, 0, 0, 0)], [("close", 1, 0, 0, 0, 0, 0)])
    before, behind = around if beside else ([], [])
    taken, made = left_to_python(program, [*FILLED, step, *before, step, *behind], monkeypatch)
    names = Counter(made.log.ops[number].name for number in made.log.records["op"])
    missing = {"convolution": not okk, "columns for rows": okk}.get(alike, False)
    assert (max(names.values()) >= 2 * TIMES) is not missing
    tasks = len(np.unique(made.log.records["task"]))  # each on a core of its own
    assert sum(taken.values()) <= tasks * (FIRST + len(FILLED) + 2)  # the first wait, and the last one


def test_sections_need_no_python(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    empty: list[Step] = [("open", 1, 0, 0, 0, 0, 0), ("close", 1, 0, 0, 0, 0, 0)]
    taken, made = left_to_python(program, empty * 10, monkeypatch)
    names = Counter(made.log.ops[number].name.partition("_")[2] for number in made.log.records["op"])
    tasks = names["initialize"]
    assert names["parallel_start"] == names["parallel_end"] == 10 * tasks
    assert sum(taken.values()) == 2 * tasks
    assert "section" in {finding.rule for finding in run(program, empty[:1], True, monkeypatch)[0].findings}


def test_what_python_has_to_see(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that becomes uninitialized, and stores of scalar code that an engine may not see."""
    load: Step = ("load", TIMES, 0, 0, 0, 0, 0)
    store: Step = ("scalar", 1, 0, 5, 0, 0, 0)  # to what the calls load that come a few after it
    made, _ = run(program, [load, store, load], True, monkeypatch)
    assert "cache" in {finding.rule for finding in made.findings}
    if program.device.isa == "okk":
        move: Step = ("move", TIMES, 1, 0, 0, 1, 0)
        steps: list[Step] = [load, move, ("undefine", 1, 3, 0, 0, 1, 0), move, ("store", 1, 0, 1, 0, 1, 0)]
        made, _ = run(program, steps, True, monkeypatch)
        assert "uninitialized" in {finding.rule for finding in made.findings}


def test_a_rule_that_is_broken_at_two_places(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """OKK takes no more columns of a channel than there are: each line is told of as often as it breaks the rule."""
    steps: list[Step] = [("matrix_in", TIMES, 0, 0, place, 0, 1) for place in (0, 1, 0)]
    taken, made = left_to_python(program, steps, monkeypatch)
    broken = sorted((finding.location.line, finding.count) for finding in made.findings if finding.severity == "error")
    okk = program.device.isa == "okk"
    assert [count for _, count in broken] == ([TIMES, 2 * TIMES] if okk else [])
    assert not okk or sum(taken.values()) < FIRST + 2 + 4


def test_uninitialized_bytes_of_arrays(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """They come where an array holds them, however many calls like this one have had none."""
    given = program.device.array(np.ones(1 << 12, np.float32))
    entry = next(
        entry for entry in program.device.machine.map.memories["global"].allocations() if entry.start == given.address
    )
    last = entry.start + 64 * ((TIMES - 1) % 8)  # of the calls of a step
    entry.uninitialized.add(last + 100, last + 104)
    steps: list[Step] = [("load", TIMES, 0, 0, 0, 0, 0), ("store", 1, 0, 0, 0, 0, 0)]
    found = [run(program, steps[:count], True, monkeypatch, given)[0].findings for count in (1, 2)]
    assert ["uninitialized" in {finding.rule for finding in findings} for findings in found] == [False, True]
