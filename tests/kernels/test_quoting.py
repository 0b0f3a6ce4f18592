"""Messages quote what a caller has passed: in a moment, and whatever it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.kernels import OPERATORS


class Silent:
    """Its text is no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("value", "said"),
    [(Silent(), "a Silent"), (np.zeros((2,) * 20, np.int8), "an array of int8 with shape [2, 2, ")],
)
@pytest.mark.parametrize("given", [{"device": None}, {"dtype": None}])
def test_what_logspace_does_not_take(value: Any, said: str, given: dict[str, None]) -> None:
    name = next(iter(given))
    with pytest.raises((TypeError, ValueError)) as error:
        OPERATORS["logspace"](0, 1, 4, **{name: value})
    assert name == "device" or f"{name} is {said}" in str(error.value)
