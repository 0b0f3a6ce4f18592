"""BDC: what is done to every element by itself, between tensors across the lanes.

Subnormal floats are zeros here (`Dialect.flushes`). Of a NaN and a number in a maximum the second operand comes out,
and equality compares bits: observed of the vendor's model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Completion, Compute, Instruction, Require
from ..instruction import Wider
from ..results import ValueOutOfRange
from ..tpu.bdc import BINARY, UNARY
from ..tpu.cycles import work
from .machine import family, instruction

#: Bits of an element.
WIDTH = 32
BDC: dict[str, Any] = {
    "space": "local", "pipe": "bdc", "effect": Compute(Completion.QUEUED), "engine": "bdc_ar",
    "work": work("bdc_ar", shape="shape", size="4"),
}  # fmt: skip
_SELECT = {**BDC, "engine": "bdc_select", "work": work("bdc_select", shape="shape", size="4")}


def _form(prototype: str, **kinds: str) -> str:
    """A prototype of TPU-KERNEL in the words of OKK: no argument names types, which are given by operand."""
    for operand, kind in kinds.items():
        prototype = prototype.replace(f"tensor<T> {operand}_addr", f"tensor<{kind}> {operand}_addr")
    return prototype.replace("tpu_bdc_", "okk_bdc_").replace(", data_type dtype", "")


def _two(kind: str, by: str = "", value: str = "", into: str = "", dst: str = "") -> str:
    """Of two tensors, the second of another type ``by``, and a ``value``; ``into`` a tensor that is read too, if so."""
    made = _form(BINARY, dst=dst or kind, src0=kind, src1=by or kind)
    return made.replace("(tensor", f"({into} tensor").replace(" dim4 *shape,", f"{value} dim4 *shape,")


def _one(kind: str, value: str = "", into: str = "", dst: str = "") -> str:
    """Of one tensor, and a value."""
    made = _form(UNARY, dst=dst or kind, src=kind)
    return made.replace("(tensor", f"({into} tensor").replace(" dim4 *shape,", f"{value} dim4 *shape,")


def _greater(a: Any, b: Any) -> Any:
    return np.where(a > b, a, b)


def _not_greater(a: Any, b: Any) -> Any:
    return np.where(a <= b, a, b)


def reciprocal(values: Any) -> Any:
    """1 / x in float64; a subnormal result is 0, and that of an infinity is itself, as the vendor's model has it."""
    wide = np.asarray(values, np.float64)
    with np.errstate(divide="ignore"):
        inverse = 1 / wide
    small = np.abs(inverse) < np.finfo(np.float32).smallest_normal
    return np.where(np.isinf(wide), wide, np.where(small, np.copysign(0, inverse), inverse))


def _divide(a: Any, b: Any) -> Any:
    with np.errstate(invalid="ignore"):
        return a * reciprocal(b)


_QUOTIENT = "as a product with the reciprocal, so that 3e38 / 3e38 = 0 and inf / inf = inf; the last bits are inferred"
#: Name -> function of two operands, and what a doc line says of it.
_ARITHMETIC: dict[str, tuple[Any, str]] = {
    "add": (np.add, "{a} + {b}"),
    "sub": (np.subtract, "{a} - {b}"),
    "mul": (np.multiply, "{a} * {b}"),
    "div": (_divide, f"{{a}} / {{b}}, {_QUOTIENT}"),
    "max": (_greater, "{a} where it is greater than {b}, else {b}"),
    "min": (_not_greater, "{a} where it is at most {b}, else {b}"),
}


def _named(function: Any, *names: str) -> Any:
    """A function of two arguments that takes them by these names; a ufunc as it is."""
    first, second = names
    of: dict[tuple[str, str], Any] = {
        ("src0_addr", "src1_addr"): lambda src0_addr, src1_addr: function(src0_addr, src1_addr),
        ("src_addr", "C"): lambda src_addr, C: function(src_addr, np.float32(C)),  # noqa: N803 - the vendor's name
        ("C", "src_addr"): lambda C, src_addr: function(np.float32(C), src_addr),  # noqa: N803
    }
    return of[first, second]


def _members(form: str, first: str, second: str, a: str, b: str, *names: str) -> dict[str, tuple[Any, str]]:
    return {
        form.format(op=op): (_named(_ARITHMETIC[op][0], first, second), f"dst = {_ARITHMETIC[op][1].format(a=a, b=b)}")
        for op in names or _ARITHMETIC
    }


