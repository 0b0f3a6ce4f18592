"""Functions of rays, points, edges, colours and sequences in other forms, and what is none of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from .courses import COURSES
from .geometry import GEOMETRY
from .pictures import PICTURES
from .test_functions import like

_RANDOM = np.random.default_rng(19)


def exact(name: str, got: Any, *inputs: np.ndarray, **numbers: float) -> bool:
    found = like(name, np.asarray(got), *inputs, **numbers)
    return found is not None and found[0]


def test_what_stands_for_nothing_hides_no_other_number() -> None:
    right, inputs, numbers = GEOMETRY["near far from aabb"]
    assert right.max() > 1e38
    wrong = np.where(right < 1e38, right + 0.1, right)
    assert not exact("near_far_from_aabb", wrong, *inputs, **numbers)
    assert exact("near_far_from_aabb", np.where(right < 1e38, right, -1), *inputs, **numbers)


def test_rays_that_go_on() -> None:
    alive, n, step = np.array([4, 0, 2]), 6, 3
    sigma, rgb = _RANDOM.uniform(0, 2, 9), _RANDOM.uniform(size=(9, 3))
    pairs, image, opacity = _RANDOM.uniform(0.1, 0.4, (9, 2)), _RANDOM.uniform(size=(6, 3)), _RANDOM.uniform(0, 0.3, n)
    pairs[4:6, 0] = 0  # the second ray has one sample
    right = image.copy()
    for at, ray in enumerate(alive.tolist()):
        total = float(opacity[ray])
        for k in range(at * step, at * step + step):
            if pairs[k, 0] == 0:
                break
            share = (1 - math.exp(-sigma[k] * pairs[k, 0])) * (1 - total)
            right[ray] += share * rgb[k]
            total += share
    given = alive, sigma, rgb, pairs, opacity, image
    assert exact("composite_rays", right, *given, n_alive=3, n_step=3, least=1e-4)
    assert not exact("composite_rays", right[::-1].copy(), *given, n_alive=3, n_step=3, least=1e-4)


def test_points_whose_coordinates_follow_each_other() -> None:
    points, at = _RANDOM.normal(size=(2, 7, 5)), _RANDOM.integers(0, 7, (2, 4))
    right = np.array([[points[b, at[b, j]] for j in range(4)] for b in range(2)])
    assert exact("group_point", right, points, at, b=2, n=7, c=5)
    assert not exact("group_point", right[:, ::-1].copy(), points, at, b=2, n=7, c=5)
    back = np.zeros(points.shape)
    for b, j in np.ndindex(2, 4):
        back[b, at[b, j]] += right[b, j]
    assert exact("scatteraddpoint", back, right, at, b=2, n=7, c=5)
    assert not exact("scatteraddpoint", 2 * back, right, at, b=2, n=7, c=5)


def test_nearest_points_of_each_cloud() -> None:
    x, y, of_x, of_y = (
        _RANDOM.normal(size=(7, 4)),
        _RANDOM.normal(size=(9, 4)),
        np.array([0, 3, 7]),
        np.array([0, 5, 9]),
    )
    right = []
    for cloud, (first, end) in enumerate(itertools.pairwise(of_x.tolist())):
        others = range(of_y[cloud], of_y[cloud + 1])
        right += [sorted(others, key=lambda j, i=i: math.dist(x[i], y[j]))[:2] for i in range(first, end)]
    assert exact("knn", right, x, y, of_x, of_y, k=2, dim=4)
    assert not exact("knn", np.array(right)[:, ::-1].copy(), x, y, of_x, of_y, k=2, dim=4)


@pytest.mark.parametrize("how", ["+", "*"])
def test_what_edges_carry(how: str) -> None:
    first, second = _RANDOM.integers(0, 5, 11), _RANDOM.integers(0, 4, 11)
    rows, own = _RANDOM.normal(size=(5, 3)), _RANDOM.normal(size=(11, 3))
    right = np.zeros((4, 3))
    for edge in range(11):
        right[second[edge]] += rows[first[edge]] + own[edge] if how == "+" else rows[first[edge]] * own[edge]
    assert exact("SpMMCoo", right, rows, own, first, second, k=3)
    assert not exact("SpMMCoo", -right, rows, own, first, second, k=3)


def test_gradients_of_distances_themselves() -> None:
    a, b, at, coming = (
        _RANDOM.normal(size=(1, 5, 3)),
        _RANDOM.normal(size=(1, 4, 3)),
        np.array([3, 0, 1, 1, 2]),
        np.ones(5),
    )
    right = [coming[i] * (a[0, i] - b[0, at[i]]) / math.dist(a[0, i], b[0, at[i]]) for i in range(5)]
    assert exact("chamfer_distance_backward", right, a, b, coming, at)
    assert not exact("chamfer_distance_backward", np.negative(right), a, b, coming, at)


def test_planes_of_colours() -> None:
    pixels = _RANDOM.integers(0, 256, (6, 4)).astype(np.uint8)
    r, g, b = (pixels[:, at].copy() for at in range(3))
    gray = np.array([int(0.299 * int(x) + 0.587 * int(y) + 0.114 * int(z)) for x, y, z in pixels[:, :3]], np.uint8)
    assert exact("rgb_to_gray", gray, r, g, b)
    assert exact("split_channels", pixels.T, pixels)
    assert not exact("split_channels", pixels[:, ::-1].T.copy(), pixels)
    assert exact("bgra_to_rgba", pixels[:, [2, 1, 0, 3]], pixels)


_CASES = {**GEOMETRY, **PICTURES, **COURSES}


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("lower bound", "upper bound"),
        ("segment max", "segment min"),
        ("quaternion rotate", "cross product"),
        ("face areas normals", "vertex normals"),
        ("remap", "warp affine"),
        ("iir filter", "fir filter"),
        ("match cost backward", "chamfer distance backward"),
    ],
)
def test_not_the_other_function(name: str, other: str) -> None:
    inputs: Sequence[np.ndarray]
    right, inputs, numbers = _CASES[other]
    assert exact(other, right, *inputs, **numbers)
    assert not exact(name, right, *inputs, **numbers)
