"""Every instruction against its reference in plain Python, in every type that it has.

`-k __bang_add` selects an instruction. The references are in tests/isa/references.
"""

from __future__ import annotations

import pytest

from tests.isa.references.form import run
from tests.isa.references.memory import Memory
from tests.isa.references.registry import REFERENCES
from tests.isa.references.tensors import NAMES as TENSORS
from tests.isa.references.waits import BEHAVIOURS, CACHE
from tests.isa.run_form import Declared, declared, execute, images_of
from tests.isa.tpu import NAMES as TPU

DECLARED = list(declared())
#: What test_lanes.py, test_waits.py and tests/isa/tpu compare.
ELSEWHERE = TENSORS | CACHE | TPU
MEMORY = [found for found in DECLARED if found.has_memory and found.name not in ELSEWHERE]
#: Bytes of a space are a multiple of this, so that every copy of it is legal on every device.
GRANULE = 256


@pytest.mark.parametrize("name", dict.fromkeys(found.name for found in MEMORY))
def test_against_the_reference(name: str) -> None:
    for found in MEMORY:
        if found.name == name:
            check(found)


def check(found: Declared) -> None:
    assert (found.name, found.shape) in REFERENCES, "write a reference in tests/isa/references"
    form = REFERENCES[found.name, found.shape]
    calls = list(form.calls(found.kinds))
    length = -(-max(call.length for call in calls) // GRANULE) * GRANULE
    for call, after in zip(calls, execute(found, calls, length), strict=True):
        memory = Memory(images_of(call, length))
        result = run(form, memory, call)
        wrong = memory.differences(after.images)
        if result is not None and after.result != result:
            wrong.append(f"returned {after.result!r}, not {result!r}")
        assert not wrong, f"{found}, {call.label}: {len(wrong)} differences, such as {wrong[:5]}"


@pytest.mark.parametrize("name", sorted({found.name for found in DECLARED if not found.has_memory}))
def test_what_an_instruction_without_operands_does_is_stated(name: str) -> None:
    assert name in BEHAVIOURS, "say in tests/isa/references/waits.py what it does"


def test_every_reference_is_of_an_instruction() -> None:
    forms, names = {(found.name, found.shape) for found in DECLARED}, {found.name for found in DECLARED}
    strays = [key for key in REFERENCES if key not in forms]
    assert not strays, f"no instruction has these forms: {strays}"
    assert not BEHAVIOURS - names, "no instruction has these names"
