"""What counts as lane-wise, or as moving elements, does that: on it rests which padding is reported, and where."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest
from mlusim.isa import DIALECTS, Instruction, Overload, Parameter, Partial

from tests.isa.references.tensors import BINARY

LANES = 16
BANG = DIALECTS["bang"]
ALL = [entry for dialect in (BANG, DIALECTS["tpu"]) for entry in dialect.instructions]
LANE_WISE = [entry for entry in ALL if entry.lane_wise]
MOVING = [entry for entry in ALL if entry.moves]
#: Sizes of matrices, images and tables here.
SIZES = {
    "height": 3, "width": 4, "channel": 2, "top": 1, "bottom": 0, "left": 2, "right": 1, "pad_value": 7,
    "line_num": 3, "line_len": 5, "index_len": 4, "start": 0, "end": 2,
}  # fmt: skip
#: Those whose source is another.
SHAPES = {"__bang_reshape_filter": (64, 3), "__vv_store": (LANES,)}


def shape(entry: Instruction, p: Parameter) -> tuple[int, ...]:
    """Of an operand: rows of the last extent, or what a matrix, an image or a table has."""
    if entry.name in SHAPES:
        return SHAPES[entry.name]
    if p.is_tensor:
        return (1, 2, 2, 4)
    if (len(p.dims) > 1 or [dim.count for dim in p.dims] == ["index_len"]) and all(
        dim.count in SIZES for dim in p.dims
    ):
        return tuple(SIZES[dim.count] for dim in p.dims)
    return (2,) * (len(p.dims) - 1) + (LANES // 2 ** (len(p.dims) - 1) if len(p.dims) > 1 else LANES,)


def arguments(overload: Overload, seed: int) -> dict[str, Any]:
    """Random contents for the operands of a function, 1 for its numbers."""
    rng, entry = np.random.default_rng(seed), overload.instruction
    operands = {p.name: p for p in overload.parameters if p.is_memory}
    rows = entry.lane_wise and max(len(p.dims) for p in operands.values()) > 1
    found: dict[str, Any] = {}
    for name in inspect.signature(entry.semantics).parameters:  # type: ignore[arg-type]
        if name in operands:
            p = operands[name]
            size = (LANES // 2,) if rows and len(p.dims) == 1 and not p.is_tensor else shape(entry, p)
            found[name] = rng.permutation(math.prod(size)).reshape(size).astype(overload.element(p).dtype)
        else:
            typed = name.startswith("type_")
            found[name] = overload.element(operands[name[5:]]).dtype if typed else SIZES.get(name, 1)
    return found


def results(entry: Instruction, values: dict[str, Any]) -> np.ndarray:
    """What a function of an instruction gives its first output."""
    with np.errstate(all="ignore"):
        made = entry.semantics(**values)  # type: ignore[misc]
    made = made[0] if isinstance(made, tuple) else made
    return np.asarray(made.values[made.rows] if isinstance(made, Partial) else made)


@pytest.mark.parametrize("entry", LANE_WISE, ids=lambda entry: entry.name)
def test_a_lane_of_the_output_depends_on_no_other_lane(entry: Instruction) -> None:
    if isinstance(entry.semantics, np.ufunc):
        return  # that is what a ufunc is
    for overload in entry.overloads():
        values, others = arguments(overload, 1), arguments(overload, 2)
        result = results(entry, values)
        for name, x in values.items():
            if not isinstance(x, np.ndarray):
                continue
            for lane in np.ndindex(x.shape):
                changed = {**values, name: x.copy()}
                changed[name][lane] = others[name][lane]
                again = results(entry, changed)
                if entry.packs_bits:
                    kept = np.arange(result.size) != lane[0] // 8
                else:
                    kept = np.ones(result.shape, bool)
                    kept[(..., *lane)] = False  # in every row, where the operand is repeated for each
                np.testing.assert_array_equal(again[kept], result[kept])


def moved(entry: Instruction, overload: Overload) -> tuple[dict[str, Any], np.ndarray, int]:
    """Arguments, the source as bits, and how many of its elements have to arrive at least."""
    values = arguments(overload, 3)
    source = values[entry.moves]
    source += source.dtype.type(1)  # none is zero
    if "mask" in values:
        bits = entry.name.endswith("bitindex")
        values["mask"] = np.full(LANES // 8, 255, np.uint8) if bits else np.ones(LANES, source.dtype)
        values["elem_count"] = LANES
    if "count_dst" in values:
        values["count_dst"] = 2 * 128 // source.itemsize
    if "times" in values:
        values["times"] = np.full(len(source), 2)
    return values, source, values.get("count", source.size) if entry.name == "__vv_store" else source.size


@pytest.mark.parametrize("entry", MOVING, ids=lambda entry: entry.name)
def test_what_moves_elements_changes_none(entry: Instruction) -> None:
    """All elements of the source arrive, bit by bit, and nothing else but a constant."""
    for overload in entry.overloads():
        values, source, count = moved(entry, overload)
        kind = f"u{source.itemsize}"
        out = np.ascontiguousarray(results(entry, values)).view(kind)
        arrived = np.isin(source.ravel().view(kind), out)
        assert arrived.sum() >= count
        rest = out[~np.isin(out, source.ravel().view(kind))]
        assert len(np.unique(rest)) <= 2  # padding, and a number of elements


@pytest.mark.parametrize(
    "name",
    ["__bang_add", "__bang_half2float", "__bang_add_scalar", "__bang_eq", "__vv_mul", "__bang_cycle_add", "__bang_div",
     "__bang_fusion", "__bang_gt_bitindex"],
)  # fmt: skip
def test_arithmetic_conversions_and_comparisons_are(name: str) -> None:
    assert all(entry.lane_wise for entry in BANG.named(name))


def test_tensors_of_one_shape_are() -> None:
    lane_wise = {entry.name for entry in DIALECTS["tpu"].instructions if entry.lane_wise}
    assert lane_wise == {*BINARY, "tpu_bdc_cast", "tpu_bdc_fp32_pow"}


@pytest.mark.parametrize(
    "name",
    ["__bang_count", "__bang_matmul", "__bang_maxpool", "__bang_lut", "__bang_write_value", "__memcpy",
     "__bang_transpose", "__bang_mirror", "__bang_collect", "__bang_reduce_sum", "__bang_mlp"],
)  # fmt: skip
def test_what_mixes_lanes_is_not(name: str) -> None:
    assert BANG.named(name)
    assert not any(entry.lane_wise for entry in BANG.named(name))


@pytest.mark.parametrize(
    "name",
    ["__bang_transpose", "__bang_rotate90", "__bang_rotate180", "__bang_rotate270", "__bang_mirror", "__bang_pad",
     "__bang_reshape_filter", "__bang_reshape_nhwc2nchw", "__bang_collect", "__bang_filter", "__bang_select",
     "__bang_filter_bitindex", "__gather",
     "__scatter", "__gather_async", "__scatter_async", "__bang_gather_async", "__asm_gather_vector",
     "__extension", "__vv_store"],
)  # fmt: skip
def test_arrangements_move_their_source(name: str) -> None:
    assert all(entry.moves == "src" for entry in BANG.named(name))


def test_nothing_else_moves() -> None:
    assert len(MOVING) == 33
