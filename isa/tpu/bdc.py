"""BDC: the compute engine, on tensors [n, c, h, w] across lanes: arithmetic, logic, comparisons, copies and casts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..enumerations import ROUNDING_MODES
from ..instruction import Wider
from ..rounding import Rounding, narrow, single, to_int, to_whole
from ..rules import DOCUMENTED, Require
from .commands import EVERY, FLOATS, INTEGERS, bdc
from .tensors import of_tensors

BINARY = (
    "void tpu_bdc_{op}(tensor<T> dst_addr[shape @ dst_stride], const tensor<T> src0_addr[shape @ src0_stride],"
    " const tensor<T> src1_addr[shape @ src1_stride], dim4 *shape, dim4 *dst_stride?, dim4 *src0_stride?,"
    " dim4 *src1_stride?, data_type dtype)"
)
UNARY = (
    "void tpu_bdc_{op}(tensor<T> dst_addr[shape @ dst_stride], const tensor<T> src_addr[shape @ src_stride],"
    " dim4 *shape, dim4 *dst_stride?, dim4 *src_stride?, data_type dtype)"
)
WITH_C = UNARY.replace(" dim4 *shape,", " scalar<T> C, dim4 *shape,")
_SIGNED = f"{FLOATS} int8 int16 int32"

# --- arithmetic ------------------------------------------------------------------------------------------------------

_ROUNDED = "one rounding to nearest even"
_ARITHMETIC: dict[str, tuple[Any, str]] = {
    "add": (np.add, "{a} + {b}"),
    "sub": (np.subtract, "{a} - {b}"),
    "mul": (np.multiply, "{a} * {b}"),
}
arithmetic = bdc(
    BINARY,
    of_tensors({op: (function, f"{text}, {_ROUNDED}") for op, (function, text) in _ARITHMETIC.items()}, "fp_{op}"),
    types=f"{FLOATS} float8e4m3 float8e5m2",
)
arithmetic_with_c = bdc(
    WITH_C,
    {
        f"fp_{op}_C": (function, f"dst = {text.format(a='src', b='C')}, {_ROUNDED}")
        for op, (function, text) in _ARITHMETIC.items()
    }
    | {"fp_C_sub": (lambda src_addr, C: C - src_addr, f"dst = C - src, {_ROUNDED}")},  # noqa: N803 - the vendor's name
    types=f"{FLOATS} float8e4m3 float8e5m2",
)
_QUOTIENT = "correctly rounded here; the chip multiplies by an iterated reciprocal and may be some ulps off"
_FIVE = "5 * shape.n * -(-shape.c // lanes) * -(-shape.h * shape.w * sizeof_dst_addr // eu_bytes)"


def quotient_of(a: Any, b: Any) -> Any:
    """a / b without a word where b is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return a / b


_FP32 = {" data_type dtype": "", "src1_stride?,": "src1_stride?", "src_stride?,": "src_stride?", "<T>": "<float>"}


def _of_fp32(prototype: str) -> str:
    """The form of a function of floats alone."""
    for old, new in _FP32.items():
        prototype = prototype.replace(old, new)
    return prototype.replace("scalar<float> C", "float C")


quotient = bdc(
    BINARY,
    {"fp_div": (lambda src0_addr, src1_addr: quotient_of(src0_addr, src1_addr), f"dst = src0 / src1, {_QUOTIENT}")},
    types=FLOATS,
    divisor="src1_addr",
    work=_FIVE,
)
quotient_of_floats = bdc(
    _of_fp32(BINARY),
    {"fp32_div": (lambda src0_addr, src1_addr: quotient_of(src0_addr, src1_addr), f"dst = src0 / src1, {_QUOTIENT}")},
    divisor="src1_addr",
    work=_FIVE,
)
quotient_by_c = bdc(
    _of_fp32(WITH_C),
    {"fp32_div_C": (lambda src_addr, C: quotient_of(src_addr, np.float32(C)), f"dst = src / C, {_QUOTIENT}")},  # noqa: N803
    divisor="C",
    work=_FIVE,
)
quotient_below_c = bdc(
    _of_fp32(WITH_C),
    {"fp32_C_div": (lambda src_addr, C: quotient_of(np.float32(C), src_addr), f"dst = C / src, {_QUOTIENT}")},  # noqa: N803
    divisor="src_addr",
    work=_FIVE,
)
_NAN = "which of a NaN and a number wins is inferred"
extremes = bdc(
    BINARY,
    of_tensors({"max": (np.fmax, f"max({{a}}, {{b}}); {_NAN}"), "min": (np.fmin, f"min({{a}}, {{b}}); {_NAN}")}),
    types=EVERY,
    provenance=DOCUMENTED,
)
extremes_with_c = bdc(
    WITH_C,
    {"max_C": (np.fmax, f"dst = max(src, C); {_NAN}"), "min_C": (np.fmin, f"dst = min(src, C); {_NAN}")},
    types=EVERY,
)
signs = bdc(
    UNARY,
    {"abs": (np.absolute, "dst = |src|"), "neg": (np.negative, "dst = -src")},
    types=_SIGNED,
    provenance=DOCUMENTED,
)
relu = bdc(
    UNARY,
    {
        "relu": (
            lambda src_addr: np.where(src_addr > 0, src_addr, src_addr.dtype.type(0)),
            "dst = src where it is positive, else 0; NaN gives 0",
        )
    },
    types=_SIGNED,
)
prelu = bdc(
    "void tpu_bdc_{op}(tensor<T> dst_addr[shape], const tensor<T> src_addr[shape], scalar<T> alpha, dim4 *shape,"
    " data_type dtype)",
    {
        "prelu": (
            lambda src_addr, alpha: np.where(src_addr > 0, src_addr, alpha * src_addr),
            "dst = src where it is positive, else alpha * src",
        )
    },
    types=FLOATS,
)

