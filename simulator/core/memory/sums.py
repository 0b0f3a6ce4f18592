"""What an instruction adds to what it finds: sums of products, which native code forms in memory where it can."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from ....isa import Sums
from ...structures import header
from .tensor import Tensor
from .view import View

#: Products up to which sums are formed in memory; more of them are the work of a library for matrices.
_FEW = 8
_FLOAT, _DOUBLE = np.dtype(np.float32), 8
#: The factors of sums that have been formed.
_ONE = np.ones((1, 1, 1))


class _Work(ctypes.Structure):
    _fields_ = header("runtime/sums.h").fields("mlusim_sums")


class Held:
    """What an operand holds, an array to NumPy: read when it is asked for, and put through ``flush``, if any."""

    __slots__ = ("_flush", "view")

    def __init__(self, view: View, flush: Callable[[np.ndarray], Any] | None) -> None:
        self.view, self._flush = view, flush

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        found = self.view.read()
        return np.asarray(self._flush(found) if self._flush else found, dtype)


class Store:
    """Stores what instructions make that add."""

    def __init__(self) -> None:
        #: Native code that forms sums, if there is any.
        self.native: Callable[[Any], object] | None = None

    def __call__(self, target: Tensor, made: Any, flush: Callable[..., Any] | None) -> None:
        """New contents of a tensor; results go through ``flush``, if any, which makes zeros of subnormal numbers."""
        if not self._natively(target, made, flush is not None):
            target.write(flush(made, target.dtype) if flush else made)

    def _natively(self, target: Tensor, made: Any, flushes: bool) -> bool:
        if self.native is None or not isinstance(made, Sums) or target.dtype != _FLOAT:
            return False
        before, adds = made.before, made.before is not None
        if adds and not (isinstance(before, Held) and before.view is target):
            return False
        rows = target.rows()
        if not rows:
            return False
        n, c, h, w = made.shape
        if made.products <= _FEW and not made.bias.size:
            left, right = made.factors()
        else:
            left, right = _ONE, made.without_before().reshape(n, c, 1, h * w)
        of_left, of_right = (_steps(factors) for factors in (left, right))
        left_at, right_at = left.ctypes.data, right.ctypes.data
        for channel, floats, counts, strides in rows:
            work = _Work(
                floats, counts, strides, left_at + of_left[1] * channel * _DOUBLE,
                right_at + of_right[1] * channel * _DOUBLE, left.shape[2], w, *of_left, *of_right, adds, flushes,
            )  # fmt: skip
            self.native(ctypes.byref(work))
        return True


def _steps(factors: np.ndarray) -> list[int]:
    """The strides, in elements, of all axes but the last: the same factor again along one of 1."""
    strides = zip(factors.shape[:-1], factors.strides, strict=False)
    return [0 if count == 1 else stride // _DOUBLE for count, stride in strides]
