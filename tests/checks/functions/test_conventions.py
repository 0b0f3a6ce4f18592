"""What some kernels compute besides, or take in another way."""

from __future__ import annotations

import numpy as np
from mlusim.simulator.checks.functions import Input, Problem, likeness

from .elements import RANDOM
from .test_functions import like, with_one_wrong


def test_how_many_points_a_ball_has() -> None:
    numbers = np.random.default_rng(9)
    points, middles = numbers.uniform(size=(20, 3)), numbers.uniform(size=(7, 3))
    near = [sum(bool(((point - middle) ** 2).sum() < 0.25) for point in points) for middle in middles]
    assert max(near) > 3 > min(near)
    counts = np.array([min(3, each) for each in near], np.int32)
    passed = {"radius": 0.5, "nsample": 3}
    assert like("query_ball_point", counts, points, middles, **passed) == (
        True, "how many of a are within 0..0.5 of b, at most 3"
    )  # fmt: skip
    assert like("query_ball_point", with_one_wrong(counts), points, middles, **passed)[0] is False


def test_windows_that_are_added_to_an_image() -> None:
    columns, image = RANDOM.normal(size=(4, 4)), RANDOM.normal(size=(3, 3))
    right = image.copy()
    for at, (i, j) in enumerate(np.ndindex(2, 2)):
        right[i : i + 2, j : j + 2] += columns[:, at].reshape(2, 2)
    found = like("col2im", right, columns, image, height=3, width=3, ksize=2, stride=1, pad=0)
    assert found == (True, "b + col2im(a, columns, strides [1, 1], paddings [0, 0])")
    found = like("col2im", with_one_wrong(right), columns, image, height=3, width=3, ksize=2, stride=1, pad=0)
    assert found[0] is False


def test_tables_that_are_called_cosines_and_sines() -> None:
    """They may hold anything."""
    x, sin, cos = RANDOM.normal(size=(2, 4)), RANDOM.normal(size=(2, 2)), RANDOM.normal(size=(2, 2))
    right = np.concatenate([x[:, :2] * cos - x[:, 2:] * sin, x[:, :2] * sin + x[:, 2:] * cos], axis=1)

    def exact(first: str, second: str, got: np.ndarray) -> bool:
        inputs = Input("x", x), Input(first, sin), Input(second, cos)
        found = likeness("rope", Problem(inputs, x.shape, {}), got, 1e-9)
        return bool(found and found.exact)

    assert exact("sin_table", "cos_table", right)
    assert not exact("sin_table", "cos_table", with_one_wrong(right))
    assert not exact("cos_table", "sin_table", right)


def test_points_of_an_image_that_stays_as_it_is_elsewhere() -> None:
    columns, image = RANDOM.normal(size=(3, 2)), RANDOM.normal(size=(4, 5, 2))
    rows, across = np.array([0, 3, 2], np.int32), np.array([1, 4, 0], np.int32)
    right = image.copy()
    right[rows, across] = columns
    said = "b with col2im(a at c, d)"
    assert like("masked_col2im", right, columns, image, rows, across) == (True, said)
    assert like("masked_col2im", with_one_wrong(right), columns, image, rows, across)[0] is False


def test_a_row_of_no_class_has_a_weight_of_1() -> None:
    scores, classes, weights = RANDOM.normal(size=(4, 3)), np.array([2, 3, 0, 3], np.int32), RANDOM.uniform(1, 2, 3)
    p = 1 / (1 + np.exp(-scores))
    right = np.empty((4, 3))
    for row, at in enumerate(classes):
        for k in range(3):
            share, left = (0.25, p[row, k]) if k == at else (0.75, 1 - p[row, k])
            right[row, k] = -share * (1 - left) ** 2 * np.log(left) * (weights[at] if at < 3 else 1)
    found = like("sigmoid_focal_loss", right, scores, classes, weights, alpha=0.25, gamma=2.0)
    assert found == (True, "c * focal_loss(a, b, 2, 0.25), 1 of no class")
    assert like("sigmoid_focal_loss", right * [1, 1, 2], scores, classes, weights, alpha=0.25, gamma=2.0)[0] is False