# --- copies, fills, bits ---------------------------------------------------------------------------------------------

copy = bdc(UNARY, {"cpy": (None, "dst = src")}, types=EVERY)
fill = bdc(
    "void tpu_bdc_{op}(tensor<T> dst_addr[shape @ dst_stride], scalar<T> C, dim4 *shape, dim4 *dst_stride?,"
    " data_type dtype)",
    {"set_C": (np.positive, "Every element of dst becomes C")},
    types=EVERY,
)
_BITS: dict[str, np.ufunc] = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def _bits(x: Any) -> Any:
    """The bits of elements as unsigned integers."""
    return x.view(f"u{x.dtype.itemsize}")


def _logic(ufunc: np.ufunc) -> Any:
    return lambda src0_addr, src1_addr: ufunc(_bits(src0_addr), _bits(src1_addr)).view(src0_addr.dtype)


def _logic_with_c(ufunc: np.ufunc) -> Any:
    return lambda src_addr, C: ufunc(_bits(src_addr), _bits(C)).view(src_addr.dtype)  # noqa: N803


_LOGIC: dict[str, Any] = {"types": f"{INTEGERS} {FLOATS}", "wider": Wider.BITS, "provenance": DOCUMENTED}
logic = bdc(BINARY, {op: (_logic(ufunc), f"dst = src0 {op} src1, bit by bit") for op, ufunc in _BITS.items()}, **_LOGIC)
logic_with_c = bdc(
    WITH_C,
    {f"{op}_C": (_logic_with_c(ufunc), f"dst = src {op} C, bit by bit") for op, ufunc in _BITS.items()},
    **_LOGIC,
)
inversion = bdc(
    UNARY, {"not": (lambda src_addr: (~_bits(src_addr)).view(src_addr.dtype), "dst = not src, bit by bit")}, **_LOGIC
)

# --- comparisons -----------------------------------------------------------------------------------------------------

_RELATIONS: dict[str, tuple[np.ufunc, str]] = {
    "equal": (np.equal, "=="),
    "not_equal": (np.not_equal, "!="),
    "greater": (np.greater, ">"),
    "greater_equal": (np.greater_equal, ">="),
    "less": (np.less, "<"),
    "less_equal": (np.less_equal, "<="),
}


def _compare(relation: np.ufunc) -> Any:
    return lambda src0_addr, src1_addr, true_val: _where(relation(src0_addr, src1_addr), true_val)


def _compare_with_c(relation: np.ufunc) -> Any:
    return lambda src_addr, C, true_val: _where(relation(src_addr, C), true_val)  # noqa: N803


def _where(condition: np.ndarray, true_val: Any) -> Any:
    return np.where(condition, true_val, np.zeros_like(true_val))


