"""The order of HAU: which of the values come first, and where they were."""

from __future__ import annotations

import numpy as np

_TOP = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_SIGN = np.uint32(0x80000000)
_FEWEST_GROUPS = 128


def sort_keys(values: np.ndarray, descended: bool) -> np.ndarray:
    """uint32 keys whose ascending order is the order asked for; equal values have equal keys."""
    if values.dtype.kind == "f":
        bits = (values + np.float32(0)).view(np.uint32)  # -0 + 0 is +0
        keys = np.where(bits & _SIGN, ~bits, bits | _SIGN)
        keys[np.isnan(values)] = _LOW
    elif values.dtype.kind == "i":
        keys = values.view(np.uint32) ^ _SIGN
    else:
        keys = values
    return ~keys if descended else keys


def _contenders(values: np.ndarray, count: int, descended: bool) -> np.ndarray:
    """Positions, ascending, of values that may be among the first ``count``; far fewer than all where ``count`` is.

    The values are dealt to groups. The best values of the ``count`` best groups are ``count`` values, so that nothing
    worse than the last of them is among the first ``count``.
    """
    groups = max(4 * count, _FEWEST_GROUPS)
    depth = len(values) // groups
    if depth < 2:
        return np.arange(len(values))
    best = np.maximum if descended else np.minimum
    limits = best.reduce(values[: groups * depth].reshape(depth, groups))
    at = groups - count if descended else count - 1
    limits.partition(at)  # NaN: last, as in the order
    limit = limits[at]
    if limit != limit:
        return np.arange(len(values))
    positions: np.ndarray = (~(values < limit) if descended else values <= limit).nonzero()[0]
    return positions


def stable_order(values: np.ndarray, count: int, descended: bool) -> np.ndarray:
    """Positions of the first ``count`` values in order, equal ones by position (int64)."""
    positions = _contenders(values, count, descended)
    combined = sort_keys(values[positions], descended).astype(np.uint64) << _TOP
    combined |= positions.view(np.uint64)
    combined.sort()
    return (combined[:count] & _LOW).view(np.int64)


def indexed_order(values: np.ndarray, indices: np.ndarray, count: int, descended: bool) -> np.ndarray:
    """Positions of the first ``count`` values in order, equal ones by their given index, then by position (int64)."""
    positions = _contenders(values, count, descended)
    combined = sort_keys(values[positions], descended).astype(np.uint64) << _TOP
    combined |= indices[positions].view(np.uint32) ^ _SIGN
    ordered: np.ndarray = positions[np.argsort(combined, kind="stable")[:count]]
    return ordered


def sort_values(values: np.ndarray, count: int, descended: bool) -> np.ndarray:
    """The first ``count`` values in order, shape [count]."""
    if values.dtype.kind == "f" and (np.isnan(values).any() or (values.view(np.uint32) == _SIGN).any()):
        first: np.ndarray = values[stable_order(values, count, descended)]  # NaN, -0: equal values of unequal bits
        return first
    if count < len(values) // 2:
        at = len(values) - count if descended else count - 1
        part = np.partition(values, at)
        values = part[at:] if descended else part[:count]
    ordered = np.sort(values)
    return ordered[::-1][:count] if descended else ordered[:count]
