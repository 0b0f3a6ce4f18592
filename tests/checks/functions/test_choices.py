"""What a kernel may choose where the launch does not say it: sizes, factors, what each result is of."""

from __future__ import annotations

import numpy as np

from .elements import PART, RANDOM, SIGNED
from .test_functions import like, with_one_wrong


def test_a_pool_of_a_size_that_is_not_passed() -> None:
    image = RANDOM.normal(size=(2, 3, 14, 12))
    windows = np.lib.stride_tricks.sliding_window_view(image, (5, 5), axis=(2, 3))[:, :, ::3, ::3]
    right = windows.max(axis=(4, 5))
    assert like("maxpool", right, image) == (True, "max_pool(a), window 5, stride 3")
    assert like("maxpool", with_one_wrong(right), image)[0] is False


def test_a_sum_with_a_factor() -> None:
    assert like("vectorAdd", SIGNED + 0.75 * PART, PART, SIGNED, alpha=0.75) == (True, "add(b, 0.75 * a)")
    assert like("vectorAdd", SIGNED + 0.5 * PART, PART, SIGNED, alpha=0.75)[0] is False


def test_a_factor_that_is_a_constant_of_the_kernel() -> None:
    """Any may be it; one that is passed is."""
    assert like("scale_rows", 1.7 * SIGNED, SIGNED) is None
    assert like("scale_rows", 1.7 * SIGNED, SIGNED, factor=1.6)[0] is False


def test_a_deviation_that_is_passed_as_such() -> None:
    mean, spread = SIGNED.mean(axis=1), SIGNED.std(axis=1) + 0.5
    off = SIGNED - mean[:, None]
    for right, how in ((off / spread[:, None], "c**2"), (off * spread[:, None], "c**-2")):
        text = f"batch_norm(a, b, {how})"
        assert like("layer_norm", right, SIGNED, mean, spread, channels=3) == (True, text)
    assert like("layer_norm", off * spread[:, None] ** 2, SIGNED, mean, spread, channels=3)[0] is False


def test_results_of_parts() -> None:
    """Nothing says what each result is of: together they are that of all."""
    a, b = RANDOM.normal(size=50), RANDOM.normal(size=50)
    parts = np.array([(a * b)[:20].sum(), (a * b)[20:].sum()])
    assert like("dot_kernel", parts, a, b, n=50) == (True, "parts of dot(a, b)")
    assert like("dot_kernel", parts, a, b, n=50, batch=2)[0] is False  # of two products
    assert like("dot_kernel", parts + np.array([0.5, 0]), a, b, n=50)[0] is False