_COMPARED: dict[str, Any] = {"types": {"D": EVERY, "S": EVERY}, "wider": Wider.DECIDES}
comparisons = bdc(
    "void tpu_bdc_{op}(tensor<D> dst_addr[shape @ dst_stride], const tensor<S> src0_addr[shape @ src0_stride],"
    " const tensor<S> src1_addr[shape @ src1_stride], scalar<D> true_val, dim4 *shape, dim4 *dst_stride?,"
    " dim4 *src0_stride?, dim4 *src1_stride?, data_type dst_dtype, data_type src_dtype)",
    {
        op: (_compare(relation), f"dst = true_val where src0 {sign} src1, else 0")
        for op, (relation, sign) in _RELATIONS.items()
    },
    **_COMPARED,
)
comparisons_with_c = bdc(
    "void tpu_bdc_{op}(tensor<D> dst_addr[shape @ dst_stride], const tensor<S> src_addr[shape @ src_stride],"
    " scalar<S> C, scalar<D> true_val, dim4 *shape, dim4 *dst_stride?, dim4 *src_stride?, data_type dst_dtype,"
    " data_type src_dtype)",
    {
        f"{op}_C": (_compare_with_c(relation), f"dst = true_val where src {sign} C, else 0")
        for op, (relation, sign) in _RELATIONS.items()
    },
    **_COMPARED,
)


def _select(relation: np.ufunc) -> Any:
    return lambda src0, src1, src2, src3: np.where(relation(src0, src1), src2, src3)


selections = bdc(
    "void tpu_bdc_{op}(tensor<D> dst_addr[shape], const variable<S> src0[shape], const variable<S> src1[shape],"
    " const variable<D> src2[shape], const variable<D> src3[shape], dim4 *shape, data_type src0_src1_dtype,"
    " data_type dst_dtype)",
    {
        f"{op}_select": (_select(_RELATIONS[op][0]), f"dst = src2 where src0 {_RELATIONS[op][1]} src1, else src3")
        for op in ("equal", "greater", "less")
    },
    engine="bdc_select",
    **_COMPARED,
)

# --- casts -----------------------------------------------------------------------------------------------------------

ROUNDINGS = {
    ROUNDING_MODES[name]: rounding
    for name, rounding in {
        "RM_HALF_TO_EVEN": Rounding.NEAREST_EVEN, "RM_HALF_AWAY_FROM_ZERO": Rounding.NEAREST_AWAY,
        "RM_TOWARDS_ZERO": Rounding.ZERO, "RM_DOWN": Rounding.DOWN, "RM_UP": Rounding.UP,
        "RM_HALF_UP": Rounding.NEAREST_UP, "RM_HALF_DOWN": Rounding.NEAREST_DOWN,
    }.items()
}  # fmt: skip
KNOWN_MODE = Require("0 <= mode <= 6", needed=True)


def cast(src_addr: np.ndarray, type_dst_addr: np.dtype, mode: int) -> np.ndarray:
    """Elements as another type, rounded by mode; integers saturate, NaN becomes the largest integer."""
    rounding, whole = ROUNDINGS[mode], src_addr.dtype.kind in "iu"
    if type_dst_addr.kind in "iu":
        return to_int(src_addr.astype(np.float64), type_dst_addr, rounding, nan=int(np.iinfo(type_dst_addr).max))
    wide = src_addr.astype(np.float64) if whole else single(src_addr)
    return wide if type_dst_addr == wide.dtype else narrow(wide, type_dst_addr, rounding)


casts = bdc(
    "void tpu_bdc_{op}(tensor<D> dst_addr[shape @ dst_stride], const tensor<S> src_addr[shape @ src_stride],"
    " dim4 *shape, dim4 *dst_stride?, dim4 *src_stride?, data_type dst_dtype, data_type src_dtype, rounding mode)",
    {
        "cast": (
            cast,
            "dst = src as the other type, rounded by mode; integers saturate, NaN becomes the largest integer, and what"
            " passes the largest 8-bit float becomes infinity or NaN",
        )
    },
    types={"D": EVERY, "S": EVERY},
    rules=(KNOWN_MODE, Require("dst_addr != src_addr or sizeof_dst_addr <= sizeof_src_addr", rule="overlap")),
)


def _rounded(src_addr: np.ndarray, mode: int) -> Any:
    wide = single(src_addr)
    return np.copysign(to_whole(wide, ROUNDINGS[mode]), wide)


rounding = bdc(
    UNARY.replace("dtype)", "dtype, rounding mode)"),
    {"fp_round": (lambda src_addr, mode: _rounded(src_addr, mode), "dst = src rounded to a whole number by mode")},
    types=FLOATS,
    rules=(KNOWN_MODE,),
)
wholes = bdc(
    UNARY,
    {
        "fp_ceil": (np.ceil, "dst = the least whole number that is not below src"),
        "fp_floor": (np.floor, "dst = the greatest whole number that is not above src"),
    },
    types=FLOATS,
)
