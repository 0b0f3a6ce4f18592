"""The limits of OKK as the vendor's manual states them, written by hand: what a declaration may not leave out."""

from __future__ import annotations

import re
from typing import Any

import pytest
from mlusim.isa import DIALECTS, Kind

from tests.okk.lanes import LANE_BYTES
from tests.okk.test_rules import ENTRIES, legal, run

OKK = DIALECTS["okk"]


def names(text: str) -> list[str]:
    return text.split()


STRIDED = names(
    "add sub mul div max min add_C sub_C mul_C div_C max_C min_C C_sub C_div mac mac_C neg relu reciprocal"
    " 32bit_cpy 32bit_set_C 32bit_and 32bit_or 32bit_xor 32bit_and_C 32bit_or_C 32bit_xor_C"
    " 32bit_arithmetic_shift 32bit_logical_shift 32bit_arithmetic_shift_C 32bit_logical_shift_C"
    " 32bit_C_arithmetic_shift 32bit_C_logical_shift greater_select_value greater_C_select_value"
    " C_greater_select_value equal_select_value equal_C_select_value bias scale scale_bias"
)
ALIGNED = names(
    "rsqrt sqrt taylor_exp lookup_exp exp exp_tunable sigmoid sigmoid_tunable tanh tanh_tunable fp32_to_int32"
    " lookup_int32_to_fp32 greater_select equal_select"
)
WINDOWS = ("conv2d", "depthwise2d", "avg_pool2d", "max_pool2d")
COPIES = [f"{bits}bit_cpy_{way}" for bits in (32, 16, 8) for way in ("S2L", "L2S", "L2L", "S2S")]
FILLS = [f"{bits}bit_set_C_{where}" for bits in (32, 16, 8) for where in ("local", "system")]
MATRICES = ["32bit_matrix_S2L", "32bit_matrix_L2S"]
PACKED = 23
#: Changed argument, its new value, and the rule that a finding names.
SHAPES = [
    *(("shape", tuple(0 if n == at else size for n, size in enumerate((2, 3, 2, 4))), "length") for at in range(4)),
    ("shape", (65536, 3, 2, 4), "length"),
    ("shape", (2, 4096, 2, 4), "length"),
    ("shape", (2, 3, 65536, 4), "length"),
    ("shape", (2, 3, 2, 65536), "length"),
]
GEOMETRY = [
    ("input_shape", (2, 4096, 5, 6), "length"), ("input_shape", (65536, 3, 5, 6), "length"),
    ("input_shape", (2, 3, 2048, 6), "length"), ("input_shape", (2, 3, 5, 2048), "length"),
    ("input_shape", (2, 3, 2047, 6), "length"), ("input_shape", (2, 3, 5, 2047), "length"),  # and what is padded
    ("input_shape", (2, 3, 0, 6), "length"), ("kernel_h", 0, "length"), ("kernel_w", 0, "length"),
    ("kernel_h", 7, "length"), ("kernel_w", 10, "length"),
    *(("padding", tuple(16 if n == at else 1 for n in range(4)), "argument") for at in range(4)),
    ("padding", (-1, 0, 0, 0), "argument"), ("stride", (16, 1), "argument"), ("stride", (1, 16), "argument"),
    ("stride", (0, 1), "argument"), ("stride", (1, 0), "argument"),
]  # fmt: skip
DILATION = [("dilation", (16, 1), "argument"), ("dilation", (1, 16), "argument"), ("dilation", (0, 1), "argument")]
MATRIX = [
    ("left_cols_per_channel", 0, "length"), ("right_cols_per_channel", 0, "length"), ("left_rows", 65536, "length"),
    ("left_rows", 0, "length"), ("left_cols_per_channel", 13, "argument"), ("right_cols_per_channel", 9, "argument"),
]  # fmt: skip


def broken(name: str, argument: str, value: Any) -> list[str]:
    """The rules that findings name, where one argument of a legal call is changed; bounds come of what is too long."""
    found, _ = run(legal(ENTRIES[name], True).having(argument, value))
    return [f.rule for f in found if f.rule not in ("bounds", "overlap")]


