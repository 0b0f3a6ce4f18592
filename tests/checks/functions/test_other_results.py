"""Functions of more than one result, or of other layouts, and results that are nearly theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from . import around, backwards
from .test_functions import like, with_one_wrong


@pytest.mark.parametrize(("name", "right", "inputs", "numbers"), [*around.OTHERS, *backwards.OTHERS])
def test_another_result(name: str, right: Any, inputs: Sequence[np.ndarray], numbers: Mapping[str, float]) -> None:
    assert like(name, right, *inputs, **numbers)[0]
    assert not like(name, with_one_wrong(right), *inputs, **numbers)[0]


def exact(name: str, got: np.ndarray, *inputs: np.ndarray, **numbers: float) -> bool:
    found = like(name, got, *inputs, **numbers)
    return found is not None and found[0]


def test_a_step_too_few_and_the_wrong_axis() -> None:
    steps = around.DOWN, around.ACROSS
    assert not exact("mutual_information", np.roll(around.POINTS, 1, axis=2), *steps)
    assert not exact("mutual_information", around.POINTS[:, 1, 3], *steps)
    right, inputs, numbers = around.AROUND["carafe"]
    assert not exact("carafe", np.roll(right, 1, axis=1), *inputs, **numbers)
    assert not exact("carafe", right, around.IMAGES[:, ::-1].copy(), around.MASKS, **numbers)
    right, inputs, numbers = backwards.BACKWARDS["conv backward"]
    assert not exact("conv_backward", np.roll(right, 1, axis=3), *inputs, **numbers)
    assert not exact("conv_backward", right, backwards.CONV_GRADS, backwards.WEIGHTS[..., ::-1].copy(), **numbers)
    right, inputs, numbers = backwards.BACKWARDS["max pool backward"]
    assert not exact("maxpool_backward", np.minimum(right, 0), *inputs, **numbers)
    right, inputs, numbers = backwards.BACKWARDS["conv same"]
    assert not exact("convolution_same", right[::-1].copy(), *inputs, **numbers)
