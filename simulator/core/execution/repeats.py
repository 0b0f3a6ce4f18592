"""Calls that native code carries out when they are made again with the same arguments; see native/runtime/repeats.h."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from ...structures import header
from ..memory import Tensor
from .extents import Extent

_HEADER = header("runtime/repeats.h")
Limit = _HEADER.enumeration("mlusim_repeat_limit", "MLUSIM_")
#: Bytes of the tables of all of them.
_ROOM = 64 << 20


class RepeatRow(ctypes.Structure):
    """A call, as native code has it."""

    _fields_ = _HEADER.fields("mlusim_repeat")


class Repeat:
    """The calls that share a plan. ``times`` counts those that Python has carried out by it.

    ``row`` is None until native code can carry out the next call. It stays None if calls are ``left`` to Python.
    """

    __slots__ = ("_arrays", "_broken", "_repeats", "_size", "_tensors", "_writes", "left", "row", "times")

    def __init__(self, repeats: RepeatTable) -> None:
        self._repeats, self._size = repeats, 0
        self.row: RepeatRow | None = None
        self.times, self.left = 0, False
        self._broken: Callable[[int], object] = lambda times: None

    def make(self, row: RepeatRow, tensors: tuple[Tensor, ...], writes: Sequence[bool], arrays: Sequence[Any]) -> None:
        """Native code can carry out the call by ``row``, which points to ``arrays``."""
        self.row, self._tensors, self._writes, self._arrays = row, tensors, writes, arrays
        self._size = sum(array.nbytes for array in arrays)
        self._repeats.held += self._size

    def __del__(self) -> None:
        self._repeats.held -= self._size

    def breaks(self, pc: int, report: Callable[[int], object]) -> None:
        """The call breaks rules, which have been reported for a program counter.

        ``report`` is called with the number of times that it has broken them again.
        """
        assert self.row is not None
        self.row.broken_at, self.row.broken, self._broken = pc, 0, report

    def report(self) -> None:
        """Report the rules that it has broken since the last time."""
        assert self.row is not None
        times, self.row.broken = self.row.broken, 0
        self._broken(times)

    def extents(self, address: int) -> tuple[Extent, ...]:
        """The memory that it touches, with an address in system memory."""
        assert self.row is not None
        found = []
        for tensor, operand, writes in zip(self._tensors, self.row.operands, self._writes, strict=False):
            low = tensor.low if operand.age else address + ctypes.c_int64(operand.key).value
            found.append((low, low + operand.bytes, writes, tensor.mask))
        return tuple(found)


class RepeatTable:
    """The calls of a launch that native code knows."""

    def __init__(self) -> None:
        #: Native code's: keeps a row for the call that is under way. None where it carries out no calls.
        self.keep: Callable[[Any], object] | None = None
        self.held = 0  # bytes of tables
        self._known: dict[int, Repeat] = {}
        self._tables: dict[int, ctypes.Array[ctypes.c_void_p]] = {}  # by overload

    @property
    def full(self) -> bool:
        """Whether there is no room for the tables of more."""
        return self.held > _ROOM

    def __getitem__(self, address: int) -> Repeat:
        """The call whose row lies at an address."""
        return self._known[address]

    def new(self) -> Repeat:
        """That of a new plan."""
        return Repeat(self)

    def table(self, number: int) -> int:
        """The address of the table of an overload."""
        if number not in self._tables:
            self._tables[number] = (ctypes.c_void_p * Limit.PLACES)()
        return ctypes.addressof(self._tables[number])

    def begin(self, keep: Callable[[Any], object] | None) -> None:
        """A launch begins, or has come to its end."""
        self.forget()
        self._known.clear()
        self.keep = keep

    def forget(self) -> None:
        """Each call is Python's first: memory moves, or checks look at what native code does not."""
        if self._known:
            for table in self._tables.values():
                ctypes.memset(table, 0, ctypes.sizeof(table))

    def add(self, repeat: Repeat) -> None:
        """Native code carries out the call that is under way when it is made again."""
        assert repeat.row is not None
        assert self.keep is not None
        self._known[ctypes.addressof(repeat.row)] = repeat
        self.keep(ctypes.byref(repeat.row))
