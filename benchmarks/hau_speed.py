"""Sorting by HAU beside NumPy's."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from mlusim.kernels import topk
from mlusim.simulator import Device, load

from .measure import Figure, best

_DEVICE = "bm1684x"
_LENGTH = 1 << 20
_ROWS, _ROW = 64, 16384


class _Arguments(ctypes.Structure):
    """`sort_args_t` of hau.c."""

    _fields_ = [("out", ctypes.c_uint64), ("input", ctypes.c_uint64), ("len", ctypes.c_int)]


def sorts() -> Iterator[Figure]:
    """Sort of 2^20 floats by one instruction of a C kernel, on arrays that stay on the device."""
    chip = Device.load(_DEVICE)
    x = np.random.default_rng(1).standard_normal(_LENGTH).astype(np.float32)
    source, out = chip.array(x), chip.array(x)
    program = load([Path(__file__).with_name("hau.c")], device=chip)
    arguments = _Arguments(out.address, source.address, _LENGTH)
    kernel, stable, fast = best(
        functools.partial(program.launch, "sort", args=arguments),
        functools.partial(np.sort, x, kind="stable"),
        functools.partial(np.sort, x),
    )
    if not np.array_equal(out.numpy(), np.sort(x)):
        raise ArithmeticError("the sort kernel gives other numbers than NumPy")
    yield Figure("HAU sort of 2^20 floats", kernel / stable, "x np.sort(kind='stable')", 1.5)
    yield Figure("HAU sort of 2^20 floats, beside NumPy's fastest", kernel / fast, "x np.sort")
    yield Figure("HAU sort of 2^20 floats: time", kernel * 1e3, "ms")


def topks() -> Iterator[Figure]:
    """Top-k of 64 rows of 16384 floats, values and positions, from an array that stays on the device."""
    chip = Device.load(_DEVICE)
    x = np.random.default_rng(2).standard_normal((_ROWS, _ROW)).astype(np.float32)
    source = chip.array(x)
    for k in (8, 1024):
        kernel, copied, numpy = best(
            functools.partial(topk, chip, source, k),
            functools.partial(topk, chip, x, k),
            functools.partial(_numpy_topk, x, k),
        )
        values, positions = topk(chip, source, k).output
        if not np.array_equal(values, _numpy_topk(x, k)[0]) or not np.array_equal(
            values, np.take_along_axis(x, positions, 1)
        ):
            raise ArithmeticError("topk gives other numbers than NumPy")
        yield Figure(f"top-{k} of 64 x 16384 floats", kernel / numpy, "x NumPy", 2)
        yield Figure(f"top-{k} of 64 x 16384 floats, from a host array", copied / numpy, "x NumPy")
        yield Figure(f"top-{k} of 64 x 16384 floats: time", kernel * 1e3, "ms")


def _numpy_topk(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The fastest way in NumPy: select, then sort what was selected."""
    positions = np.argpartition(x, x.shape[1] - k, axis=1)[:, -k:]
    values = np.take_along_axis(x, positions, 1)
    order = np.argsort(-values, axis=1)
    return np.take_along_axis(values, order, 1), np.take_along_axis(positions, order, 1)
