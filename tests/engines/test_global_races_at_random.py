"""Races in global memory, beside all pairs of accesses that nothing orders."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from mlusim.simulator import Program

from tests.support.paths import KERNELS_C

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "global_races.cu"
NOTHING, LOAD, STORE = 0, 1, 2
ROUNDS, STEPS, WARP = 2, 3, 32


def is_race(what: np.ndarray, where: np.ndarray) -> bool:
    """Whether a thread loads what another one stores, in one round of a block or in two blocks.

    ``what`` and ``where`` are [rounds, steps, blocks, threads].
    """
    loads, stores = (np.argwhere(what == kind) for kind in (LOAD, STORE))
    return any(
        where[tuple(load)] == where[tuple(store)]
        and tuple(load[2:]) != tuple(store[2:])
        and (load[2] != store[2] or load[0] == store[0])
        for load, store in product(loads, stores)
    )


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("seed", range(40))
def test_random_accesses(program: Program, blocks: int, seed: int) -> None:
    numbers = np.random.default_rng([seed, blocks])
    shape = ROUNDS, STEPS, blocks, 2 * WARP
    what = numbers.choice([NOTHING, LOAD, STORE], shape).astype(np.int32)
    what[..., numbers.permutation(2 * WARP)[3:]] = NOTHING
    what[0, 0, 0, 0] = STORE  # from then on, loads are noted
    where = numbers.integers(16, size=shape).astype(np.int32)
    args = [what.reshape(-1), where.reshape(-1), np.zeros(16, np.int32), np.zeros(256, np.int32), ROUNDS, STEPS]
    run = program.launch("in_rounds_of", blocks, args=args, block=2 * WARP, on_finding="collect")
    assert {one.rule for one in run.findings} <= {"race"}
    if blocks == 1:  # of what blocks do to one element, not all is kept
        assert bool(run.findings) == is_race(what, where)
    else:
        assert is_race(what, where) or not run.findings
