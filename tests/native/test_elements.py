"""Casts of native code give the bits that NumPy's give, and choices take what they are to take."""

from __future__ import annotations

import ctypes
import itertools

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator.core.issue.traced import ELEMENTS
from mlusim.simulator.native.build import RUNTIME, BuildTarget, build
from mlusim.simulator.native.compiler import Compiler

SOURCE = """
#include "elements.h"
extern "C" void cast(int from, int to, const char* given, long stride, char* made, long count) {
  mlusim::cast_of(from, to)(given, stride, made, count);
}
extern "C" void choose(const char* holds, const char* one, const char* other, long a, long b, char* to, long count,
                       int width) {
  mlusim::choose(holds, {one, other, a, b}, to, count, width);
}
"""
DTYPES = [np.dtype(getattr(ml_dtypes, name, name)) for name in ELEMENTS]
MANY = 1 << 16


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    source = tmp_path_factory.mktemp("elements") / "elements_calls.cpp"
    source.write_text(SOURCE)
    # The object of the runtime is there.
    sources = (source, RUNTIME / "elements.cpp")
    made = build(Compiler(), BuildTarget("elements_calls.so", "casts", sources, (f"-I{RUNTIME}",)))
    library, place, long = ctypes.CDLL(str(made)), ctypes.c_void_p, ctypes.c_long
    library.cast.argtypes = [ctypes.c_int, ctypes.c_int, place, long, place, long]
    library.choose.argtypes = [place, place, place, long, long, place, long, ctypes.c_int]
    return library


def address(array: np.ndarray) -> int:
    return array.ctypes.data


def samples(dtype: np.dtype) -> np.ndarray:
    """All elements of narrow types; of wide ones random bits, usual numbers, and ties of halves with what is near."""
    rng = np.random.default_rng(0)
    if dtype == np.bool_:
        return rng.integers(0, 2, MANY).astype(bool)
    if dtype.itemsize <= 2:
        return np.arange(MANY).astype(f"u{dtype.itemsize}").view(dtype)
    bits = rng.integers(0, 256, MANY * dtype.itemsize, np.uint8).view(dtype)
    usual = rng.uniform(0 if dtype.kind == "u" else -70000, 70000, MANY).astype(dtype)
    if dtype.kind != "f":
        return np.concatenate([bits, usual])
    halves = np.arange(MANY, dtype=np.uint16).view(np.float16).astype(dtype)
    ties = (halves[1:] + halves[:-1]) / 2
    ends = dtype.type([-np.inf, np.inf])
    return np.concatenate([bits, usual, usual * dtype.type(1e-9), halves, ties, *(np.nextafter(ties, e) for e in ends)])


@pytest.mark.parametrize("kind", DTYPES, ids=str)
def test_casts(library: ctypes.CDLL, kind: np.dtype) -> None:
    with np.errstate(all="ignore"):
        given = samples(kind)
        for to, dtype in enumerate(DTYPES):
            if dtype.kind == "u" and dtype.itemsize > 2 and kind.kind not in "biu":
                continue  # C leaves open what comes of floats that the type does not have: ports do not ask for it
            for array, stride in ((given, kind.itemsize), (given[:1], 0)):
                wanted = np.repeat(array, 9 if stride == 0 else 1).astype(dtype)
                made = np.empty_like(wanted)
                library.cast(DTYPES.index(kind), to, address(array), stride, address(made), len(made))
                assert made.tobytes() == wanted.tobytes(), dtype


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_choices(library: ctypes.CDLL, width: int) -> None:
    rng = np.random.default_rng(width)
    holds = rng.integers(0, 2, 1000).astype(bool)
    one, other = (rng.integers(0, 200, 1000).astype(f"u{width}") for _ in range(2))
    for a, b in itertools.product((0, width), repeat=2):
        made = np.zeros_like(one)
        library.choose(address(holds), address(one), address(other), a, b, address(made), len(made), width)
        assert (made == np.where(holds, one if a else one[0], other if b else other[0])).all()


def test_every_element_is_one_of_numpys() -> None:
    assert [dtype.name for dtype in DTYPES] == list(ELEMENTS)
