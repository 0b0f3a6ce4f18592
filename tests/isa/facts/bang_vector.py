"""Facts of BANG: arithmetic, comparison, logic, mathematics and look-up on NRAM vectors.

Source: bang_isa.md (b), column by column, and its "Generic vector-instruction rules". Where the column "2xx" says
``addr%64, n*sz%128``, the row has `VECTOR_2XX`; "3xx and newer: no alignment, any positive count".
"""

from __future__ import annotations

from fact import Aligned, Fact, Multiple, Within

POSITIVE = Within("elem_count", 1)
VECTOR_2XX = (POSITIVE, Aligned(64, on="<300"), Multiple("elem_count * sizeof", 128, on="<300"))
#: hw_specs.md, operations a cycle: fp16 64, fp32 32, int8 64. A one-byte element costs as much as a two-byte one.
PER_ELEMENT = "elem_count * max(2, sizeof)"

_BINARY = "out T dst[elem_count], in T src0[elem_count], in T src1[elem_count], elem_count"
_SCALAR = "out T dst[elem_count], in T src[elem_count], T value, elem_count"
_UNARY = "out T dst[elem_count], in T src[elem_count], elem_count"

_FLOATS = "half bfloat16 float"
#: Documented for floats; mlu-ops also calls them with integers.
_ARITHMETIC = f"{_FLOATS}, inferred int32 int16 int64 uint32"
_COMPARE = f"{_FLOATS}, inferred int32 int16"


def _rows(names: str, arguments: str, types: str, archs: str = "", **facts: object) -> tuple[Fact, ...]:
    """One row for each name of a family."""
    given = {"limits": VECTOR_2XX, "work": PER_ELEMENT, **facts}
    return tuple(Fact(f"__bang_{name}", arguments, types, archs, **given) for name in names.split())  # type: ignore[arg-type]


ARITHMETIC = (
    *_rows("add sub mul", _BINARY, _ARITHMETIC),
    *_rows("add_scalar sub_scalar mul_scalar", _SCALAR, _ARITHMETIC),
    *_rows("maxequal minequal", _BINARY, f"{_FLOATS}, inferred int32"),
    *_rows("maximum minimum", _BINARY, "float half", ">=322"),
    *_rows("nan_maximum nan_minimum", _BINARY, "half float", ">=300"),
    # bang_missing.md, "Rules found wrong" 1: in place is documented; so are short, int and their unsigned forms.
    *_rows("div", _BINARY, "half float int16 int32 uint16 uint32", ">=322 !=372"),
    *_rows("div", _SCALAR, "half float", ">=322 !=372", inferred=True),
)
COMPARISON = (
    *_rows("eq ne lt le gt ge", _BINARY, _COMPARE),
    *_rows("eq_scalar ne_scalar lt_scalar le_scalar gt_scalar", _SCALAR, _COMPARE, ">=322"),
    *_rows("ge_scalar", _SCALAR, _COMPARE),
)
LOGIC = (
    *_rows("and or", _BINARY, f"{_FLOATS}, >=300 int32 int16 int8"),
    *_rows("not", _UNARY, f"{_FLOATS}, >=300 int32 int16 int8"),
    *_rows("band bor bxor", _BINARY, "int8, >=300 int32 int16"),
    *_rows("bnot", _UNARY, "int8, >=300 int32 int16"),
)
MATHEMATICS = (
    *_rows("abs", _UNARY, f"{_FLOATS}, inferred int32", inferred=True),
    *_rows("square", _UNARY, _FLOATS),
    *_rows("pow2 sqrt recip sin cos", _UNARY, "float", ">=322"),
    *_rows("log2", _UNARY, "float", ">=322", inferred=True),
    *_rows("floor", _UNARY, "float", ">=300", overlap="apart"),
)
MOVES = (
    Fact(
        "__bang_move",
        "out any dst{size}, in any src{size}, size",
        limits=(Within("size", 1),),
        overlap="any",
        work="size",
        inferred=True,
    ),
    Fact(
        "__bang_incseq",
        "out T dst[elem_count], elem_count",
        "int32 int64",
        ">592",
        limits=(POSITIVE,),
        work=PER_ELEMENT,
        inferred=True,
    ),
)

_LUT = "out T dst[elem_count], in I src[elem_count], in T table[table_length], elem_count, table_length"
_LUT_LIMITS = (POSITIVE, Within("table_length", 1), Multiple("table_length", 64), Aligned(64, on="<300"))
LOOK_UP = (
    # The only look-up that mlu-ops calls; kernels do dst == src.
    Fact("__bang_lut", _LUT, "int32/uint32 int16/uint16", ">=300", _LUT_LIMITS, work=PER_ELEMENT, inferred=True),
    # The 3.x names: "doc says no aliasing, kernels do dst==idx"; what kernels do must stay silent.
    Fact("__bang_lut_s32", _LUT, "int32/uint32 int32/int32", ">=300", _LUT_LIMITS, work=PER_ELEMENT),
    Fact("__bang_lut_s16", _LUT, "int16/uint16 int16/int16", ">=300", _LUT_LIMITS, work=PER_ELEMENT),
)

ROWS = (*ARITHMETIC, *COMPARISON, *LOGIC, *MATHEMATICS, *MOVES, *LOOK_UP)
