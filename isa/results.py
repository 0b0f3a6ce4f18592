"""What the semantics of an instruction gives back beside plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


class ValueOutOfRange(Exception):  # noqa: N818 - a kernel's fault, not an error of the program
    """An element of an operand has a value that the instruction cannot work with."""

    def __init__(self, operand: str, index: int, value: int, limit: str) -> None:
        super().__init__(f"{operand}[{index}] is {value}; it must be {limit}")
        self.operand, self.index, self.value, self.limit = operand, index, value, limit


@dataclass(frozen=True)
class Partial:
    """New values for the rows of an output that ``rows`` (booleans) selects; the others stay as they are.

    ``doubt`` is a value that the instruction can work with and that is hardly ever meant: a warning.
    """

    values: np.ndarray
    rows: np.ndarray
    doubt: ValueOutOfRange | None = None
