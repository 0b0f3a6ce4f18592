"""Commands of a Sophgo TPU, with all checks: short ones, long ones beside NumPy, and launches of many."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import Device, launch, load

from .measure import Figure, best

_LANES, _LANE_BYTES, _FP32 = 64, 256 * 1024, 5
_LONG = (1, _LANES, 1, 1024)  # 256 KB
_COMMANDS, _SECTIONS, _MORE = 2000, 400, 4


def tpu() -> Iterator[Figure]:
    """Of C kernels what a launch of many commands takes more than one of few; of long commands the call itself."""
    chip = Device.load("bm1690")
    program = load([Path(__file__).with_name("tpu.c")], device=chip)
    x = np.random.default_rng(1).random((_MORE * _SECTIONS, _LANES, 64), np.float32)
    source, out = chip.array(x), chip.array(np.zeros_like(x))

    def run(kernel: str, times: int) -> Any:
        args = {"out": out.address, "in": source.address, "times": times}
        return program.launch(kernel, (1, 1, 1), args=args)

    few, many = best(partial(run, "sums", 1), partial(run, "sums", 1 + _COMMANDS), rounds=7)
    yield Figure("command of 64 lanes x 64 floats, checks on", (many - few) / _COMMANDS * 1e6, "us", 15)
    yield Figure("copy of 256 KB across lanes", _copied(chip, x), "x NumPy", 4)
    few, many = best(partial(run, "sections", _SECTIONS), partial(run, "sections", _MORE * _SECTIONS), rounds=7)
    yield Figure(f"launch of {4 * _SECTIONS} commands in sections", few, "s", 0.2)
    yield Figure(f"each of {_MORE} times as many, beside that", many / few / _MORE, "x", 1.2)


def _copied(chip: Device, x: np.ndarray) -> float:
    """A copy within the lanes beside `numpy.copyto` of the same strides."""
    memory = np.zeros((_LANES, _LANE_BYTES // 4), np.float32)
    count, ratio = _LONG[3], []

    def kernel(core: Any, given: Any) -> None:
        core.tpu_initialize()
        core.tpu_gdma_cpy_S2L(0, given, _LONG, None, None, _FP32)
        mine, theirs = best(
            lambda: core.tpu_bdc_cpy(4 * count, 0, _LONG, None, None, _FP32),
            lambda: np.copyto(memory[:, count : 2 * count], memory[:, :count]),
            rounds=100,
        )
        ratio.append(mine / theirs)
        core.tpu_poll()

    launch(kernel, (1, 1, 1), args=[x], device=chip, on_finding="collect")
    return ratio[0]
