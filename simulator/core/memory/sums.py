"""What an instruction adds to what it finds: sums of products, which native code forms in memory where it can."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

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


_HEADER = header("runtime/sums.h")
#: A row of what native code takes.
SUMS = _HEADER.dtype("mlusim_sums")


class _Work(ctypes.Structure):
    _fields_ = _HEADER.fields("mlusim_sums")


class Formed(NamedTuple):
    """Sums that native code forms: factors [n, c, k] and [n, c, k, h * w], and whether they add to what is there."""

    factors: tuple[np.ndarray, np.ndarray]
    adds: bool


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
        if self.native is None:
            return False
        formed = in_memory(target, made) or _summed(target, made)
        if formed is None:
            return False
        for work in works(target, formed, flushes):
            self.native(ctypes.byref(work))
        return True


def _adds(target: Tensor, made: Any) -> bool | None:
    """Whether sums add to what is in a tensor; None where they are not for native code."""
    if not isinstance(made, Sums):
        return None
    before = made.before
    known = before is None or (isinstance(before, Held) and before.view is target)
    return before is not None if known and target.dtype == _FLOAT and target.rows() else None


def in_memory(target: Tensor, made: Any) -> Formed | None:
    """Sums that native code makes of their factors; None: a library does, or there is a bias."""
    adds = _adds(target, made)
    few = adds is not None and made.products <= _FEW and not made.bias.size
    return None if adds is None or not few else Formed(made.factors(), adds)


def _summed(target: Tensor, made: Any) -> Formed | None:
    """Sums that have been formed, as products with 1."""
    adds = _adds(target, made)
    if adds is None:
        return None
    n, c, h, w = made.shape
    return Formed((_ONE, made.without_before().reshape(n, c, 1, h * w)), adds)


def works(target: Tensor, formed: Formed, flushes: bool) -> Iterator[_Work]:
    """What native code does to each of the rows of a tensor; the factors have to stay where they are."""
    left, right = formed.factors
    of_left, of_right = _steps(left), _steps(right)
    left_at, right_at = left.ctypes.data, right.ctypes.data
    for channel, floats, counts, strides in target.rows():
        yield _Work(
            floats, counts, strides, left_at + of_left[1] * channel * _DOUBLE,
            right_at + of_right[1] * channel * _DOUBLE, left.shape[2], target.shape[3], *of_left, *of_right,
            formed.adds, flushes,
        )  # fmt: skip


def _steps(factors: np.ndarray) -> list[int]:
    """The strides, in elements, of all axes but the last: the same factor again along one of 1."""
    strides = zip(factors.shape[:-1], factors.strides, strict=False)
    return [0 if count == 1 else stride // _DOUBLE for count, stride in strides]
