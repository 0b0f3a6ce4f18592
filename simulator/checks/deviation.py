"""How far numbers are off, and how far they may be."""

from __future__ import annotations

import numpy as np

#: The smallest normal number of float: errors of smaller numbers are relative to it.
TINY = float(np.finfo(np.float32).tiny)


def roundoff(dtype: np.dtype) -> float:
    """The unit roundoff of a floating type."""
    return {"float16": 2.0**-11, "bfloat16": 2.0**-8}.get(dtype.name, 2.0**-24)


def deviation(real: np.ndarray, precise: np.ndarray, tiny: float = TINY) -> np.ndarray:
    """How far numbers are off, relative to what they should be or, where that is less, to the mean magnitude of all.

    So a few elements that nearly cancel do not count much beside others that do not. No magnitude is below ``tiny``.
    """
    off: np.ndarray = np.zeros(real.shape)
    differ = (real != precise) & ~(np.isnan(real) & np.isnan(precise))
    if not differ.any():
        return off
    with np.errstate(all="ignore"):
        size = np.abs(precise)
        finite = size[np.isfinite(size)]
        least = max(float(finite.mean()) if finite.size else 0.0, tiny)
        off[differ] = np.abs(real[differ] - precise[differ]) / np.maximum(size[differ], least)
    off[np.isnan(off)] = np.inf
    return off
