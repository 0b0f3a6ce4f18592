"""StepWriter compute what the expressions of declarations say, with `eval` as the reference."""

from __future__ import annotations

import operator
import random

import pytest
from mlusim.isa import DIALECTS, FUNCTIONS
from mlusim.simulator import Device
from mlusim.simulator.core.issue import NativePort
from mlusim.simulator.core.issue.steps import NotNativeError, StepWriter

from tests.support.expressions import compiled

#: What each kind of step does, in the order of native/runtime/ports.h; the last one only looks.
STEPS = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.and_, operator.lt, operator.le,
    operator.eq, operator.ne, lambda a, b: a != 0 and b != 0, lambda a, b: a != 0 or b != 0, lambda a, b: a == 0,
    min, max,
]  # fmt: skip
HOLDS = len(STEPS)
NAMES = ("a", "b", "c")


def computed(steps: StepWriter, values: list[int]) -> tuple[list[int], bool]:
    """The numbers after all steps, and whether each condition holds."""
    numbers = [*values, *steps.numbers[len(values) :]]
    for kind, to, a, b in steps.rows:
        if kind == HOLDS:
            if not numbers[a]:
                return numbers, False
        else:
            numbers[to] = int(STEPS[kind](numbers[a], numbers[b]))
    return numbers, True


@pytest.mark.parametrize(
    "text",
    [
        "a + b * c - 3", "-a", "a // b", "a % b", "a * 4 // (b + 70)", "max(a, b)", "min(a, 7)", "abs(a - b)", "a & 63",
        "max(8, 3) + a", "(a + 7) // 8", "max(a, b, c)", "min(a, 3, b, c) - 1",
    ],
)  # fmt: skip
def test_values(text: str) -> None:
    rng = random.Random(1)
    steps = StepWriter(NAMES, {})
    place = steps.place(text)
    for _ in range(200):
        values = [rng.choice((-65, -7, -1, 1, 2, 5, 64, 1000)) for _ in NAMES]
        assert computed(steps, values)[0][place.at] == eval(
            text, dict(FUNCTIONS), dict(zip(NAMES, values, strict=True))
        )


@pytest.mark.parametrize(
    "text",
    [
        "a > 0", "a >= b", "a == b or b <= a", "not a & 1", "0 <= a < b", "a != b and (b > 2 or not c < 4)",
        "not (where == 'nram') or a % 2 == 0", "not (where == 'wram') or a < 0", "a < b < c or a == 3",
    ],
)  # fmt: skip
def test_conditions(text: str) -> None:
    rng = random.Random(2)
    steps, seen = StepWriter(NAMES, {"where": "nram"}), set()
    steps.require(text)
    for _ in range(300):
        values = [rng.randint(-3, 6) for _ in NAMES]
        right = bool(eval(text, {"where": "nram"}, dict(zip(NAMES, values, strict=True))))
        assert computed(steps, values)[1] == right, (text, values)
        seen.add(right)
    assert seen == {True} if "wram" in text else seen == {True, False}


@pytest.mark.parametrize(
    "text", ["d > 0", "a if b else c", "a.field", "a or b", "(a, b)", "abs", "max(a)", "a == 'nram'"]
)
def test_what_is_more_than_whole_numbers_needs_python(text: str) -> None:
    with pytest.raises(NotNativeError):
        StepWriter(NAMES, {}).place(text)


def test_a_condition_that_never_holds_needs_python() -> None:
    with pytest.raises(NotNativeError, match="breaks a rule"):
        StepWriter(NAMES, {}).require("False")


@pytest.mark.parametrize("name", ["mlu270", "mlu370-x4", "mlu590"])
def test_the_guards_of_native_ports_are_those_of_pythons(name: str) -> None:
    """A call that a native port takes breaks no rule as the declaration states them, and it takes most of those."""
    machine, rng = Device.load(name).machine, random.Random(name)
    taken = 0
    for number, overload in enumerate(DIALECTS["bang"].overloads):
        ports = machine.native_ports(number) if overload.instruction.select is None else {}
        for port in ports.values():
            if isinstance(port, NativePort):
                taken += _guarded(machine.shape.arch, overload, port, rng)
    assert taken > 100


def _guarded(arch: int, overload, port: NativePort, rng: random.Random) -> int:
    entry, taken = overload.instruction, 0
    sizes = {f"sizeof_{p.name}": overload.element(p).size for p in overload.parameters if p.is_memory}
    steps = StepWriter([], {})
    steps.numbers, steps.rows = list(port.numbers), list(port.steps)
    for _ in range(12):
        values = {p.name: _drawn(p, rng) for p in overload.parameters}
        names = {**values, **sizes, "arch": arch}
        try:
            for name, text in entry.let.items():
                names[name] = eval(compiled(text), dict(FUNCTIONS), names)
        except ZeroDivisionError:
            continue
        rules = [rule for rule in entry.rules_for(arch) if hasattr(rule, "condition")]
        right = all(eval(compiled(rule.condition), dict(FUNCTIONS), names) for rule in rules if not rule.when)
        _, holds = computed(steps, list(values.values()))
        assert right or not holds, (overload.name, values)
        taken += holds
    return taken


def _drawn(p, rng: random.Random) -> int:
    if p.is_memory:
        return rng.choice((1 << 20, 1 << 22, 1 << 24)) + rng.choice((0, 0, 64, 8))
    return rng.choice((0, -1, 1, 64, 128, 128, 256))