arithmetic = family(_two("float"), _members("{op}", "src0_addr", "src1_addr", "src0", "src1"), **BDC)
with_constants = family(
    _one("float", " float C,"),
    _members("{op}_C", "src_addr", "C", "src", "C") | _members("C_{op}", "C", "src_addr", "C", "src", "sub", "div"),
    **BDC,
)


@instruction(_two("float", into="inout").format(op="mac"), **BDC)
def mac(dst_addr: np.ndarray, src0_addr: np.ndarray, src1_addr: np.ndarray) -> Any:
    """dst = dst + src0 * src1; that the product is rounded before the sum is inferred"""
    return dst_addr + src0_addr * src1_addr


@instruction(_one("float", " float C,", into="inout").format(op="mac_C"), **BDC)
def mac_constant(dst_addr: np.ndarray, src_addr: np.ndarray, C: float) -> Any:  # noqa: N803
    """dst = dst + src * C; that the product is rounded before the sum is inferred"""
    return dst_addr + src_addr * np.float32(C)


unary = family(
    _one("float"),
    {
        "neg": (lambda src_addr: 0 - src_addr, "dst = 0 - src, so that of a zero comes 0"),
        "relu": (
            lambda src_addr: np.where(src_addr > 0, src_addr, np.float32(0)),
            "dst = src where it is positive, else 0: also of a NaN",
        ),
        "reciprocal": (lambda src_addr: reciprocal(src_addr), "dst = 1 / src; of an infinity the infinity itself"),
    },
    **BDC,
)

copy = family(_one("uint32"), {"32bit_cpy": (np.positive, "dst = src, bit for bit")}, **BDC)
fill = family(
    "void okk_bdc_{op}(tensor<T> dst_addr[shape @ dst_stride], x32<T> C, dim4 *shape, dim4 *dst_stride?)",
    {"32bit_set_C": (np.positive, "Every element of dst becomes C")},
    types="uint32",
    **BDC,
)

_LOGIC: dict[str, Any] = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
logic = family(
    _two("uint32"), {f"32bit_{op}": (ufunc, f"dst = src0 {op} src1, bit by bit") for op, ufunc in _LOGIC.items()}, **BDC
)
logic_with_constants = family(
    _one("T", " x32<T> C,"),
    {f"32bit_{op}_C": (ufunc, f"dst = src {op} C, bit by bit") for op, ufunc in _LOGIC.items()},
    types="uint32",
    **BDC,
)


def _moved(values: Any, amounts: Any, kind: type) -> np.ndarray:
    """Values moved left by positive amounts and right by negative ones, up to all 32 bits of them."""
    wide, by = np.asarray(values).astype(np.int64), np.asarray(amounts).astype(np.int64)
    if len(wrong := np.flatnonzero(np.abs(by) > WIDTH)):
        at = int(wrong[0])
        name = "src1_addr" if by.ndim else "C"
        raise ValueOutOfRange(name, at, int(by.flat[at]), f"between -{WIDTH} and {WIDTH}")
    found = np.where(by > 0, wide << np.maximum(by, 0), wide >> np.maximum(-by, 0))
    return (found & 0xFFFFFFFF).astype(np.uint32).view(kind)


def _shifts(kind: str, name: str, words: str) -> tuple[Instruction, ...]:
    dtype = np.int32 if kind == "int32" else np.uint32
    words = f"bits, {words}; positive amounts move left, negative ones right"
    facts = {**BDC, "wider": Wider.BITS}
    amount = (Require(f"-{WIDTH} <= C <= {WIDTH}", needed=True),)
    two = {
        f"32bit_{name}": (
            lambda src0_addr, src1_addr: _moved(src0_addr, src1_addr, dtype),
            f"dst = src0 moved by src1 {words}",
        )
    }
    one = {f"32bit_{name}_C": (lambda src_addr, C: _moved(src_addr, C, dtype), f"dst = src moved by C {words}")}  # noqa: N803
    of = {f"32bit_C_{name}": (lambda C, src_addr: _moved(C, src_addr, dtype), f"dst = C moved by src {words}")}  # noqa: N803
    return (
        *family(_two(kind, by="int32"), two, **facts),
        *family(_one(kind, " int32 C,"), one, rules=amount, **facts),
        *family(_one("int32", f" {kind} C,", dst=kind), of, **facts),
    )


shifts = (
    _shifts("int32", "arithmetic_shift", "the sign kept"),
    _shifts("uint32", "logical_shift", "zeros filled in"),
)


