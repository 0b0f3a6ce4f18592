"""The table of operators: how many inputs each has, what types it takes and gives, what it needs of NRAM.

What an operator computes stands under the same name in device/operators.h.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType


class TypeRule(Enum):
    """What the types of the inputs make of the type of the result."""

    PROMOTED = "the type that NumPy promotes the inputs to"
    FLOATING = "the same, half for int8 and bool; no int32"
    TRUTH = "bool"
    CHOSEN = "the type that the caller names"


@dataclass(frozen=True)
class Operator:
    """One operator; ``scratch`` buffers of a tile for float, ``whole_scratch`` for int32 (None: not in int32)."""

    name: str
    doc: str
    inputs: int
    rule: TypeRule
    scratch: int = 0
    whole_scratch: int | None = None
    takes_bool: bool = False
    scalable: bool = False  # int8 with scales
    homogeneous: bool = False  # op(k * a, k * b) is k * op(a, b) for k > 0
    error: float = 2.0**-20  # relative, of the vector unit's result; int8 rounds by hand within it

    @property
    def kernel(self) -> str:
        """The kernel in elementwise.mlu."""
        return f"elementwise_{self.name}"


_PROMOTED, _FLOATING, _TRUTH, _CHOSEN = TypeRule.PROMOTED, TypeRule.FLOATING, TypeRule.TRUTH, TypeRule.CHOSEN
#: Relative error that the functions below may have.
_APPROXIMATE = 2.0**-14
_ALL = (
    Operator("add", "a + b", 2, _PROMOTED, 0, 0, True, True, True),
    Operator("sub", "a - b", 2, _PROMOTED, 0, 0, False, True, True),
    Operator("mul", "a * b", 2, _PROMOTED, 0, 0, True, True),
    Operator("div", "a / b; integers as in C, toward zero, and 0 for b = 0", 2, _PROMOTED, 9, 6, False, True),
    Operator("maximum", "The greater of a and b, NaN if either is", 2, _PROMOTED, 0, 0, True, True, True),
    Operator("minimum", "The smaller of a and b, NaN if either is", 2, _PROMOTED, 0, 0, True, True, True),
    Operator(
        "pow", "a to the power of b; integers wrap, and truncate for b < 0", 2, _PROMOTED, 5, 4, False, True,
        error=_APPROXIMATE,
    ),
    Operator("prelu", "a where a > 0, else a * b", 2, _PROMOTED, 3, 3, False, True),
    Operator(
        "mod", "Remainder of a / b with the sign of a, as fmod in C; 0 for integers and b = 0", 2, _PROMOTED, 9, 6,
        False, True, True,
    ),
    Operator("logical_and", "Whether a and b are not 0", 2, _TRUTH, 0, None, True),
    Operator("logical_or", "Whether a or b is not 0", 2, _TRUTH, 0, None, True),
    Operator("logical_xor", "Whether one of a and b is 0 and the other is not", 2, _TRUTH, 1, None, True),
    Operator("logical_not", "Whether a is 0", 1, _TRUTH, 0, None, True),
    Operator("equal", "Whether a == b, or |a - b| < tolerance", 2, _TRUTH, 0, 0, True),
    Operator("not_equal", "Whether a != b", 2, _TRUTH, 0, 0, True),
    Operator("greater", "Whether a > b", 2, _TRUTH, 0, 0, True),
    Operator("greater_equal", "Whether a >= b", 2, _TRUTH, 0, 0, True),
    Operator("less", "Whether a < b", 2, _TRUTH, 0, 0, True),
    Operator("less_equal", "Whether a <= b", 2, _TRUTH, 0, 0, True),
    Operator(
        "cast", "a in another type; to integers toward zero, saturated, NaN is 0, but int32 to int8 wraps", 1, _CHOSEN,
        0, 0, True,
    ),
    Operator("clip", "a, but not below low and not above high", 1, _PROMOTED, 1, 1, False, True),
    Operator("relu", "a, or 0 where that is greater", 1, _PROMOTED, 1, 1, False, True, True),
    Operator("neg", "-a", 1, _PROMOTED, 0, 0, False, True, True),
    Operator("abs", "The magnitude of a", 1, _PROMOTED, 0, 0, True, True, True),
    Operator("sqrt", "Square root of a", 1, _FLOATING, 0, None, True, True),
    Operator("exp", "e to the power of a", 1, _FLOATING, 0, None, True, True, error=_APPROXIMATE),
    Operator("log", "Natural logarithm of a", 1, _FLOATING, 0, None, True, True, error=_APPROXIMATE),
    Operator("sigmoid", "1 / (1 + e^-a)", 1, _FLOATING, 2, None, True, True, error=_APPROXIMATE),
    Operator(
        "gelu", "a times the normal distribution function of a", 1, _FLOATING, 4, None, True, True,
        error=_APPROXIMATE,
    ),
    Operator("silu", "a / (1 + e^-a)", 1, _FLOATING, 2, None, True, True, error=_APPROXIMATE),
    Operator("zero", "0 in the shape and type of a, which is not read", 1, _PROMOTED, 0, 0, True),
)  # fmt: skip
#: Every operator by its name.
OPERATORS: Mapping[str, Operator] = MappingProxyType({operator.name: operator for operator in _ALL})
