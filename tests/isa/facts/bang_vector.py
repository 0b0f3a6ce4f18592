"""Facts of BANG: arithmetic, comparison, logic and mathematics on NRAM vectors, and look-up.

Source: bang_isa.md (b), column by column, and its "Generic vector-instruction rules". Where the column "2xx" says
``addr%64, n*sz%128``, the row has `VECTOR_2XX`; "3xx and newer: no alignment, any positive count".
"""

from __future__ import annotations

from tests.isa.facts.fact import Aligned, Fact, Holds, Multiple, Within

POSITIVE = Within("elem_count", 1)
VECTOR_2XX = (POSITIVE, Aligned(64, on="<300"), Multiple("elem_count * sizeof", 128, on="<300"))
#: hw_specs.md, operations a cycle: fp16 64, fp32 32, int8 64. A one-byte element costs as much as a two-byte one.
PER_ELEMENT = "elem_count * max(2, sizeof)"
#: The key of the cost of what no single step of the vector unit computes. No document gives their times on vectors;
#: that they are longer is taken from the scalar unit: 6 to 18 cycles for quotients, logarithms and reciprocals, and
#: 1 to 3 for sums, products, logic and comparisons (BANG-C-OPS-Develop-Guide.md).
FUNCTION = "compute_function"
#: Those: quotients and remainders; roots, powers, logarithms and trigonometry, as such and as activations.
_FUNCTIONS = (
    "div rem pow2 log log2 sqrt rsqrt recip sin cos sigmoid active_exp active_exphp active_exp_less_0 active_log"
    " active_loghp active_sqrt active_sqrthp active_rsqrt active_rsqrthp active_recip active_reciphp"
    " active_recip_greater_1 active_sin active_cos active_tanh active_sigmoid active_sigmoid_hp active_gelu"
    " active_gelup active_pow2"
)

_BINARY = "out T dst[elem_count], in T src0[elem_count], in T src1[elem_count], elem_count"
_SCALAR = "out T dst[elem_count], in T src[elem_count], T value, elem_count"
_UNARY = "out T dst[elem_count], in T src[elem_count], elem_count"
_CYCLE = "out T dst[src_elem_count], in T src[src_elem_count], in T seg[seg_elem_count], src_elem_count, seg_elem_count"

_FLOATS = "half bfloat16 float"
_INTEGERS = "int32 int16 int8 int64 uint32 uint16 uint8"
#: Documented for floats; public kernels also call them with integers.
_ARITHMETIC = f"{_FLOATS}, inferred {_INTEGERS}"
_CHOSEN = "int32 int16 int8 uint32"
_COMPARE = f"{_FLOATS}, inferred {_CHOSEN}"
_WHOLE = "int32 int16 int8"
#: "`int`, `short` and `char` are supported on (m)tp_3xx and higher".
_LOGICAL = f"{_FLOATS}, >=300 {_WHOLE}, >=300 inferred uint32"
_DIVIDING = ">=322 !=372"

#: "`src_elem_count` must be divisible by `seg_elem_count`"; both times the
#: size by 128 on 2xx, which the second one implies of the first.
_CYCLE_LIMITS = (
    Within("src_elem_count", 1),
    Within("seg_elem_count", 1),
    Holds(
        "seg_elem_count < 1 or src_elem_count % seg_elem_count == 0",
        ({"seg_elem_count": 100}, {"seg_elem_count": 512}, {"seg_elem_count": 256}),
        rule="length",
    ),
    Aligned(64, on="<300"),
    Multiple("seg_elem_count * sizeof", 128, on="<300"),
)
_CYCLE_FACTS = {
    "limits": _CYCLE_LIMITS, "work": "src_elem_count * max(2, sizeof)",
    "call": {"src_elem_count": 256, "seg_elem_count": 128},
    "probes": ({"src_elem_count": 384}, {"src_elem_count": 192, "seg_elem_count": 64}),
}  # fmt: skip


def _rows(names: str, arguments: str, types: str, archs: str = "", **facts: object) -> tuple[Fact, ...]:
    """One row for each name of a family."""
    given = {"limits": VECTOR_2XX, "work": PER_ELEMENT, **facts}
    return tuple(
        Fact(f"__bang_{name}", arguments, types, archs, engine=FUNCTION if name in _FUNCTIONS.split() else "", **given)  # type: ignore[arg-type]
        for name in names.split()
    )


