"""Orders in which the rows of an operand lie in memory, other than one after the other: pure functions on arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

#: Slices of a WRAM; one unit of the tensor engine reads one slice (mlu-ops: LT_NUM).
WRAM_SLICES = 64


@dataclass(frozen=True)
class Order:
    """Row r lies in slice r % ``slices`` of the memory, behind the rows r - slices, r - 2 * slices, ... of that slice.

    A copy that names one address deals what it copies out to the slices, evenly. One whose segments lie the bytes of
    a slice apart says itself what comes into each; there every row begins at a multiple of ``pitch`` bytes behind the
    first of its slice (mlu-ops: WRAM_LT_STRIDE, WRAM_ALIGN_SIZE). In expressions ``order_x`` is 'dealt' or 'sliced'.
    """

    slices: int
    pitch: int

    def to_rows(self, lying: np.ndarray) -> np.ndarray:
        """Elements as they lie [slices, rows of each, ...] as a view [rows of each, slices, ...]: row by row."""
        return lying.transpose(1, 0, *range(2, lying.ndim))

    def from_rows(self, rows: np.ndarray) -> np.ndarray:
        """Rows [rows, ...] in the order in which a copy deals them out, shape [elements]."""
        return rows.reshape(-1, self.slices, *rows.shape[1:]).swapaxes(0, 1).reshape(-1)


ORDERS: Mapping[str, Order] = {"filter": Order(WRAM_SLICES, 64)}
