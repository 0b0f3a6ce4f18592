"""Sums of products, as whoever stores them takes them: in parts, where that is less work."""

from __future__ import annotations

from typing import Any

import numpy as np


class Sums:
    """``left`` [m, k] times ``right`` [b, k, n] in float64 as a tensor [n, c, h, w], + ``bias``, + ``before``.

    The rows of ``left`` are its images where b is 1, otherwise the channels of each image. k and n may be several axes.
    Factors are elements of operands, which may have been `flushed`, or 0. NumPy takes it for an array.
    """

    __slots__ = ("before", "bias", "left", "right", "shape")

    def __init__(
        self, left: np.ndarray, right: np.ndarray, shape: tuple[int, ...], bias: np.ndarray, before: Any
    ) -> None:
        self.left, self.right = left.astype(np.float64, "C"), right
        self.shape, self.bias, self.before = shape, bias, before

    @property
    def products(self) -> int:
        """How many are added up."""
        count: int = self.left.shape[1]
        return count

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        sums = self.without_before()
        if self.before is not None:
            sums += np.asarray(self.before)
        return sums.astype(dtype or sums.dtype, copy=False)

    def without_before(self) -> np.ndarray:
        """All but what was there before."""
        rows = len(self.left)
        sums = np.empty((len(self.right), rows, np.prod(self.shape, dtype=int) // (len(self.right) * rows)))
        for right, part in zip(self.right, sums, strict=True):  # one at a time: windows overlap
            np.matmul(self.left, right.reshape(self.products, -1).astype(np.float64), out=part)
        made = sums.reshape(self.shape)
        if self.bias.size:  # one without channels or rows is none
            made += self.bias
        return made

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Those of each element, [n, c, k] and [n, c, k, h * w], where axes of 1 stand for any n or c."""
        (n, c, h, w), products = self.shape, self.products
        right = self.right.reshape(len(self.right), products, -1).astype(np.float64, "C")
        if len(right) == n and len(self.left) == c:
            return self.left[None], right[:, None]
        return self.left[:, None], right.reshape(1, products, c, h * w).swapaxes(1, 2)
