"""A sweep from its first point to its last: what an earlier run has found is not measured again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .journal import Journal
from .runners import Point, Result
from .search import Search

#: Measures points and gives the number of each with its result, as they come.
Run = Callable[[Sequence[Point]], Iterator[tuple[int, Result]]]


def carry_out(
    search: Search, points: Sequence[Point], target: Mapping[str, Any], journal: Journal, run: Run,
    rows: dict[int, Result], progress: Callable[[int], None],
) -> None:  # fmt: skip
    """Measure the points that a search asks for; ``rows`` gets each with its result by its number.

    What is measured is ``target`` with the ``point``. ``progress`` is told how many there are so far.
    """
    try:
        batch = next(search)
        while True:
            found = {number: journal.done[number] for number in batch if number in journal.done}
            rows |= {number: {**points[number], **result} for number, result in found.items()}
            left = [number for number in batch if number not in found]
            for place, result in run([{**target, "point": points[number]} for number in left]) if left else ():
                number = left[place]
                journal.add(number, result)
                found[number] = result
                rows[number] = {**points[number], **result}
                progress(len(rows))
            batch = search.send(found)
    except StopIteration:
        return
