"""The order in which the rows of a launch are put down where queues wait for messages: every send before its waits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..structures import header

_ROWS = header("log_rows.h")
_SERIAL = int(_ROWS.enumeration("mlusim_flag", "MLUSIM_").SERIAL)
_MESSAGES = int(_ROWS.enumeration("mlusim_limit", "MLUSIM_").MESSAGES)
#: Stands for the front end of a core among its pipes.
_FRONT = -1
#: What an instruction does to messages, the pipes that it waits for, and the queues that it comes after.
Kind = tuple[str, frozenset[int], frozenset[int]]


class Post:
    """Puts rows down as they come to their turn: what is behind a wait for a message that is not sent yet stands back.

    ``kinds`` are of the instructions, by their numbers; those of the rows are columns of ``rows``.
    """

    def __init__(self, kinds: Sequence[Kind], rows: np.ndarray) -> None:
        columns = [rows[name].tolist() for name in ("core", "pipe", "op", "flags", "work")]
        self._kinds, self._rows = kinds, list(zip(*columns, strict=True))
        self._order: list[int] = []
        self._late: list[int] = []
        self._held: set[tuple[int, int]] = set()  # core and pipe
        self._sent, self._passed, self._readers = dict[int, int](), dict[int, int](), dict[int, int]()
        self._told = False  # something has been sent since those that are late were looked at

    def order(self) -> list[int]:
        """The numbers of the rows but for those that wait for ever."""
        for number in range(len(self._rows)):
            self._take(number)
            while self._told and self._late:
                self._told, late, self._late = False, self._late, []
                self._held.clear()
                for other in late:
                    self._take(other)
        return self._order

    def _take(self, number: int) -> None:
        core, pipe, op, flags, work = self._rows[number]
        message, waits, queues = self._kinds[op]
        joined = queues if flags & _SERIAL else frozenset[int]()
        behind = {(core, p) for p in (_FRONT, pipe, *waits, *joined)}
        if not self._held & behind and self._passes(message, work):
            self._order.append(number)
            return
        self._late.append(number)
        self._held.add((core, _FRONT if waits else pipe))
        if pipe not in joined:  # a section begins or ends
            self._held |= {(core, p) for p in joined}

    def _passes(self, message: str, work: int) -> bool:
        """Whether a row need not wait; what it does to its message is done then."""
        count, number = divmod(work, _MESSAGES)
        if message == "send":
            self._sent[number], self._readers[number] = self._sent.get(number, 0) + 1, count
            self._told = True
        elif message == "wait":
            if self._sent.get(number, 0) < count:
                return False
            self._passed[number] = self._passed.get(number, 0) + 1
            if self._passed[number] == self._readers[number]:
                self._sent[number] = self._passed[number] = 0
        return True
