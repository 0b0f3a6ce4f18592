"""Instructions on tensors across lanes against their references; all of local memory is compared.

The references are in tests/isa/references/tensors.py, the calls in lane_cases.py, the runner in run_lanes.py.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import launch

from tests.isa import lane_cases as made
from tests.isa.lane_cases import LANE_BYTES, LAYOUTS, PLAIN, Room, device, local_memory, rooms
from tests.isa.references import tensors
from tests.isa.references.numbers import BYTES, rounded
from tests.isa.run_form import Declared, declared
from tests.isa.run_lanes import check

CHIPS = ("bm1690", "bm1684x", "bm1688")
#: Floats of 8 bits, which one chip alone has, are for tests/isa/tpu, but for the rounding of casts.
TENSORS = [
    found
    for found in declared()
    if found.name in tensors.NAMES and (found.name == "tpu_bdc_cast" or not {*found.kinds} & {*BYTES})
]
EVERY_CHIP = pytest.mark.parametrize("chip", CHIPS)


def of(*names: str) -> Any:
    """Every overload of some instructions."""
    return pytest.mark.parametrize("found", [f for f in TENSORS if f.name in names], ids=str)


def test_a_lane_is_a_piece_of_the_memory() -> None:
    """What the runner rests on: byte b of lane k is byte k * LOCAL_MEM_SIZE + b of the core's memory."""
    chip = device("bm1690")
    image = np.random.default_rng(1).integers(0, 256, (64, LANE_BYTES), np.uint8)

    def kernel(unit: Any, given: Any) -> None:
        unit.tpu_gdma_cpy_S2L(0, given, (1, 64, 64, LANE_BYTES // 64), None, None, unit.DT_UINT8)
        unit.tpu_poll()

    launch(kernel, (1, 1, 1), args=[image], device=chip)
    (entry,) = chip.machine.map.memories["local"].allocations(0)
    assert entry.view(np.dtype(np.uint8)).tobytes() == image.tobytes()


@EVERY_CHIP
@of(*tensors.BINARY)
def test_binary_functions(found: Declared, chip: str) -> None:
    kind, layouts = found.kinds[0], itertools.cycle(itertools.product(PLAIN, LAYOUTS, LAYOUTS))
    cases = []
    for room, shape in rooms(chip, found):
        into, *sources = next(itertools.islice(layouts, 37, None))
        dst = room.tensor(into, shape, kind)
        cases.append(made.binary(found.name, room.local, dst, *(room.tensor(s, shape, kind) for s in sources)))
    check(chip, cases)


@of("tpu_bdc_fp_sub")
def test_operands_may_coincide(found: Declared) -> None:
    cases = []
    for which in itertools.product((0, 1), repeat=3):
        room = Room(local_memory("bm1690"), random.Random(1), 60)
        held = [room.tensor(layout, (2, 9, 2, 3), found.kinds[0]) for layout in ("dense", "turned")]
        cases.append(made.binary(found.name, room.local, *(held[number] for number in which)))
    check("bm1690", cases)


@of("tpu_bdc_cast")
def test_casts_round_by_every_mode(found: Declared) -> None:
    """Every value that matters of every pair of types, from one aligned layout into the other."""
    target, source = found.kinds[:2]
    values = tensors.worth_casting(source, target)
    shape = (1, -(-len(values) // 2), 1, 2)
    cases = []
    for mode in range(len(tensors.ROUNDING)):
        room = Room(local_memory("bm1690"), random.Random(mode), 5)
        src = room.tensor("aligned", shape, source, values)
        cases.append(made.cast(room.local, room.tensor("aligned", shape, target), src, mode))
    check("bm1690", cases)


@EVERY_CHIP
@pytest.mark.parametrize(("source", "target"), [("float", "int8"), ("uint8", "half"), ("bfloat16", "float")])
def test_casts_between_layouts(chip: str, source: str, target: str) -> None:
    layouts = itertools.cycle(itertools.product(PLAIN, LAYOUTS))
    cases = []
    for room, shape in rooms(chip, source):
        into, out_of = next(itertools.islice(layouts, 7, None))
        src = room.tensor(out_of, shape, source)
        cases.append(made.cast(room.local, room.tensor(into, shape, target), src, 1))
    check(chip, cases)


@EVERY_CHIP
def test_power(chip: str) -> None:
    bases = [0.0, -0.0, 1.0, 2.0, 0.5, 9.0, 10.0, -2.0, 3.4e38, 1e-45, float("inf"), float("nan")]
    exponents = [0.0, -0.0, 1.0, -1.0, 0.5, 10.0, -3.25, 127.0, -150.0, float("inf"), float("-inf"), float("nan")]
    pairs = list(itertools.product((rounded("float", x) for x in bases), exponents))
    starts = (0, 5, device(chip).shape.lanes - 1)
    check(chip, [made.power(local_memory(chip, start), start, *zip(*pairs, strict=True)) for start in starts])


@EVERY_CHIP
@of(*made.COPIES)
def test_copies(found: Declared, chip: str) -> None:
    layouts = itertools.cycle(("aligned", "dense", "apart"))
    check(
        chip, [made.copy(found.name, room, next(layouts), shape, found.kinds[0]) for room, shape in rooms(chip, found)]
    )


def test_every_instruction_of_the_references_is_declared() -> None:
    assert {found.name for found in TENSORS} == tensors.NAMES
