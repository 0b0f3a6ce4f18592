"""Numbers and names as arguments, checked against the range of the parameter."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from ...text import quoted
from .declarations import Type

_INTEGERS = "bBhHiIqQ"
_LARGEST = float(np.finfo(np.float32).max)


def scalar(name: str, type: Type, value: Any) -> Any:
    """A number for a parameter. TypeError for what is none, ValueError for one that does not fit."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if type.kind == "enum":
        return _of_enumeration(name, type, value)
    if isinstance(value, np.generic):
        value = value.item()
    if type.code == "?":
        if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)):
            return bool(value)
        raise TypeError(f"{name} is {quoted(value)}; pass True or False")
    if type.code in _INTEGERS:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int):
            raise TypeError(f"{name} is {quoted(value)}; pass an integer")
        bits = 8 * struct.calcsize(f"={type.code}")
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if type.code.islower() else (0, (1 << bits) - 1)
        if not low <= value <= high:
            raise ValueError(f"{name} is {value}; a {type.name} holds {low} to {high}")
        return int(value)
    if not isinstance(value, (int, float)):
        raise TypeError(f"{name} is {quoted(value)}; pass a number")
    if type.code == "f" and math.isfinite(value) and abs(value) > _LARGEST:
        raise ValueError(f"{name} is {value}; a float holds up to {_LARGEST}")
    return float(value)


def _of_enumeration(name: str, type: Type, value: Any) -> int:
    values = type.values or {}
    if isinstance(value, str):
        found = [full for full in values if full == value] or [full for full in values if full.endswith(f"_{value}")]
        if len(found) == 1:
            return values[found[0]]
        raise ValueError(f"{name} is {quoted(value)}; {type.name} has {', '.join(values)}")
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) in values.values():
        return int(value)
    raise ValueError(f"{name} is {quoted(value)}; {type.name} has {', '.join(values)}")
