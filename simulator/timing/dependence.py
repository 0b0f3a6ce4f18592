"""Which instructions take what the one right before them in their pipe has made, found by native code."""

from __future__ import annotations

import ctypes

import numpy as np

from ..log import Log
from ..structures import header
from .built import address, library

_HEADER = header("passes/timing/dependence.h")


class _Dependence(ctypes.Structure):
    _fields_ = _HEADER.fields("mlusim_dependence")


def dependent(log: Log, asked: np.ndarray) -> np.ndarray:
    """Whether a record reads of what the one right before it in its pipe has written, bool [records].

    Found for the instructions that are ``asked`` for, bool [instructions]; of several outputs the first one counts.
    BuildError without a C++ compiler.
    """
    found = np.zeros(len(log), bool)
    if not asked.any():
        return found
    places = np.cumsum([0, *(len(op.operands) for op in log.ops)], dtype=np.int64)
    columns = {
        "records": np.ascontiguousarray(log.records), "operands": np.ascontiguousarray(log.operands),
        "places": places, "writes": np.array([written for op in log.ops for written in op.writes], np.uint8),
        "asked": np.ascontiguousarray(asked, np.uint8), "found": found.view(np.uint8),
    }  # fmt: skip
    given = _Dependence(
        count=len(log), cores=log.shape.owners("core"), pipes=len(log.pipes),
        **{name: address(column) for name, column in columns.items()},
    )  # fmt: skip
    if library().mlusim_find_dependence(ctypes.byref(given)):
        raise MemoryError(f"not enough memory to time {len(log)} records")
    return found
