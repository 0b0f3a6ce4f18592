"""A set of bytes as intervals, beside a plain set of numbers."""

from __future__ import annotations

import numpy as np
from mlusim.simulator.core.memory import Intervals


def test_random_changes_agree_with_a_set_of_numbers():
    rng = np.random.default_rng(7)
    for _ in range(200):
        kept, plain = Intervals(), set()
        for _ in range(30):
            start, length = int(rng.integers(0, 60)), int(rng.integers(1, 20))
            span = range(start, start + length)
            if rng.random() < 0.5:
                kept.add(start, start + length)
                plain |= set(span)
            else:
                kept.remove(start, start + length)
                plain -= set(span)
            assert sorted(plain) == [byte for a, b in kept for byte in range(a, b)]
            assert (kept.lo, kept.hi) == ((min(plain), max(plain) + 1) if plain else (0, 0))
            found = kept.first(start, start + length)
            inside = sorted(plain & set(span))
            assert (found is None) == (not inside)
            if found:
                assert found[0] == inside[0]
                assert set(range(*found)) <= plain
                assert found[1] not in plain & set(span)
