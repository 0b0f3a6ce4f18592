"""The numbers that Python kernels pass to instructions: Python's own or NumPy's, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np

from ....isa import Kind, Overload, Parameter, flatten
from ...text import quoted
from .pointer import Pointer


def whole(what: str, value: Any) -> int:
    """A whole number as Python's own; TypeError for anything else."""
    if value.__class__ is int:
        return value
    if isinstance(value, (int, np.integer, np.bool_)) and not isinstance(value, np.timedelta64):
        return int(value)
    raise TypeError(f"{what} is {quoted(value)}; pass a whole number")


def as_number(value: Any) -> int | float | None:
    """A number of Python or NumPy as Python's own, None for anything else. A truth value counts as 0 or 1."""
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if not isinstance(value, np.generic) or isinstance(value, np.timedelta64):
        return None
    if isinstance(value, (np.integer, np.bool_)):
        return int(value)
    if isinstance(value, np.floating) or value.dtype == ml_dtypes.bfloat16:
        return float(value)
    return None


def check_numbers(name: str, overload: Overload, arguments: Iterable[Any]) -> None:
    """TypeError unless every argument that is no pointer is a number that its parameter takes."""
    list(plain_numbers(name, overload, (a.address if isinstance(a, Pointer) else a for a in arguments)))


def plain_numbers(name: str, overload: Overload, arguments: Iterable[Any]) -> Iterable[int | float]:
    """The arguments of an instruction as numbers of Python's own, structures as their fields, in order."""
    for parameter, value in zip(overload.parameters, arguments, strict=True):
        if _is_float(overload, parameter):
            number = as_number(value)
            if number is None:
                raise TypeError(f"{name}: {parameter.name} is {quoted(value)}; pass a number")
            yield number
            continue
        for field in flatten(parameter, value):
            yield whole(f"{name}: {parameter.name}", field)


def _is_float(overload: Overload, parameter: Parameter) -> bool:
    """Whether a parameter is a bare value of a floating type."""
    return parameter.kind is Kind.VALUE and overload.element(parameter).is_float
