"""Results that are all NaN, or infinite, where what went in was finite."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np

from ...findings import Finding, rules
from .touched import Touched

#: Elements of a result, at least; of these the first few are looked at before all are.
_LEAST, _FIRST = 16, 64


def not_finite(touched: Touched) -> Iterator[Finding]:
    """An array that is written alone, and of whose elements none is a number, while all inputs are, and differ."""
    array = touched.array
    if not (array.output and len(touched.written) and touched.written.all() and _is_floating(array.dtype)):
        return
    held = array.contents().reshape(-1)
    if held.size < _LEAST or _finite(held[:_FIRST]).any() or _finite(held).any():
        return
    inputs = [other for other in touched.arrays if _is_floating(other.dtype) and not touched.writes(other)]
    if not inputs:
        return
    for other in inputs:
        given = other.contents()
        if not _finite(given).all() or (given.size > 1 and (given == given.reshape(-1)[0]).all()):
            return
    said = rules.numbers.none_finite(array.name, held.size)
    row = int(touched.pieces.row[np.argmax(touched.records)])
    yield touched.at(said, row, array.key, array.bytes)


def _is_floating(dtype: np.dtype) -> bool:
    return dtype.kind == "f" or dtype == ml_dtypes.bfloat16


def _finite(values: np.ndarray) -> np.ndarray:
    finite: np.ndarray = np.isfinite(values.astype(np.float32, copy=False))
    return finite
