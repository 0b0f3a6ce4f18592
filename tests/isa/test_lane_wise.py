"""What counts as lane-wise, or as moving elements, does that: on it rests which padding is reported, and where."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest
from mlusim.isa import DIALECTS, Instruction, Overload, Parameter, Partial
from mlusim.isa.prototype import Kind

from tests.isa.facts.tensor import Dim4
from tests.isa.tpu.rows import ELEMENTARY, ROWS

LANES = 16
BANG, TPU = DIALECTS["bang"], DIALECTS["tpu"]
ALL = [entry for dialect in (BANG, TPU) for entry in dialect.instructions]
#: Without those that a ufunc is the function of: that is what a ufunc is.
LANE_WISE = [entry for entry in ALL if entry.lane_wise and not isinstance(entry.semantics, np.ufunc)]
MOVING = [entry for entry in ALL if entry.moves]
#: Sizes of matrices, images and tables here.
SIZES = {
    "height": 3, "width": 4, "channel": 2, "top": 1, "bottom": 0, "left": 2, "right": 1, "pad_value": 7,
    "line_num": 3, "line_len": 5, "index_len": 4, "start": 0, "end": 2,
}  # fmt: skip
#: Arguments that say what shapes tensors have.
SHAPED = {
    "shape": Dim4(1, 2, 2, 4), "dst_shape": Dim4(2, 4, 1, 2), "src_shape": Dim4(1, 2, 2, 4),
    "rows": 2, "cols": 8, "cols_per_channel": 4,
}  # fmt: skip
#: Those whose source is another.
SHAPES = {"__bang_reshape_filter": (64, 3), "__vv_store": (LANES,)}


def shape(entry: Instruction, p: Parameter) -> tuple[int, ...]:
    """Of an operand: rows of the last extent, or what a matrix, an image or a table has."""
    if entry.name in SHAPES:
        return SHAPES[entry.name]
    if p.is_tensor:
        return tensor_shape(p)
    if (len(p.dims) > 1 or [dim.count for dim in p.dims] == ["index_len"]) and all(
        dim.count in SIZES for dim in p.dims
    ):
        return tuple(SIZES[dim.count] for dim in p.dims)
    return (2,) * (len(p.dims) - 1) + (LANES // 2 ** (len(p.dims) - 1) if len(p.dims) > 1 else LANES,)


def tensor_shape(p: Parameter) -> tuple[int, ...]:
    """Of a tensor, as its declaration makes it of the arguments."""
    found: tuple[int, ...] = eval(p.dims[0].count, {}, SHAPED)
    return found[:4]  # a fifth number says how much of the last channel is used


def arguments(overload: Overload, seed: int) -> dict[str, Any]:
    """Random contents for the operands of a function, 1 for its numbers, in a union one of the union's type."""
    rng, entry = np.random.default_rng(seed), overload.instruction
    operands = {p.name: p for p in overload.parameters if p.is_memory}
    rows = entry.lane_wise and max(len(p.dims) for p in operands.values()) > 1
    unions = {p.name: overload.element(p).dtype.type(1) for p in overload.parameters if p.kind is Kind.BITS}
    given, found = {**SIZES, **SHAPED, **unions}, {}
    for name in inspect.signature(entry.semantics).parameters:  # type: ignore[arg-type]
        if name in operands:
            p = operands[name]
            size = (LANES // 2,) if rows and len(p.dims) == 1 and not p.is_tensor else shape(entry, p)
            found[name] = rng.permutation(math.prod(size)).reshape(size).astype(overload.element(p).dtype)
        else:
            typed = name.startswith("type_")
            found[name] = overload.element(operands[name[5:]]).dtype if typed else given.get(name, 1)
    return found


def results(entry: Instruction, values: dict[str, Any]) -> np.ndarray:
    """What a function of an instruction gives its first output."""
    with np.errstate(all="ignore"):
        made = entry.semantics(**values)  # type: ignore[misc]
    made = made[0] if isinstance(made, tuple) else made
    return np.asarray(made.values[made.rows] if isinstance(made, Partial) else made)


def bits(values: np.ndarray) -> np.ndarray:
    """Elements as integers, which equal themselves where a float is NaN."""
    return np.ascontiguousarray(values).view(f"u{values.itemsize}")


@pytest.mark.parametrize("entry", LANE_WISE, ids=lambda entry: entry.name)
def test_a_lane_of_the_output_depends_on_no_other_lane(entry: Instruction) -> None:
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
                np.testing.assert_array_equal(bits(again[kept]), bits(result[kept]))


def moved(entry: Instruction, overload: Overload) -> tuple[dict[str, Any], np.ndarray, int]:
    """Arguments, the source as bits, and how many of its elements have to arrive at least."""
    values = arguments(overload, 3)
    source = values[entry.moves]
    source += source.dtype.type(1)  # none is zero
    if "mask" in values:
        packed = entry.name.endswith("bitindex")
        values["mask"] = np.full(LANES // 8, 255, np.uint8) if packed else np.ones(LANES, source.dtype)
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


def test_element_wise_functions_of_tensors_are_and_no_others() -> None:
    """But for a copy, which is no function, and a fill, which takes no tensor; a copy that reduces is one as well."""
    element_wise = {f"tpu_bdc_{row.name}" for row in (*ROWS, *ELEMENTARY)}
    lane_wise = {entry.name for entry in TPU.instructions if entry.lane_wise}
    assert lane_wise == element_wise - {"tpu_bdc_cpy", "tpu_bdc_set_C"} | {"tpu_gdma_cpy_reduce_L12L2"}


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
    assert sum(bool(entry.moves) for entry in BANG.instructions) == 32


def test_arrangements_of_tensors_move_their_source_and_nothing_else_does() -> None:
    ways = {"cpy_cw_trans": "S2L L2S S2S L2L", "cpy_nc_trans": "S2L L2S S2S L2L", "general_cpy": "S2L L2S L2L",
            "reverse": "S2L L2S S2S L2L", "channel_bcast": "S2L", "matrix": "S2L L2S"}  # fmt: skip
    copies = {f"tpu_gdma_{name}_{way}": "src_addr" for name, found in ways.items() for way in found.split()}
    copies |= {f"tpu_sdma_{name}_S2S": "src_addr" for name in ("cpy_cw_trans", "cpy_nc_trans", "reverse")}
    across = {f"tpu_bdc_{name}": "src_addr" for name in ("npu_bcast", "cw_trans", "wc_trans")}
    moving = {entry.name: entry.moves for entry in TPU.instructions if entry.moves}
    assert moving == {**copies, **across, "tpu_hau_line_gather": "param_addr"}
