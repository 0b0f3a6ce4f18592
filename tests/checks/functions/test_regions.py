"""Pools and samples of regions: other layouts and forms, and what is none of them."""

from __future__ import annotations

import numpy as np
import pytest

from .regions import COMING, IMAGES, PLACES, POOLED, REGIONS, ROIS, SCALE, largest_of, mean_of, taps_of
from .test_functions import like

_FLAT = {"batch": 2, "h": 6, "w": 7, "c": 2, "rois": 3, "pooled_h": 3, "pooled_w": 2}


def aligned(got: np.ndarray, **numbers: float) -> bool:
    found = like("roi_align", got, IMAGES, ROIS, **numbers)
    return found is not None and found[0]


def test_samples_of_regions() -> None:
    numbers = {"spatial_scale": SCALE, "sampling_ratio": 2}
    right = mean_of(taps_of(ROIS)).reshape(3, 3, 2, 2)
    assert aligned(right, **numbers)
    assert aligned(mean_of(taps_of(ROIS, aligned=False)).reshape(3, 3, 2, 2), **numbers)
    assert aligned(largest_of(taps_of(ROIS)).reshape(3, 3, 2, 2), **numbers)
    assert not aligned(right.swapaxes(1, 2).reshape(3, 3, 2, 2), **numbers)
    assert not aligned(mean_of(taps_of(ROIS + np.array([0, 1, 0, 1, 0]))).reshape(3, 3, 2, 2), **numbers)
    assert not aligned(mean_of(taps_of(ROIS[[0, 1, 1]])).reshape(3, 3, 2, 2), **numbers)


@pytest.mark.parametrize("name", ["roi align", "roi pool", "roi align rotated"])
def test_channels_before_rows(name: str) -> None:
    right, (images, *others), numbers = REGIONS[name]
    first = images.transpose(0, 3, 1, 2).copy()
    assert like(name, right.transpose(0, 3, 1, 2).copy(), first, *others, **numbers)[0]
    assert not like(name, right, first, *others, **numbers)


def test_flat_arrays() -> None:
    flat = [IMAGES.reshape(-1), ROIS.reshape(-1)]
    assert like("roi_pool", POOLED.reshape(-1), *flat, scale=SCALE, **_FLAT)[0]
    assert not like("roi_pool", PLACES.reshape(-1), *flat, scale=SCALE, **_FLAT)  # beside the results
    wrong = POOLED.swapaxes(1, 2).reshape(-1)
    assert not like("roi_pool", wrong, *flat, scale=SCALE, **_FLAT)[0]


def test_what_comes_back_is_added_up() -> None:
    made = np.zeros(IMAGES.shape)
    for roi, p, q, channel in np.ndindex(COMING.shape):
        row, column = divmod(int(PLACES[roi, p, q, channel]), 7)
        made[int(ROIS[roi, 0]), row, column, channel] = COMING[roi, p, q, channel]
    right, inputs, numbers = REGIONS["roi pool backward"]
    assert like("roi_pool_backward", right, *inputs, **numbers)[0]
    assert (made != right).any()
    assert not like("roi_pool_backward", made, *inputs, **numbers)[0]
