"""Orders in which the elements of an operand lie in memory, other than row by row: pure functions on arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

#: Slices of a WRAM; one unit of the tensor engine reads one slice (mlu-ops: LT_NUM).
WRAM_SLICES = 64


@dataclass(frozen=True)
class Order:
    """``to_rows`` turns elements as they lie, shape [elements], into a view of the rows; ``from_rows`` back."""

    to_rows: Callable[[np.ndarray, tuple[int, ...]], np.ndarray]
    from_rows: Callable[[np.ndarray], np.ndarray]


def _filter_to_rows(lying: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Row r is [r // 64][r % 64]: it lies in slice r % 64, behind the rows r - 64, r - 128, ... of the slice."""
    return lying.reshape(WRAM_SLICES, shape[0] // WRAM_SLICES, -1).transpose(1, 0, 2)


def _filter_from_rows(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(len(rows) // WRAM_SLICES, WRAM_SLICES, -1).transpose(1, 0, 2).reshape(-1)


ORDERS: Mapping[str, Order] = {"filter": Order(_filter_to_rows, _filter_from_rows)}
