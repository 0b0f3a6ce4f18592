"""Arrays that users type: those in files, and those that are made, such as ``random:float32:64x1024``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import ml_dtypes
import numpy as np

from ..chip.shape import MAX_BYTES
from ..text import quoted

#: Axes that an array of NumPy can have.
_AXES = 64
_MADE = re.compile(r"(zeros|ones|arange|random):(\w+):(\d+(?:x\d+)*)(?::(\d+))?")
#: Whole numbers that are made at random are below it, unless another bound is given or their type ends before.
_BELOW = 100


def made_array(text: str, seeds: Iterator[int]) -> np.ndarray | None:
    """The array that a text describes: kind, element type, shape, such as ``zeros:float32:64x1024``; None for others.

    The kinds are zeros, ones, arange (0, 1, 2 ...) and random: of the standard normal distribution, of whole numbers
    from 0 to below 100 or the number behind the shape, of False and True. ValueError for what cannot be made.
    """
    match = _MADE.fullmatch(text)
    if not match:
        return None
    kind, name, shape = match[1], match[2], [int(count) for count in match[3].split("x")]
    try:
        dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    except (TypeError, ValueError):
        dtype = np.dtype(object)
    if dtype.kind not in "biufc" and dtype != ml_dtypes.bfloat16:
        wrong = quoted(name)
        raise ValueError(f"{quoted(text)}: {wrong} is no element type; write one such as float32 or int8")
    if math.prod(shape) * dtype.itemsize > MAX_BYTES or len(shape) > _AXES:
        raise ValueError(f"{quoted(text)} has more dimensions or bytes than any device has")
    if match[4] and (kind != "random" or dtype.kind not in "iu" or not 0 < int(match[4]) <= np.iinfo(dtype).max):
        raise ValueError(
            f"{quoted(text)}: only random whole numbers have a bound, from 1 to the largest of their type; "
            "write for example random:int32:1000:50"
        )
    if kind == "random":
        return _random(np.random.default_rng(next(seeds)), shape, dtype, int(match[4] or _BELOW))
    return _PLAIN[kind](math.prod(shape), dtype).reshape(shape)


def _random(random: np.random.Generator, shape: list[int], dtype: np.dtype, below: int) -> np.ndarray:
    if dtype.kind in "iu":
        return random.integers(0, min(below, np.iinfo(dtype).max), shape, dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "c":
        return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


_PLAIN: Mapping[str, Callable[[int, np.dtype], np.ndarray]] = {
    "zeros": np.zeros, "ones": np.ones, "arange": lambda count, dtype: np.arange(count).astype(dtype),
}  # fmt: skip


def read_array(path: Path) -> np.ndarray:
    """The array of a .npy file; ValueError when there is none."""
    try:
        with path.open("rb") as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; pass the path of a .npy file") from None
    except Exception as error:  # a damaged header is read as Python's own text, and ends in whatever that does
        raise ValueError(f"{path} cannot be read as a .npy file ({quoted(str(error))[1:-1]})") from None
    # NumPy writes bfloat16 as bare bytes of two.
    return array.view(ml_dtypes.bfloat16) if array.dtype == np.dtype("V2") else array