def _bits(number: float) -> np.uint32:
    """The bits of a float."""
    return np.float32(number).view(np.uint32)


def _chosen(holds: Any, value: Any) -> Any:
    return np.where(holds, value, np.uint32(0))


selected_values = (
    *family(
        _two("float", value=" x32<U> select_val,", dst="U"),
        {
            "greater_select_value": (
                lambda src0_addr, src1_addr, select_val: _chosen(src0_addr > src1_addr, select_val),
                "dst = select_val where src0 is greater than src1, else 0",
            )
        },
        types={"U": "uint32"},
        **_SELECT,
    ),
    *family(
        _one("float", " float C, x32<U> select_val,", dst="U"),
        {
            "greater_C_select_value": (
                lambda src_addr, C, select_val: _chosen(src_addr > np.float32(C), select_val),  # noqa: N803
                "dst = select_val where src is greater than C, else 0",
            ),
            "C_greater_select_value": (
                lambda src_addr, C, select_val: _chosen(np.float32(C) > src_addr, select_val),  # noqa: N803
                "dst = select_val where C is greater than src, else 0",
            ),
        },
        types={"U": "uint32"},
        **_SELECT,
    ),
    *family(
        _two("U", value=" x32<U> select_val,"),
        {
            "equal_select_value": (
                lambda src0_addr, src1_addr, select_val: _chosen(src0_addr == src1_addr, select_val),
                "dst = select_val where src0 and src1 have the same bits, else 0",
            )
        },
        types={"U": "uint32"},
        **_SELECT,
    ),
    *family(
        _one("U", " float C, x32<U> select_val,"),
        {
            "equal_C_select_value": (
                lambda src_addr, C, select_val: _chosen(src_addr == _bits(C), select_val),  # noqa: N803
                "dst = select_val where src has the bits of C, else 0",
            )
        },
        types={"U": "uint32"},
        **_SELECT,
    ),
)
_SELECTION = (
    "void okk_bdc_{{op}}_select(tensor<uint32> dst_addr[shape], const fp32_or_addr<{kind}> src0[shape],"
    " const fp32_or_addr<{kind}> src1[shape], const x32_or_addr<uint32> select0[shape],"
    " const x32_or_addr<uint32> select1[shape], dim4 *shape)"
)
selections = (
    *family(
        _SELECTION.format(kind="float"),
        {
            "greater": (
                lambda src0, src1, select0, select1: np.where(src0 > src1, select0, select1),
                "dst = select0 where src0 is greater than src1, else select1; each is a tensor or a value",
            )
        },
        **_SELECT,
    ),
    *family(
        _SELECTION.format(kind="uint32"),
        {
            "equal": (
                lambda src0, src1, select0, select1: np.where(src0 == src1, select0, select1),
                "dst = select0 where src0 and src1 have the same bits, else select1; each is a tensor or a value",
            )
        },
        **_SELECT,
    ),
)

_VECTOR = "const tensor<float> {name}[(1, shape.c, 1, 1) @ (1, 1, 1, 1)]"
_PER_CHANNEL = (
    "void okk_bdc_{op}(tensor<float> dst_addr[shape @ dst_stride], const tensor<float> src_addr[shape @ src_stride],"
    " {vectors}, dim4 *shape, dim4 *dst_stride?, dim4 *src_stride?)"
)


def _per_channel(op: str, *vectors: str) -> str:
    return _PER_CHANNEL.format(op=op, vectors=", ".join(_VECTOR.format(name=name) for name in vectors))


@instruction(_per_channel("bias", "bias_addr"), **BDC)
def add_bias(src_addr: np.ndarray, bias_addr: np.ndarray) -> Any:
    """dst[n, c, h, w] = src[n, c, h, w] + bias[0, c, 0, 0]"""
    return src_addr + bias_addr


@instruction(_per_channel("scale", "scale_addr"), **BDC)
def scale(src_addr: np.ndarray, scale_addr: np.ndarray) -> Any:
    """dst[n, c, h, w] = src[n, c, h, w] * scale[0, c, 0, 0]"""
    return src_addr * scale_addr


@instruction(_per_channel("scale_bias", "scale_addr", "bias_addr"), **BDC)
def scale_bias(src_addr: np.ndarray, scale_addr: np.ndarray, bias_addr: np.ndarray) -> Any:
    """dst = src * scale + bias, both by channel; that the product is rounded before the sum is inferred"""
    return src_addr * scale_addr + bias_addr
