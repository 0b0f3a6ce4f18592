"""Whatever arrays and numbers a launch passes, a comparison with a function comes to its end."""

from __future__ import annotations

import random
import warnings
import zlib

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator.checks.functions import Input, Problem, likeness
from mlusim.simulator.checks.functions.problem import FUNCTIONS

_KINDS = [
    np.float16, np.float32, np.float64, ml_dtypes.bfloat16, np.complex64, np.bool_, np.int8, np.uint8, np.int32,
    np.uint32, np.int64, np.uint64,
]  # fmt: skip
_SHAPES = [(), (0,), (1,), (5,), (12,), (64,), (3, 4), (4, 3), (4, 4), (2, 3, 4), (1, 2, 6, 2), (2, 3, 7, 7)]
_NUMBERS = [0, 1, 2, 3, 4, -1, 7, 12, 1 << 40, 0.5, -2.5, 1e-5, float("inf"), float("nan")]
_PROBLEMS = 12


def _array(chosen: random.Random, numbers: np.random.Generator) -> np.ndarray:
    values = np.array(numbers.normal(size=chosen.choice(_SHAPES)) * chosen.choice([0, 1, 10, 1e30]))
    if values.size and chosen.random() < 0.2:
        values.flat[0] = chosen.choice([np.nan, np.inf, -np.inf])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return values.astype(chosen.choice(_KINDS))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_numbers(name: str) -> None:
    _compare(name, zlib.crc32(name.encode()))


@pytest.mark.further
@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_of_this_run_alone(name: str) -> None:
    _compare(name, random.SystemRandom().randrange(1 << 32))


def test_boxes_of_less_than_one() -> None:
    """Two numbers are no box, although they divide the 24 shares."""
    inputs = (Input("deltas", np.ones((2, 3, 4), np.float32)), Input("boxes", np.ones(2, np.float32)))
    assert likeness("box_decode", Problem(inputs, (2, 3, 4), {}), np.ones((2, 3, 4), np.float32), 1e-3) is None


def _compare(name: str, seed: int) -> None:
    chosen, numbers = random.Random(seed), np.random.default_rng(seed)
    for _ in range(_PROBLEMS):
        inputs = tuple(Input(f"x{at}", _array(chosen, numbers)) for at in range(chosen.randrange(5)))
        passed = {f"n{at}": chosen.choice(_NUMBERS) for at in range(chosen.randrange(5))}
        passed |= {
            word: chosen.choice([0, 1, 2, -3, 1 << 33]) for word in ("stride", "pad", "kernel") if chosen.random() < 0.3
        }
        got = _array(chosen, numbers)
        problem = Problem(inputs, got.shape, passed)
        found = likeness(name.replace(" ", "_"), problem, got, 0.0 if got.dtype.kind in "iub" else 1e-3)
        assert found is None or len(found.wrong) <= got.size, f"seed {seed}"
