"""Ranges of bytes of a memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: Int64 [n, 2]: the first byte of each range and the one after its last.
Ranges = np.ndarray


class Span(NamedTuple):
    """Bytes of a memory by their keys; across lanes, in ``lanes`` lanes from ``lane`` on."""

    begin: int
    end: int
    lane: int = 0
    lanes: int = 0

    def meets(self, other: Span) -> bool:
        """Whether some bytes are of both."""
        if self.begin >= other.end or other.begin >= self.end:
            return False
        if not (self.lanes and other.lanes):
            return True
        return self.lane < other.lane + other.lanes and other.lane < self.lane + self.lanes


def merged(ranges: Ranges) -> Ranges:
    """Ranges in order, those that touch as one."""
    if not len(ranges):
        return ranges.reshape(0, 2)
    ranges = ranges[np.argsort(ranges[:, 0], kind="stable")]
    ends = np.maximum.accumulate(ranges[:, 1])
    first = np.concatenate([[True], ranges[1:, 0] > ends[:-1]])
    last = np.concatenate([first[1:], [True]])
    return np.stack([ranges[first, 0], ends[last]], axis=1)


def common(one: Ranges, other: Ranges) -> Ranges:
    """What ranges in order, none of which touch, have in common, in order."""
    first = np.searchsorted(other[:, 1], one[:, 0], side="right")
    counts = np.maximum(np.searchsorted(other[:, 0], one[:, 1], side="left") - first, 0)
    mine = np.repeat(np.arange(len(one)), counts)
    theirs = np.arange(len(mine)) - np.repeat(np.cumsum(counts) - counts - first, counts)
    low, high = np.maximum(one[mine, 0], other[theirs, 0]), np.minimum(one[mine, 1], other[theirs, 1])
    return np.stack([low, high], axis=1)


def overlap(one: Ranges, other: Ranges) -> bool:
    """Whether ranges in order have a byte in common."""
    if not len(one) or not len(other):
        return False
    at = np.searchsorted(other[:, 1], one[:, 0], side="right")
    inside = at < len(other)
    return bool((other[at[inside], 0] < one[inside, 1]).any())