@pytest.mark.parametrize("name", [f"okk_bdc_{name}" for name in (*STRIDED, *ALIGNED)])
def test_shapes_lanes_and_alignment(name: str) -> None:
    for argument, value, rule in SHAPES:
        assert broken(name, argument, value) == [rule], (argument, value)
    entry = ENTRIES[name]
    tensors = [p for p in entry.prototype.parameters if p.is_lanes]
    for p in tensors:
        at = legal(entry, True).values[p.name]
        moved = [(1, "alignment")] if p.dims[0].stride else [(4, "alignment"), (64, "alignment")]
        if len(tensors) > 1:
            others = "lane" if p is not tensors[0] else None
            moved.append((LANE_BYTES, others or "lane"))
        for step, rule in moved:
            value = (0, at[1] + step) if p.kind is Kind.VARIABLE else at + step
            assert set(broken(name, p.name, value)) == {rule}, (p.name, step)


@pytest.mark.parametrize("name", [f"okk_bdc_{name}" for name in STRIDED if name not in ("32bit_set_C",)])
def test_a_result_is_not_written_twice(name: str) -> None:
    for axis in (0, 2, 3):
        stride = tuple(0 if n == axis else size for n, size in enumerate((70, 30, 9, 1)))
        assert broken(name, "dst_stride", stride) == ["argument"]
    assert broken(name, "dst_stride", (70, 0, 9, 1)) == []  # every lane has one channel


@pytest.mark.parametrize("name", WINDOWS)
def test_windows(name: str) -> None:
    cases = [*GEOMETRY, *(DILATION if name in ("conv2d", "depthwise2d") else ())]
    for argument, value, rule in cases:
        if argument == "stride" and name.endswith("pool2d") and value == (0, 1):
            rule = "argument"
        assert set(broken(f"okk_bdc_{name}", argument, value)) == {rule}, (argument, value)


@pytest.mark.parametrize(("argument", "value", "rule"), MATRIX)
def test_matmul(argument: str, value: int, rule: str) -> None:
    assert set(broken("okk_bdc_matmul", argument, value)) == {rule}


def test_operands_of_products_in_any_lane() -> None:
    """The left matrix, and the input of a convolution, may start in another lane; the others may not."""
    for name, free, bound in (
        ("okk_bdc_matmul", "left_addr", ("right_addr", "bias_addr")),
        ("okk_bdc_conv2d", "input_addr", ("weight_addr", "bias_addr")),
    ):
        at = legal(ENTRIES[name], True).values
        assert broken(name, free, at[free] + LANE_BYTES) == []
        for operand in bound:
            assert broken(name, operand, at[operand] + LANE_BYTES) == ["lane"]
        assert broken(name, "output_addr", at["output_addr"] + 64) == ["alignment"]


def test_numbers() -> None:
    for name in ("taylor_exp", "exp_tunable", "sigmoid_tunable", "tanh_tunable"):
        for terms in (0, 65):
            assert broken(f"okk_bdc_{name}", "num_series", terms) == ["argument"]
        assert broken(f"okk_bdc_{name}", "num_series", 64) == []
    for name in ("arithmetic", "logical"):
        for amount in (33, -33):
            assert broken(f"okk_bdc_32bit_{name}_shift_C", "C", amount) == ["argument"]


@pytest.mark.parametrize("name", COPIES)
def test_rows_of_copies_lie_together(name: str) -> None:
    for argument in ("dst_stride", "src_stride"):
        assert broken(f"okk_gdma_{name}", argument, (70, 30, 9, 2)) == ["argument"]
    assert broken(f"okk_gdma_{name}", "shape", (2, 4096, 2, 4)) == ["length"]


def test_every_name_of_the_header_is_there() -> None:
    bdc = [*STRIDED, *ALIGNED, *WINDOWS, "matmul"]
    names = {f"okk_bdc_{name}" for name in bdc} | {f"okk_gdma_{name}" for name in (*COPIES, *FILLS, *MATRICES)}
    waits = {"okk_poll", "okk_initialize", "okk_parallel_start", "okk_parallel_end"}
    assert {entry.name for entry in OKK.instructions} == names | waits
    assert len([name for name in OKK.known if "packed" in name]) == PACKED
    for entry in OKK.instructions:
        pipe = re.match(r"okk_(bdc|gdma)_", entry.name)
        assert entry.pipe == (pipe[1] if pipe else "sync")
        assert entry.provenance == "documented"
