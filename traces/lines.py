"""Lines of text from columns, put together by native code: a trace has many, each of a few numbers and names."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import numpy as np

from ..simulator.native import PASSES
from ..simulator.structures import address, header

_HEADER = header("passes/text/lines.h")
_KINDS = _HEADER.enumeration("mlusim_piece_kind", "MLUSIM_")


class _Piece(ctypes.Structure):
    _fields_ = _HEADER.fields("mlusim_piece")


@dataclass(frozen=True)
class Piece:
    """What stands at one place of each line: texts ``first`` to before ``last`` of ``texts``, or a number."""

    kind: int
    first: np.ndarray | None
    last: np.ndarray | None = None
    texts: Texts | None = None


@dataclass(frozen=True)
class Texts:
    """Texts one behind the other: uint8 [bytes] in UTF-8, and int64 [texts + 1] where each begins and the last ends."""

    data: np.ndarray
    begins: np.ndarray

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        """Those of a list."""
        parts = [text.encode() for text in texts]
        begins = np.fromiter(accumulate(map(len, parts), initial=0), np.int64, len(parts) + 1)
        return cls(np.frombuffer(b"".join(parts), np.uint8), begins)

    def at(self, index: np.ndarray) -> Piece:
        """In each line the text of a number."""
        return self.between(index, index + 1)

    def between(self, first: np.ndarray, last: np.ndarray) -> Piece:
        """In each line all texts from one to before another."""
        return Piece(_KINDS.TEXTS, _column(first), _column(last), self)


def number(values: np.ndarray) -> Piece:
    """Whole numbers, none of them negative; as all that follow."""
    return Piece(_KINDS.NUMBER, _column(values))


def hexadecimal(values: np.ndarray) -> Piece:
    """Whole numbers in hexadecimal digits."""
    return Piece(_KINDS.HEX, _column(values))


def thousandths(values: np.ndarray) -> Piece:
    """Numbers of thousandths, with three digits behind the point."""
    return Piece(_KINDS.THOUSANDTHS, _column(values))


def microseconds(ns: np.ndarray) -> Piece:
    """Nanoseconds as microseconds, such that a reader that multiplies by 1000 and cuts off gets them back.

    Perfetto does so, and would else see one instruction start before the last has ended, and drop it.
    """
    return Piece(_KINDS.US, _column(ns))


def lines(count: int, *pieces: str | Piece) -> Texts:
    """So many texts, each of all pieces; a ``str`` is the same in all. BuildError without a C++ compiler."""
    parts = [Piece(_KINDS.TEXTS, None, texts=Texts.of([one])) if isinstance(one, str) else one for one in pieces]
    given = (_Piece * len(parts))(*(_given(part) for part in parts))
    begins = np.empty(count + 1, np.int64)
    _put_together(given, len(parts), count, begins)
    data = np.empty(begins[-1], np.uint8)
    _put_together(given, len(parts), count, begins, data)
    return Texts(data, begins)


def _given(part: Piece) -> _Piece:
    columns = {"first": part.first, "last": part.last}
    if part.texts:
        columns |= {"texts": part.texts.data, "begins": part.texts.begins}
    return _Piece(kind=part.kind, **{name: address(one) for name, one in columns.items() if one is not None})


def _put_together(
    pieces: ctypes.Array[_Piece], each: int, count: int, begins: np.ndarray, out: np.ndarray | None = None
) -> None:
    _library().mlusim_lines(
        pieces, ctypes.c_int64(each), ctypes.c_int64(count), ctypes.c_void_p(address(begins)),
        ctypes.c_void_p(None if out is None else address(out)),
    )  # fmt: skip


@cache
def _library() -> ctypes.CDLL:
    from ..simulator.native.library import built_folder  # whoever writes no trace has no need of a compiler

    return built_folder(PASSES / "text")


def _column(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, np.int64)
