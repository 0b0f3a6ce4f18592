"""Flags of elements against a loop over their bytes."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator.core.memory.flags import assign, lanes

#: How the flags of 24 elements lie among others: packed, at strides, at an odd place, the same element again and again.
PLACES = {"packed": (0, None), "strided": (0, 11), "odd": (3, None), "strided at an odd place": (5, 9), "again": (2, 0)}


def placed(base: np.ndarray, size: int, place: str) -> np.ndarray:
    """Flags [24, bytes of an element] within ``base``."""
    begin, stride = PLACES[place]
    return np.ndarray((24, size), np.bool_, base, begin, (size if stride is None else stride, 1))


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("place", PLACES)
def test_an_element_is_initialized_when_all_its_bytes_are(size, place):
    random = np.random.default_rng(size)
    sources = [placed(random.random(1024) < 0.9, size, place) for _ in range(2)]
    found = lanes(sources)
    assert (found.shape, found.dtype) == ((24, 1), np.bool_)
    assert found[:, 0].tolist() == [
        all(map(all, element)) for element in zip(*map(np.ndarray.tolist, sources), strict=True)
    ]
    assert np.array_equal(lanes(sources[:1]), lanes([sources[0], np.ones((24, size), bool)]))


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("place", ["packed", "strided", "odd"])
def test_flags_become_what_is_assigned_and_those_beside_them_stay(size, place):
    random = np.random.default_rng(size)
    base, elements = random.random(1024) < 0.5, random.random((24, 1)) < 0.5
    for initialized in (elements, random.random((24, size)) < 0.5, np.True_, np.False_, elements[:1]):
        wanted = base.copy()
        begin, stride = PLACES[place]
        for number, row in enumerate(np.broadcast_to(initialized, (24, size)).tolist()):
            at = begin + number * (stride or size)
            wanted[at : at + size] = row
        if stride is None or stride >= size:
            assign(placed(base, size, place), np.asarray(initialized))
            assert np.array_equal(base, wanted)
