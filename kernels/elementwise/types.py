"""Types of elements: what is promoted to what, what the vector unit computes in, what an output may be cast to."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from ..quoting import quoted
from .operators import Operator, TypeRule

FLOAT, HALF, BFLOAT16 = np.dtype(np.float32), np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
INT32, INT8, BOOL = np.dtype(np.int32), np.dtype(np.int8), np.dtype(np.bool_)
#: In the order of `Type` in device/launch.h.
TYPES = (FLOAT, HALF, BFLOAT16, INT32, INT8, BOOL)
LISTED = ", ".join(map(str, TYPES))
#: From narrow to wide kinds: "same_kind" casts go along it, and within a kind both ways.
_KINDS = {BOOL: 0, INT8: 1, INT32: 1, FLOAT: 2, HALF: 2, BFLOAT16: 2}
#: Names of the documents that NumPy does not have, or has for another type.
_ALIASES = {"float": FLOAT, "half": HALF, "bfloat16": BFLOAT16}


def named_type(dtype: Any) -> np.dtype[Any]:
    """The element type that a caller names; TypeError if it names none that is computed."""
    try:
        found: np.dtype[Any] = np.dtype(_ALIASES.get(dtype, dtype) if isinstance(dtype, str) else dtype)
    except Exception:  # also whatever the repr of a stranger's class raises
        raise TypeError(f"dtype is {quoted(dtype)}, which names no element type; pass one of {LISTED}") from None
    if dtype is None or found not in TYPES:
        raise TypeError(f"dtype is {quoted(dtype)}, which is not computed; pass one of {LISTED}")
    return found


def _scalar_kind(value: bool | int | float) -> int:
    return 0 if isinstance(value, bool) else 1 if isinstance(value, int) else 2


def widest_scalar(values: Sequence[bool | int | float]) -> np.dtype[Any]:
    """The type that Python numbers have where no array is beside them."""
    return (BOOL, INT32, FLOAT)[max(map(_scalar_kind, values))]


def scalar_type(value: bool | int | float, partner: np.dtype[Any]) -> np.dtype[Any]:
    """The type that a Python number takes beside an array: that of the array, if its kind holds such a number.

    TypeError where NumPy would go on in float64 or int64, which are not computed.
    """
    kind = _scalar_kind(value)
    if kind > _KINDS[partner]:
        wide = "float64" if kind == 2 else "int64"
        raise TypeError(
            f"{quoted(value)} and an array of {partner} make {wide}, which is not computed; "
            "pass the number as an array of one element and a type of " + LISTED
        )
    return partner


@functools.lru_cache(maxsize=64)
def promoted(*types: np.dtype[Any]) -> np.dtype[Any]:
    """What NumPy promotes the types to; TypeError if that is nothing, or not computed."""
    try:
        found = functools.reduce(np.promote_types, types)
    except TypeError:  # numpy's DTypePromotionError is one
        found = None
    if found not in TYPES:
        pair = " and ".join(map(str, types))
        what = "which have no type in common" if found is None else f"whose common type {found} is not computed"
        raise TypeError(f"a and b have the types {pair}, {what}; cast one of them ({LISTED})")
    return found


class OperatorTypes(NamedTuple):
    """The types of an operator: what its inputs are cast to, what it gives, and what it is computed in."""

    argument: np.dtype[Any]
    result: np.dtype[Any]
    compute: np.dtype[Any]  # float32 or int32


@functools.lru_cache(maxsize=512)
def operator_types(
    operator: Operator, types: tuple[np.dtype[Any], ...], chosen: np.dtype[Any] | None, scaled: bool
) -> OperatorTypes:
    """The types of an operator for inputs of given types; ``chosen`` is the result of a cast.

    TypeError for types that the operator does not take.
    """
    common = promoted(*types)
    if scaled:
        if any(dtype != INT8 for dtype in types):
            given = " and ".join(map(str, types))
            raise TypeError(f"scales are for int8; {operator.name} was given {given}")
        return OperatorTypes(INT8, INT8, FLOAT)
    if common == BOOL and not operator.takes_bool:
        raise TypeError(f"{operator.name} does not take bool; cast it to a type of numbers")
    if operator.rule is TypeRule.FLOATING:
        if common == INT32:
            raise TypeError(f"{operator.name} of int32 is float64 in NumPy, which is not computed; cast it to float32")
        result = common if _KINDS[common] == 2 else HALF
        return OperatorTypes(result, result, FLOAT)
    whole = operator.whole_scratch is not None and common == INT32
    if operator.rule is TypeRule.TRUTH:
        return OperatorTypes(common, BOOL, INT32 if whole else FLOAT)
    result = common if chosen is None else chosen
    whole |= common == INT8 and operator.rule is TypeRule.PROMOTED
    return OperatorTypes(result, result, INT32 if whole else FLOAT)


def check_cast(result: np.dtype[Any], out: np.dtype[Any]) -> None:
    """TypeError unless "same_kind" casts the result of an operator to the type of its output."""
    if out not in TYPES:
        raise TypeError(f"out has dtype {out}, which is not computed; pass an array of {LISTED}")
    if _KINDS[result] > _KINDS[out]:
        raise TypeError(f"out has dtype {out} and the result {result}: no same_kind cast; pass an out of {result}")
