"""Ranges of bytes against sets of their bytes."""

from __future__ import annotations

import random

import numpy as np
from mlusim.simulator.flow import common, merged


def drawn(rng: random.Random) -> np.ndarray:
    begins = [rng.randrange(60) for _ in range(rng.randrange(8))]
    return merged(np.array([(begin, begin + rng.randrange(1, 9)) for begin in begins], np.int64).reshape(-1, 2))


def bytes_of(ranges: np.ndarray) -> set[int]:
    return {byte for low, high in ranges.tolist() for byte in range(low, high)}


def test_what_two_have_in_common() -> None:
    rng = random.Random(3)
    for _ in range(300):
        one, other = drawn(rng), drawn(rng)
        both = common(one, other)
        assert bytes_of(both) == bytes_of(one) & bytes_of(other)
        assert (both[:, 0] < both[:, 1]).all()
        assert (both[1:, 0] >= both[:-1, 1]).all()
