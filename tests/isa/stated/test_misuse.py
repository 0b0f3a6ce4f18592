"""Every limit of every function, broken by itself in a call of a kernel, is one finding of its rule; with its line.

The calls are made from the tables, so that a rule which a declaration lacks would be missed here too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlusim.isa import Kind
from mlusim.simulator import Device, launch

from tests.isa.stated.calls import Call
from tests.isa.stated.test_stated import ROWS, stated
from tests.isa.stated.words import Row, Stated
from tests.support.expressions import compiled

_SYSTEM = np.zeros(1 << 16, np.uint8)
_CHIPS = {"tpu": ("bm1690", 1690), "okk": ("bm1684", 1684)}
#: What follows from an argument that is wrong, or from calls that have nothing to do with each other.
_OTHERS = ("bounds", "overlap", "uninitialized", "unwaited", "empty", "unread", "unwritten", "unused", "order", "value")


def _faults(held: Stated, arch: int, binding: dict[str, str]) -> Iterator[tuple[str, Call]]:
    """A call for each limit that it alone breaks, and the rule."""
    seen = set()
    for legal in held.bases(arch, binding):
        for name, probe in held.probes(legal):
            for of, condition in held._deciding.get(name, ()):
                if condition not in seen and held.broken(probe) == {of: 1} and not _holds(held, probe, condition):
                    seen.add(condition)
                    yield of[0], probe
                    break


def _holds(held: Stated, call: Call, condition: str) -> bool:
    return bool(eval(compiled(condition), {}, held.names(call)))


@cache
def _device(name: str) -> Device:
    return Device.load(name).checked("fast")


def _passed(call: Call, system: Any) -> list[Any]:
    """The arguments as a Python kernel passes them."""
    found = []
    for p in call.entry.prototype.parameters:
        value = call.values[p.name]
        if p.kind is Kind.SYSTEM:
            value = (system + value).cast(p.element(call.binding).name)
        elif p.kind is Kind.VARIABLE:
            value = (0, value)
        found.append(value)
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_one_fault_one_finding(row: Row) -> None:
    held = stated(row)
    chip, arch = _CHIPS[row.name.partition("_")[0]]
    binding = (held.bindings or [{}])[0]
    faults = list(_faults(held, arch, binding))
    alone = [[fault] for fault in faults if fault[0] == "alignment"]  # of several operands in a launch, one is named
    for group in (*alone, [fault for fault in faults if [fault] not in alone]):

        def kernel(unit: Any, system: Any, group: list[tuple[str, Call]] = group) -> None:
            for _, call in group:
                getattr(unit, row.name)(*_passed(call, system))

        run = launch(kernel, (1, 1, 1), args=[_SYSTEM.copy()], device=_device(chip), on_finding="collect")
        found = [f for f in run.findings if f.rule not in _OTHERS and f.severity == "error"]
        seen = Counter[str]()
        for f in found:
            seen[f.rule] += f.count  # one line, so that findings of a rule are one
        assert seen == Counter(rule for rule, _ in group if rule not in _OTHERS), [*map(str, found)]
        assert all(f.instruction == row.name and f.location.line for f in found)