def _cycles(names: str, types: str, archs: str = "", **facts: object) -> tuple[Fact, ...]:
    """One row for the cyclic form of each name."""
    return _rows(" ".join(f"cycle_{name}" for name in names.split()), _CYCLE, types, archs, **_CYCLE_FACTS, **facts)


ARITHMETIC = (
    *_rows("add sub mul", _BINARY, _ARITHMETIC),
    *_rows("add_scalar sub_scalar mul_scalar", _SCALAR, _ARITHMETIC),
    *_cycles("add sub mul", _ARITHMETIC),
    # "(m)tp_2xx" and later; the forms that came before `_scalar`.
    *_rows("add_const sub_const mul_const", _SCALAR, "half float", ">=200"),
    *_rows("add_tz", _BINARY, "half float", ">=200"),
    *_cycles("add_tz", "half float", ">=200"),
    *_rows("maxequal minequal", _BINARY, _COMPARE),
    *_rows("maxeq_scalar mineq_scalar", _SCALAR, f"half float bfloat16 {_CHOSEN} uint16 uint8", ">=322"),
    *_cycles("maxequal minequal", _COMPARE),
    *_rows("maximum minimum", _BINARY, "float half", ">=322"),
    *_cycles("maximum minimum", "float half", ">=322"),
    *_rows("nan_maximum nan_minimum", _BINARY, "half float", ">=300"),
    *_cycles("nan_maximum nan_minimum", "half float", ">=300"),
    # bang_missing.md, "Rules found wrong" 1: in place is documented; the header has whole numbers and values too.
    *_rows("div", _BINARY, "half float int16 int32 uint16 uint32", _DIVIDING),
    *_rows("div", _SCALAR, "half float int16 int32 uint16 uint32", _DIVIDING),
    *_rows("rem", _BINARY, "int16 int32 uint16 uint32", _DIVIDING),
    # With a float it is only seen in a kernel, on every architecture that has it.
    *_rows("rem", _SCALAR, "!=372 int16 int32 uint16 uint32, inferred float", ">=322"),
    # "Can not be homologous operands", "must be divisible by 128" on every architecture.
    Fact(
        "__bang_div",
        "out T dst[elem_count], in T src0[elem_count], in T src1[elem_count], work T src_addition[elem_count],"
        " elem_count",
        "half float", ">=200", (POSITIVE, Multiple("elem_count * sizeof", 128)), overlap="apart", engine=FUNCTION,
        work=PER_ELEMENT,
    ),
    *_rows("neg", _UNARY, f"{_FLOATS}, inferred int32", inferred=True),
    *(
        Fact(
            f"__asm_div_scalar_nram_{name}",
            f"out {kind} dst[elem_count], in {kind} src[elem_count], value, elem_count",
            limits=(POSITIVE,), engine=FUNCTION, work=f"elem_count * {size}", inferred=True,
            asm=f"div.scalar.nram.{name}",
        )
        for name, kind, size in (("f16", "half", 2), ("f32", "float", 4))
    ),
)  # fmt: skip
#: "The comparison result of the first element is saved in bit0"; divisible by 512 on 2xx.
_TO_BITS = (
    "out uint8 dst[(elem_count + 7) // 8], in T src0[elem_count], in T src1[elem_count], elem_count"
)  # fmt: skip
COMPARISON = (
    *_rows("eq ne lt le gt ge", _BINARY, _COMPARE),
    *_rows("eq_scalar ne_scalar lt_scalar le_scalar gt_scalar", _SCALAR, _COMPARE, ">=322"),
    *_rows("ge_scalar", _SCALAR, _COMPARE),
    *_rows("ge_const", _SCALAR, "half float"),
    *_cycles("eq ne lt le gt ge", _COMPARE),
    *_rows(
        "eq_bitindex ne_bitindex lt_bitindex le_bitindex gt_bitindex ge_bitindex", _TO_BITS, _FLOATS,
        limits=(POSITIVE, Aligned(64, on="<300"), Multiple("elem_count * sizeof", 512, on="<300")),
        overlap="ahead", passed={"dst": "T"}, call={"elem_count": 512},
    ),
)  # fmt: skip
_BITS = "int8, inferred uint8, >=300 int32 int16, >=300 inferred uint32 uint16 half float"
_CYCLE_BITS = ">=200 int8, >=300 int32 int16, >=300 inferred uint32 uint16"
_KEPT = {"src0": 0xFF, "src1": 0xFF, "src": 0xFF, "seg": 0xFF}  # a bit that the other operand drops is not read
_SHIFT_LIMITS = (*VECTOR_2XX, Within("shift", 0, "8 * sizeof - 1", rule="argument", inferred=True))
LOGIC = (
    *_rows("and or xor", _BINARY, _LOGICAL),
    *_rows("not", _UNARY, _LOGICAL),
    *_rows("and_scalar or_scalar xor_scalar", _SCALAR, f"{_FLOATS} {_WHOLE}, inferred uint32", ">=322"),
    *_cycles("and or xor", _LOGICAL),
    # Documented for char, short and int; kernels pass other pointers too.
    *_rows("band", _BINARY, _BITS, holds=_KEPT),
    *_rows("bor bxor", _BINARY, _BITS),
    *_rows("bnot", _UNARY, _BITS),
    *_rows(
        "band_scalar bor_scalar bxor_scalar", _SCALAR, f"half float {_WHOLE}, inferred uint32 uint16 uint8", ">=322"
    ),
    *_cycles("band", _CYCLE_BITS, holds=_KEPT),
    *_cycles("bor bxor", _CYCLE_BITS),
    *_rows(
        "sll srl sra", "out T dst[elem_count], in T src[elem_count], shift, elem_count", "uint32 int32 uint16 int16",
        limits=_SHIFT_LIMITS, inferred=True, call={"shift": 3},
    ),
)  # fmt: skip
MATHEMATICS = (
    *_rows("abs", _UNARY, f"{_FLOATS}, inferred int32 int16 int8", inferred=True),
    *_rows("square", _UNARY, _FLOATS),
    # Documented for float; kernels take the root of bfloat16 on 592.
    *_rows("pow2 log sqrt rsqrt recip sin cos", _UNARY, "float, >=592 inferred half bfloat16", ">=322"),
    *_rows("log2", _UNARY, "float, >=592 half bfloat16", ">=322", inferred=True),
    *_rows("floor round", _UNARY, "float", ">=300", overlap="apart"),
    *_rows("relu", _UNARY, _FLOATS, ">=322"),
    # "`nvalue` must be positive".
    *_rows(
        "relun", "out T dst[elem_count], in T src[elem_count], elem_count, T nvalue", _FLOATS, ">=322",
        limits=(*VECTOR_2XX, Holds("nvalue > 0", ({"nvalue": 0}, {"nvalue": -1}, {"nvalue": 0.5}))),
        call={"nvalue": 6},
    ),
)  # fmt: skip
ACTIVE = (
    *_rows(
        "active_abs active_relu active_exp active_exphp active_exp_less_0 active_log active_loghp active_sqrt"
        " active_sqrthp active_rsqrt active_rsqrthp active_recip active_reciphp active_recip_greater_1 active_sin"
        " active_cos active_tanh active_sigmoid active_sigmoid_hp active_gelu active_gelup",
        _UNARY,
        "half float, inferred bfloat16",
    ),
    *_rows("active_sign active_pow2", _UNARY, "half float", ">=200"),
    *_rows("sigmoid", _UNARY, "half float, inferred bfloat16", inferred=True),  # a name of generated kernels
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
        "__bang_move",
        "out any dst{size, segnum x dst_stride}, in any src{size, segnum x src_stride}, size, dst_stride, src_stride,"
        " segnum",
        limits=(Within("size", 1), Within("segnum", 0)),
        overlap="any",
        work="size * (segnum + 1)",
        inferred=True,
        probes=({"segnum": 1}, {"dst_stride": 256}, {"src_stride": 0}, {"dst_stride": -2048}, {"src_stride": -512}),
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

ROWS = (*ARITHMETIC, *COMPARISON, *LOGIC, *MATHEMATICS, *ACTIVE, *MOVES, *LOOK_UP)
