"""Elementwise operators: a large addition, a small one, and what planning costs."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
from mlusim.kernels import elementwise as ew
from mlusim.kernels.elementwise.planner import make_plan
from mlusim.simulator import Device

from .measure import ELEMENTS, Figure, best, device

_TILE = 16384
_SMALL = 1000
_BANDWIDTH_ELEMENTS = 1 << 24


def _plan(chip: Device, *operands: object) -> None:
    make_plan.cache_clear()  # each as if it were the first
    ew.plan(chip, "add", *operands)


def elementwise() -> Iterator[Figure]:
    """Addition of 2^22 floats that stay on the device, of 1000 floats, and plans."""
    chip = device()
    a, b = (np.random.default_rng(seed).random(ELEMENTS, np.float32) for seed in (1, 2))
    bare_out = np.empty_like(a)
    x, y, out = (chip.array(array) for array in (a, b, bare_out))

    def bare() -> None:
        for at in range(0, ELEMENTS, _TILE):
            np.add(a[at : at + _TILE], b[at : at + _TILE], out=bare_out[at : at + _TILE])

    large, numpy = best(functools.partial(ew.add, chip, x, y, out=out), bare, rounds=30)
    if not np.array_equal(out.numpy(), bare_out):
        raise ArithmeticError("elementwise add gives other numbers than NumPy")
    yield Figure("elementwise add of 2^22 floats on the device: time", large * 1e3, "ms")
    yield Figure("elementwise add of 2^22 floats on the device", large / numpy, "x NumPy in tiles", 8)

    small = [chip.array(array[:_SMALL]) for array in (a, b, bare_out)]
    few, of_host = best(
        functools.partial(ew.add, chip, *small[:2], out=small[2]),
        functools.partial(ew.add, chip, a[:_SMALL], b[:_SMALL]),
        rounds=200,
    )
    yield Figure("elementwise add of 1000 floats on the device: a launch in all", few * 1e3, "ms", 0.4)
    yield Figure("elementwise add of 1000 floats of the host: a launch in all", of_host * 1e3, "ms", 1)

    image, bias = np.zeros((8, 3, 32, 32), np.float32), np.zeros((3, 1, 1), np.float32)
    flat, shorter = best(
        functools.partial(_plan, chip, *small[:2]),
        functools.partial(_plan, chip, image, bias),
        rounds=300,
    )
    yield Figure("a plan of contiguous arrays", flat * 1e6, "us", 100)
    yield Figure("a plan of an image and a value for each channel", shorter * 1e6, "us", 100)

    zeros = chip.array(np.zeros(_BANDWIDTH_ELEMENTS, np.float32))
    run = ew.add(chip, zeros, zeros, out=zeros)
    reached = chip.facts["channels.dram.gb_per_s"].value * chip.facts["channels.dram.efficiency"].value
    bound = 3 * zeros.nbytes / reached / 1e3
    yield Figure("estimated time of an addition of 2^24 floats", run.time_us / bound, "x what the DRAM takes", 1.15)
