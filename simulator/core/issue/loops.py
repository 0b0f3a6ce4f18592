"""The loops that NumPy runs over elements, as addresses for native code, by NumPy's public C structure of a ufunc."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class _UFunc(ctypes.Structure):
    """``PyUFuncObject`` of numpy/ufuncobject.h, as far as its loops."""

    _fields_ = [
        ("head", ctypes.c_char * object.__basicsize__),
        ("inputs", ctypes.c_int),
        ("outputs", ctypes.c_int),
        ("operands", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("types", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("codes", ctypes.POINTER(ctypes.c_char)),
    ]


class NumpyLoop(NamedTuple):
    """A function of arguments, counts, strides (bytes) and ``data``, and the dtypes of its inputs and its output."""

    function: int
    data: int
    inputs: tuple[np.dtype, ...]
    output: np.dtype


def loop_of(ufunc: np.ufunc, inputs: Sequence[np.dtype | type]) -> NumpyLoop | None:
    """The loop that NumPy takes for inputs of these dtypes; None where it is none of the ufunc's own.

    An input that is a Python number is said by its type, as `numpy.ufunc.resolve_dtypes` takes it.
    """
    if ufunc.nout != 1 or ufunc.nin != len(inputs):
        return None
    try:
        *taken, made = ufunc.resolve_dtypes((*inputs, None))
    except TypeError:
        return None
    if any(dtype.hasobject for dtype in (*taken, made)):
        return None
    form = f"{''.join(dtype.char for dtype in taken)}->{made.char}"
    if form not in ufunc.types:
        return None
    table = _UFunc.from_address(id(ufunc))
    at, width = ufunc.types.index(form), ufunc.nargs
    codes = [dtype.num for dtype in (*taken, made)]
    if (table.operands, table.types) != (width, ufunc.ntypes) or table.codes[at * width : (at + 1) * width] != bytes(
        codes
    ):
        return None
    return NumpyLoop(table.functions[at] or 0, table.data[at] or 0 if table.data else 0, tuple(taken), made)
