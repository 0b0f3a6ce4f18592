"""How messages quote what a caller has passed."""

from __future__ import annotations

import numpy as np

#: Elements of an array that a message shows.
_FEW = 16


def quoted(value: object) -> str:
    """A value's ``repr``; of a larger array its type and shape, and of what has no ``repr`` that works its class."""
    if isinstance(value, np.ndarray) and value.size > _FEW:  # NumPy takes seconds for one of many dimensions
        return f"an array of {value.dtype} with shape {list(value.shape)}"
    try:
        return repr(value)
    except Exception:  # whatever the repr of a stranger's class raises
        return f"a {type(value).__name__}"
