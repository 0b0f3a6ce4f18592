"""Source lines of Python kernels."""

from __future__ import annotations

from typing import Any


class Lines:
    """Gives source lines of Python kernels the (negative) program counters under which the log knows them.

    A context: it ends with its launch, and whatever of the kernel is used afterwards gets a RuntimeError.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, int], int] = {}
        self._places: list[tuple[str, int]] = []

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *error: object) -> None:
        self.number = _ended  # type: ignore[method-assign]

    def number(self, frame: Any) -> int:
        """The program counter of the line that a frame is at."""
        key = (frame.f_code, frame.f_lineno)
        found = self._numbers.get(key)
        if found is None:
            self._places.append((frame.f_code.co_filename, frame.f_lineno))
            found = self._numbers[key] = -len(self._places)
        return found

    def place(self, number: int) -> tuple[str, int]:
        """File and line of a program counter."""
        return self._places[-number - 1] if number < 0 else ("", 0)


def _ended(frame: Any) -> int:
    raise RuntimeError("this kernel's launch has ended; what it was given cannot be used any more")
