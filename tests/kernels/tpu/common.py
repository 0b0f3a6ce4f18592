"""What the tests of the operators of Sophgo's TPUs share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

import ml_dtypes
import numpy as np
from mlusim.simulator import Device, Run

from tests.support.devices import device

Case = TypeVar("Case")
CHIPS = ("bm1684x", "bm1688", "bm1690")
TYPES = tuple(map(np.dtype, (np.float32, np.float16, ml_dtypes.bfloat16)))


@cache
def one_core() -> Device:
    """A bm1690 with one of its eight cores."""
    return device("bm1690").replace({"shape.cores_per_cluster": 1, "shape.clusters": 1})


def numbers(shape: tuple[int, ...], dtype: np.dtype = TYPES[0], seed: int = 0) -> np.ndarray:
    """Normally distributed numbers."""
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(dtype)


def of_types(cases: Sequence[Case], types: Sequence[np.dtype] = TYPES) -> Iterator[tuple[np.dtype, Case]]:
    """Every case of the first type, and of each other one those in turn: a launch takes some time."""
    for number, dtype in enumerate(types):
        yield from ((dtype, case) for case in cases[:: 1 if number == 0 else 3])


def close(run: Run, right: np.ndarray, ulps: float) -> None:
    """Nothing is found, and the result is as far from right as so many units in the last place of its largest."""
    assert run.findings == [], [str(finding) for finding in run.findings]
    found = run.output
    assert found.shape == right.shape
    if right.size:
        most = ulps * float(ml_dtypes.finfo(found.dtype).eps) * max(float(np.abs(right).max()), 1e-30)
        assert float(np.abs(found.astype(np.float64) - right).max()) <= most


def same_on_one_core(operator: Callable[..., Run], *args: Any, **more: Any) -> None:
    """One core and eight give the same bits."""
    eight, one = operator(device("bm1690"), *args, **more), operator(one_core(), *args, **more)
    assert len(set(eight.log.records["core"].tolist())) > 1
    assert set(one.log.records["core"].tolist()) == {0}
    assert np.asarray(eight.output).tobytes() == np.asarray(one.output).tobytes()


def overlap(run: Run) -> None:
    """On the first core a copy runs while BDC computes."""
    times, first = run.timeline, run.log.records["core"] == 0
    names = np.array([op.name for op in run.log.ops])[run.log.records["op"]]
    spans = [list(zip(times.start[rows], times.end[rows], strict=True)) for rows in (
        first & np.char.startswith(names.astype(str), f"tpu_{engine}_") for engine in ("gdma", "bdc")
    )]  # fmt: skip
    assert any(begin < other_end and other < end for begin, end in spans[0] for other, other_end in spans[1])
