"""What is known to be done."""

from __future__ import annotations

from collections.abc import Mapping


class Clock(dict[int, int]):
    """For each queue, up to which number its work is known to be done."""

    def learn(self, other: Mapping[int, int]) -> None:
        """Know all that the other knows, too."""
        for queue, number in other.items():
            self[queue] = max(number, self.get(queue, 0))

    def knows(self, queue: int, number: int) -> bool:
        """Whether the work of a number, and all before it, is done; numbers begin at 1."""
        return number <= self.get(queue, 0)
