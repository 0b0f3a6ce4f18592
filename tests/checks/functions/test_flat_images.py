"""Images whose axes the launch passes: other sizes, pools, parts; and what says which way a gradient goes."""

from __future__ import annotations

import numpy as np

from .elements import RANDOM
from .placed import PLACED, filled
from .test_functions import like

_IMAGE = RANDOM.normal(size=(2, 3, 4, 5))
_AXES = {"w": 5, "h": 4, "c": 3, "batch": 2}


def twice(n: int, c: int, i: int, j: int) -> float:
    return float(_IMAGE[n, c, i // 2, j // 2])


def test_an_image_that_is_twice_as_large() -> None:
    right = filled((2, 3, 8, 10), twice)
    assert like("upsample", right.reshape(-1), _IMAGE.reshape(-1), **_AXES, stride=2)[0]
    assert not like("upsample", right.swapaxes(0, 1).reshape(-1), _IMAGE.reshape(-1), **_AXES, stride=2)[0]


def test_a_number_says_that_it_is_the_gradient() -> None:
    coming = RANDOM.normal(size=(2, 3, 8, 10))
    right = filled((2, 3, 4, 5), lambda n, c, i, j: coming[n, c, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2].sum())
    flat = right.reshape(-1), coming.reshape(-1)
    assert like("upsample", *flat, **_AXES, stride=2, forward=0)[0]
    assert not like("upsample", *flat, **_AXES, stride=2, forward=1)[0]


def test_channels_that_are_passed_behind_rows_and_columns() -> None:
    right = filled((2, 3, 2, 2), lambda n, c, i, j: _IMAGE[n, c, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2].max())
    found = like("maxpool", right.reshape(-1), _IMAGE.reshape(-1), in_h=4, in_w=5, in_c=3, stride=2, size=2, pad=0)
    assert found
    assert found[0]


def means() -> np.ndarray:
    """Of windows of three that lie two apart and begin one before the image; they end one behind it at most."""

    def mean(n: int, c: int, i: int, j: int) -> float:
        rows, columns = (range(2 * at - 1, min(2 * at + 2, m + 1)) for at, m in ((i, 4), (j, 5)))
        inside = [_IMAGE[n, c, y, x] for y in rows for x in columns if 0 <= y < 4 and 0 <= x < 5]
        return sum(inside) / (len(rows) * len(columns))

    return filled((2, 3, 3, 3), mean)


def test_windows_end_with_the_padding() -> None:
    numbers = {"n": 2, "c": 3, "h": 4, "w": 5, "pooled_h": 3, "pooled_w": 3, "kernel": 3, "stride": 2, "pad": 1}
    assert like("avg_pool", means().reshape(-1), _IMAGE.reshape(-1), **numbers)[0]
    assert not like("avg_pool", 0.9 * means().reshape(-1), _IMAGE.reshape(-1), **numbers)[0]


def test_an_argument_says_where_a_part_begins() -> None:
    right, (x,), _ = PLACED["slice"]
    assert like("slice", right, x, start=1, n=2)[0]
    assert not like("slice", right, x, start=2, n=1)[0]
    assert like("slice", right, x, n=1)[0]  # where none is called so


def test_heads_are_not_exchanged_with_nothing() -> None:
    x = RANDOM.normal(size=(2, 5, 3, 4))
    assert not like("split_heads", x.reshape(-1), x.reshape(-1), b=2, s=5, h=3, d=4)[0]
    assert like("split_heads", x.swapaxes(1, 2).reshape(-1), x.reshape(-1), b=2, s=5, h=3, d=4)[0]
