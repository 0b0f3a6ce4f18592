"""Words of shared memory that threads store and none loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...chip.launch_kinds import WARP
from ...findings import Finding, rules
from ...log import Location
from ...log.recorder import distinct
from .abi import ACCESSES, SPACES

#: A line is reported if it loses at least this share of its words; fewer are corners and ends.
_SHARE = 1 / 8
#: And at least so many words.
_LEAST = 8
#: A line that also loads shared memory may be a step of a reduction, which leaves all but its result: it is reported if
#: it loses at most this share. So is a line that stores at most a word for each lane of a warp: the first words may be
#: the results of the warps of a block.
_IN_PLACE = 1 / 2


def lost_stores(
    stored: np.ndarray, rows: np.ndarray, locate: Callable[[list[int]], list[Location]]
) -> Iterator[tuple[Finding, int]]:
    """What is to be said of places that store words (`STORED`), and their program counters.

    ``rows`` are what the launch does at each place (`ROW`). The same words are lost each time, and have held different
    numbers, so that they are no padding. What is lost at both ends is a border, as the corners of a tile are.
    """
    odd = (stored["differ"] != 0) & (stored["ends"] == 0)
    many = odd & (stored["lost"] >= np.maximum(_LEAST, stored["words"] * _SHARE))
    loads = (rows["space"] == SPACES.index("shared")) & (rows["access"] == ACCESSES.index("load"))
    in_place = set(_lines(locate, distinct(rows["pc"][loads]).tolist())) if many.any() else set()
    for one in stored[many]:
        pc, words, lost = int(one["pc"]), int(one["words"]), int(one["lost"])
        rests = words <= WARP or set(_lines(locate, [pc])) & in_place
        most = words * _IN_PLACE if rests else words - 1
        if lost <= most and int(one["some"]) < words * _SHARE:
            yield rules.tiles.never_loaded(lost, words), pc


def _lines(locate: Callable[[list[int]], list[Location]], counters: Sequence[int]) -> list[tuple[str, int]]:
    return [(place.file, place.line) for place in locate(list(counters))]
