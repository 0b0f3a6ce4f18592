"""What counts as lane-wise is: an element of the output depends on the elements in its place alone."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from mlusim.isa import DIALECTS, Instruction, Overload

LANES = 8
BANG = DIALECTS["bang"]
LANE_WISE = [entry for entry in BANG.instructions if entry.lane_wise]


def arguments(overload: Overload, seed: int) -> dict[str, object]:
    """Random contents for the operands of a function, 1 for its numbers."""
    rng = np.random.default_rng(seed)
    operands = {p.name: overload.element(p).dtype for p in overload.parameters if p.is_memory}
    found: dict[str, object] = {}
    for name in inspect.signature(overload.instruction.semantics).parameters:  # type: ignore[arg-type]
        if name in operands:
            found[name] = rng.integers(1, 100, LANES).astype(operands[name])
        else:
            found[name] = operands[name[5:]] if name.startswith("type_") else 1
    return found


@pytest.mark.parametrize("entry", LANE_WISE, ids=lambda entry: entry.name)
def test_a_lane_of_the_output_depends_on_no_other_lane(entry: Instruction) -> None:
    if isinstance(entry.semantics, np.ufunc):
        return  # that is what a ufunc is
    for overload in entry.overloads():
        values, others = arguments(overload, 1), arguments(overload, 2)
        with np.errstate(all="ignore"):
            result = np.asarray(entry.semantics(**values))  # type: ignore[misc]
            for lane in range(LANES):
                changed = {name: np.copy(x) if isinstance(x, np.ndarray) else x for name, x in values.items()}
                for name, x in changed.items():
                    if isinstance(x, np.ndarray):
                        x[lane] = others[name][lane]  # type: ignore[index]
                kept = np.arange(LANES) != lane
                again = np.asarray(entry.semantics(**changed))  # type: ignore[misc]
                np.testing.assert_array_equal(again[kept], result[kept])


@pytest.mark.parametrize("name", ["__bang_add", "__bang_half2float", "__bang_add_scalar", "__bang_eq", "__vv_mul"])
def test_arithmetic_conversions_and_comparisons_are(name: str) -> None:
    assert all(entry.lane_wise for entry in BANG.named(name))


@pytest.mark.parametrize(
    "name", ["__bang_count", "__bang_matmul", "__bang_maxpool", "__bang_lut", "__bang_write_value", "__memcpy"]
)
def test_what_mixes_lanes_is_not(name: str) -> None:
    assert BANG.named(name)
    assert not any(entry.lane_wise for entry in BANG.named(name))
