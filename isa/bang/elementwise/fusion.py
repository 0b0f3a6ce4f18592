"""Several operations in one instruction: `__bang_fusion`, and chains of them in inline assembly (`fuse.nram`).

Floats are computed in 32 bits, and rounded to their type at the end (inferred). A chain in assembly is any number of
operations; up to four are modelled, one of which may be with a vector. ``mlusim_fusion.h`` turns it into these calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...declare import INFERRED, Instruction, Require, instruction
from ...enumerations import FUSIONS
from ...rounding import single
from .compare import SIGNS
from .vectors import FLOATS, POSITIVE

_OPERATIONS = {"A": np.add, "S": np.subtract, "M": np.multiply}
#: Code -> what is done first, and what then.
_STEPS = {number: [_OPERATIONS[letter] for letter in name[-2:]] for name, number in FUSIONS.items()}


def _fused(src0: np.ndarray, src1: Any, src2: Any, op_code: int) -> Any:
    first, second = _STEPS[op_code]
    wide = src0 if src0.dtype.kind in "iu" else single(src0)
    values = (x if isinstance(x, np.ndarray) else src0.dtype.type(x) for x in (src1, src2))
    one, two = (x if x.dtype == wide.dtype else x.astype(wide.dtype) for x in values)
    return second(first(wide, one), two)


def _bang_fusion(short: str, short_count: str) -> Instruction:
    """The form in which ``short`` are vectors, of ``short_count`` elements; the others are values."""
    count = "dst_src0_elem_count"
    whole = f"[parts][{short_count}]" if short else f"[{count}]"
    others = (f"const T {name}[{short_count}]" if name in short else f"T {name}" for name in ("src1", "src2"))
    rules = [Require(f"{count} > 0", rule="length"), Require("0 <= op_code <= 7", needed=True)]
    if short:
        rules += [
            Require(f"{short_count} > 0", rule="length"),
            Require(f"{count} % {short_count} == 0", rule="length", needed=True),
        ]
    return instruction(
        f"void __bang_fusion(fusion op_code, T dst{whole}, const T src0{whole}, {', '.join(others)}, int32 {count}"
        + (f", int32 {short_count})" if short else ")"),
        doc="dst[i] = (src0[i] op src1) op src2, as op_code says; shorter vectors are repeated",
        types=FLOATS,
        inferred_types="int32 uint32",
        archs=">=322",
        let={"parts": f"{count} // {short_count}"} if short else {},
        rules=tuple(rules),
        work=f"{count} * max(sizeof_dst, 2)",
    )(_fused)


bang_fusion = (
    _bang_fusion("", ""),
    _bang_fusion("src1", "src1_elem_count"),
    _bang_fusion("src2", "src2_elem_count"),
    _bang_fusion("src1 src2", "src1_src2_elem_count"),
)

#: The operations of a chain; that of each place is its code, 0 means none. Bits are those of whole numbers.
CHAINED: dict[str, Callable[..., Any] | None] = {
    "": None,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    **{op: function for op, (function, _) in SIGNS.items()},
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
_FUNCTIONS = tuple(CHAINED.values())


def _chain(src: np.ndarray, steps: list[tuple[int, Any]]) -> Any:
    x = src if src.dtype.kind in "iu" else single(src)
    kind = x.dtype
    for code, operand in steps:
        function = _FUNCTIONS[code]
        if function is not None:
            right = operand if isinstance(operand, np.ndarray) else src.dtype.type(operand)
            x = function(x, right.astype(kind)).astype(kind)
    return x


def _asm(name: str, kind: str, last: int) -> tuple[Instruction, Instruction]:
    """The chain on vectors of ``kind`` without a vector in it, and with one at place ``at``."""
    chain = ", ".join(f"int32 op{n}, {kind} value{n}" for n in range(4))
    rules = (POSITIVE, *(Require(f"0 <= op{n} <= {last}", needed=True) for n in range(4)))
    facts: dict[str, Any] = {
        "asm": f"fuse.nram.{name}",
        "provenance": INFERRED,
        "work": "elem_count * max(sizeof_dst, 2)",
    }
    form = f"void __asm_fuse_nram_{name}({kind} dst[elem_count], const {kind} src[elem_count], {{}}int32 elem_count"

    @instruction(form.format("") + f", {chain})", rules=rules, **facts)
    def plain(
        src: np.ndarray, op0: int, value0: Any, op1: int, value1: Any, op2: int, value2: Any, op3: int, value3: Any
    ) -> Any:
        """dst[i] = src[i] op0 value0 op1 value1 op2 value2 op3 value3, from left to right; a comparison gives 1 or 0"""
        return _chain(src, [(op0, value0), (op1, value1), (op2, value2), (op3, value3)])

    @instruction(
        form.format(f"const {kind} other[elem_count], ") + f", int32 at, {chain})",
        rules=(*rules, Require("0 <= at <= 3", needed=True)),
        **facts,
    )
    def with_vector(
        src: np.ndarray, other: np.ndarray, at: int,
        op0: int, value0: Any, op1: int, value1: Any, op2: int, value2: Any, op3: int, value3: Any,
    ) -> Any:  # fmt: skip
        """As without other, which takes the place of value0, value1, value2 or value3 as at says."""
        steps = [(op0, value0), (op1, value1), (op2, value2), (op3, value3)]
        steps[at] = steps[at][0], other
        return _chain(src, steps)

    return plain, with_vector


_LAST, _LAST_OF_FLOATS = len(CHAINED) - 1, list(CHAINED).index("ge")
chains = tuple(
    _asm(name, kind, last)
    for name, kind, last in (
        ("f16", "half", _LAST_OF_FLOATS),
        ("f32", "float", _LAST_OF_FLOATS),
        ("s32", "int32", _LAST),
        ("u32", "uint32", _LAST),
    )
)
