"""What the semantics of an instruction raises when the values themselves break a rule."""

from __future__ import annotations


class ValueOutOfRange(Exception):
    """An element of an operand has a value that the instruction cannot work with."""

    def __init__(self, operand: str, index: int, value: int, limit: str) -> None:
        super().__init__(f"{operand}[{index}] is {value}; it must be {limit}")
        self.operand, self.index, self.value, self.limit = operand, index, value, limit
