"""Messages quote what a caller has passed: in a moment, and whatever it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.kernels import OPERATORS
from mlusim.simulator import Device


class Silent:
    """Its text is no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("value", "said"),
    [(Silent(), "a Silent"), (np.zeros((2,) * 20, np.int8), "an array of int8 with shape [2, 2, ")],
)
def test_an_array_or_a_stranger_where_another_thing_belongs(value: Any, said: str) -> None:
    device, one = Device.load("mlu370-x4"), np.ones(4, np.float32)
    for call in (
        lambda: OPERATORS["logspace"](device, 0, 1, value),
        lambda: OPERATORS["logspace"](device, value, 1, 4),
        lambda: OPERATORS["logspace"](device, 0, 1, 4, dtype=value),
        lambda: OPERATORS["add"](value, one, one),
        lambda: OPERATORS["cast"](device, one, dtype=value),
    ):
        with pytest.raises((TypeError, ValueError)) as error:
            call()
        assert f"is {said}" in str(error.value)
