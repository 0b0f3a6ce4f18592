"""Arrays whose places go by strides that are named after them."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator.checks.functions import Input, Problem, likeness

_NEAR = 1e-9
_RANDOM = np.random.default_rng(16)
_X = _RANDOM.normal(size=(2, 3, 5))
_WEIGHT, _BIAS = _RANDOM.normal(size=5), _RANDOM.normal(size=5)
_SPREAD = np.sqrt(_X.var(axis=2) + 1e-5)
_UNIT = (_X - _X.mean(axis=2, keepdims=True)) / _SPREAD[..., None]


def wide(values: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """An array with so many more rows and columns, which hold other numbers."""
    made = _RANDOM.normal(size=(values.shape[0], values.shape[1] + rows, values.shape[2] + columns))
    made[:, : values.shape[1], : values.shape[2]] = values
    return made


def said(name: str, output: str, got: np.ndarray, arrays: dict[str, np.ndarray], **numbers: float) -> str | None:
    """Which formula results are exactly; None if they are none."""
    inputs = tuple(Input(title, values) for title, values in arrays.items())
    found = likeness(name, Problem(inputs, got.shape, numbers, output=output), got, _NEAR)
    return found.formula.text if found and found.exact else None


_STRIDES = {"shape": [2, 3, 5], "x_strides": [32, 8, 1], "y_strides": [15, 5, 1], "s_strides": [3, 1]}
_ENTRIES = {f"{name}[{at}]": n for name, entries in _STRIDES.items() for at, n in enumerate(entries)}
_ARRAYS = {"x": wide(_X, 1, 3), "w": _WEIGHT, "b": _BIAS, **{name: np.array(n) for name, n in _STRIDES.items()}}


def test_strides_in_arrays() -> None:
    """The launch passes them as entries of arrays in memory."""
    right, passed = _UNIT * _WEIGHT + _BIAS, {"eps": 1e-5, **_ENTRIES}
    assert said("layerNormKernel", "y", right, _ARRAYS, **passed) == "layer_norm(x, 1e-05) along 5 elements * w + b"
    assert said("layerNormKernel", "y", right[:, ::-1].copy(), _ARRAYS, **passed) is None
    assert said("layerNormKernel", "s", _SPREAD, _ARRAYS, **passed) == "sqrt(variance(x) + 1e-05) along 5 elements"
    assert said("layerNormKernel", "s", _SPREAD**2, _ARRAYS, **passed) is None


@pytest.mark.parametrize("before", [True, False])
def test_strides_by_the_names_of_arrays_and_axes(before: bool) -> None:
    strides = {"x": (24, 8), "y": (15, 5)}
    numbers = {
        f"{name}_stride_{axis}" if before else f"stride_{name}_{axis}": n
        for name, each in strides.items()
        for axis, n in zip("ab", each, strict=True)
    }
    arrays = {"x": wide(_X, 0, 3)}
    assert said("exp_kernel", "y", np.exp(_X), arrays, **numbers) == "exp(x)"
    assert said("exp_kernel", "y", np.exp(_X[::-1]), arrays, **numbers) is None


def test_rows_of_a_result_that_lie_apart() -> None:
    got = wide(np.exp(_X), 0, 2)
    numbers = {"n": 5, "x_stride_a": 15, "x_stride_b": 5, "y_stride_a": 21, "y_stride_b": 7}
    assert said("exp_kernel", "y", got, {"x": _X}, **numbers) == "exp(x)"
    got[1, 2, 4] += 1
    assert said("exp_kernel", "y", got, {"x": _X}, **numbers) is None


def test_axes_in_another_order_and_the_same_everywhere() -> None:
    numbers = {"x_strides[0]": 1, "x_strides[1]": 4, "z_strides[0]": 0, "z_strides[1]": 1}
    numbers |= {"y_strides[0]": 3, "y_strides[1]": 1}
    x, z = _RANDOM.normal(size=(3, 4)), _RANDOM.normal(size=3)
    assert said("add_kernel", "y", x.T + z, {"x": x, "z": z}, **numbers) == "add(x, z)"
    assert said("add_kernel", "y", x.T - z, {"x": x, "z": z}, **numbers) is None


def test_strides_of_arrays_without_gaps_change_nothing() -> None:
    numbers = {"x_stride_a": 15, "x_stride_b": 5, "y_stride_a": 15, "y_stride_b": 5}
    assert said("exp_kernel", "y", np.exp(_X), {"x": _X}, **numbers) == "exp(x)"
    assert said("exp_kernel", "y", np.exp(_X), {"x": _X}, x_stride_a=16, x_stride_b=99) == "exp(x)"  # of no array
