"""Sums that native code forms in memory, bit for bit those of NumPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from mlusim.isa import Sums, flushed
from mlusim.simulator.chip import Space
from mlusim.simulator.core.memory import Held, Lanes, Memory, Store, Tensor
from mlusim.simulator.core.memory.tensor import across_lanes
from mlusim.simulator.engines.tasks.abi import load_runtime
from mlusim.simulator.native.build import tasks_runtime
from mlusim.simulator.native.compiler import Compiler

LANES = Lanes(count=5, size=8192, beat=16)
FLOAT = np.dtype(np.float32)
Four = tuple[int, int, int, int]


@cache
def native() -> Any:
    return load_runtime(tasks_runtime(Compiler())).mlusim_store_sums


def floats(chance: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers whose products are normal, subnormal and 0."""
    found = chance.uniform(-1, 1, shape) * chance.choice([1e-21, 1, 1e20], shape)
    return np.where(chance.random(shape) < 0.1, chance.choice([0.0, -0.0, 1e-40, -1e-40], shape), found).astype(FLOAT)


def stored(
    store: Store, seed: int, first: int, shape: Four, strides: Four | None, products: int, by_channel: bool, last: int,
    bias: bool, adds: bool, flushes: bool,
) -> np.ndarray:  # fmt: skip
    """The memory of all lanes after a store of random sums to a tensor."""
    chance = np.random.default_rng(seed)
    memory = Memory(Space("local", LANES.count * LANES.size, 0, "core"), 0, 1)
    entry = memory.allocate(0, LANES.count * LANES.size)
    entry.view(FLOAT)[:] = floats(chance, LANES.count * LANES.size // 4)
    target: Tensor = across_lanes(entry, first * LANES.size + 64, shape, strides, FLOAT, LANES, last)
    n, c, h, w = shape
    rows, right = (c, (n, products, h, w)) if by_channel else (n, (1, products, c, h, w))
    flush = flushed if flushes else None
    sums = Sums(
        floats(chance, rows, products), floats(chance, *right), shape,
        floats(chance, 1, c, 1, 1) if bias else np.zeros((1, 0, 1, 1), FLOAT), Held(target, flush) if adds else None,
    )  # fmt: skip
    with np.errstate(over="ignore"):
        store(target, sums, flush)
    return entry.view(np.dtype(np.uint32)).copy()


@pytest.mark.parametrize("products", [1, 2, 8, 9])
@pytest.mark.parametrize("by_channel", [True, False])
@pytest.mark.parametrize(
    ("first", "shape", "strides", "last"),
    [
        pytest.param(0, (2, 10, 3, 50), None, 0, id="rows of lanes, longer than a block"),
        pytest.param(3, (3, 13, 4, 5), None, 0, id="from a lane in the middle"),
        pytest.param(1, (2, 7, 3, 5), (200, 70, 20, 1), 0, id="lines apart"),
        pytest.param(0, (2, 6, 1, 9), None, 4, id="a last channel that is narrower"),
        pytest.param(2, (2, 6, 3, 5), (500, 200, 20, 2), 0, id="elements apart, which NumPy stores"),
    ],
)
def test_native_sums_are_those_of_numpy(
    products: int, by_channel: bool, first: int, shape: Four, strides: Four | None, last: int
) -> None:
    calls = []

    def counted(work: Any) -> None:
        calls.append(work)
        native()(work)

    in_numpy, in_place = Store(), Store()
    in_place.native = counted
    for seed in range(8):
        given = seed, first, shape, strides, products, by_channel, last, bool(seed & 1), bool(seed & 2), bool(seed & 4)
        np.testing.assert_array_equal(stored(in_place, *given), stored(in_numpy, *given), err_msg=str(given))
    assert bool(calls) is (strides is None or strides[3] == 1)
