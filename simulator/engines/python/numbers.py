"""Numbers, Python's own or NumPy's, and nothing else."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from ...text import quoted


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
