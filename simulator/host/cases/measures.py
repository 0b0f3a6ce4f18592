"""How far a result is from its reference: the measures of the public test cases.

Source: mlu-ops' own definitions (docs/gtest). With r the result and b the reference,

- diff1 = sum |r - b| / sum |b|
- diff2 = sqrt(sum (r - b)^2 / sum b^2)
- diff3 = max |r - b| / |b|, and |r - b| where |b| is below 1e-6 (1e-4 for half)
- diff3_2 = max |r - b|
- diff4 = the share of elements with r < b among those with r != b, away from one half

Sums have 1e-9 added to what they are divided by. A result that is not finite where the reference is makes all of them
infinite; where the reference has the same infinity or a NaN too, the element does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

_TINY, _TINY_HALF, _ADDED = 1e-6, 1e-4, 1e-9
_FEW = 100


def measure(name: str, result: np.ndarray, reference: np.ndarray) -> float:
    """A measure of two arrays of real numbers. ValueError for one that is not known, or of other shapes."""
    if name not in _MEASURES:
        raise ValueError(f"the measure {name} is not known; there are {', '.join(_MEASURES)}")
    if result.shape != reference.shape:
        raise ValueError(f"the reference has shape {list(reference.shape)}, the result {list(result.shape)}")
    half = result.dtype.itemsize == 2 and result.dtype.kind not in "iu"
    r, b = result.astype(np.float64).ravel(), reference.astype(np.float64).ravel()
    alike = (np.isnan(r) & np.isnan(b)) | (np.isinf(b) & (r == b))
    r, b = r[~alike], b[~alike]
    if not r.size:
        return 0.0
    if not (np.isfinite(r).all() and np.isfinite(b).all()):
        return float("inf")
    return float(_MEASURES[name](r, b, _TINY_HALF if half else _TINY))


def _diff1(r: np.ndarray, b: np.ndarray, tiny: float) -> float:
    return float(np.abs(r - b).sum() / (np.abs(b).sum() + _ADDED))


def _diff2(r: np.ndarray, b: np.ndarray, tiny: float) -> float:
    return float(np.sqrt(((r - b) ** 2).sum() / ((b**2).sum() + _ADDED)))


def _diff3(r: np.ndarray, b: np.ndarray, tiny: float) -> float:
    far, size = np.abs(r - b), np.abs(b)
    return float(np.where(size < tiny, far, far / (size + _ADDED)).max())


def _diff3_2(r: np.ndarray, b: np.ndarray, tiny: float) -> float:
    return float(np.abs(r - b).max())


def _diff4(r: np.ndarray, b: np.ndarray, tiny: float) -> float:
    other = np.count_nonzero(r != b)
    return 0.0 if other < _FEW else abs(float(np.count_nonzero(r < b)) / other - 0.5)


_MEASURES: Mapping[str, Callable[[np.ndarray, np.ndarray, float], float]] = {
    "diff1": _diff1, "diff2": _diff2, "diff3": _diff3, "diff3_2": _diff3_2, "diff4": _diff4,
}  # fmt: skip
