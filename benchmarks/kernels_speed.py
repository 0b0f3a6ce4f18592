"""Whole launches beside the NumPy calls that they come down to."""

from __future__ import annotations

import functools
import multiprocessing
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from mlusim.kernels.logspace import logspace
from mlusim.simulator.engines.tasks import runner
from mlusim.traces import write_trace

from .bare import bare_calls, run
from .measure import CORES, ELEMENTS, Figure, best, device, program

_TILE = 16384
_FEW = 10_000
_SCALARS = 4096
_PROCESSES, _BASES = 6, (10.0, -2.0)


def logspaces() -> Iterator[Figure]:
    """logspace of 2^22 floats on 32 cores, into an array that stays on the device.

    It is the best of several processes, each with a worker of its own: on some processors NumPy's `exp2` takes three
    times as long in some processes as in others.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as others:
        found = np.min([*others.map(_logspace_seconds, [_BASES] * _PROCESSES)], axis=0)
    for base, (kernel, copied, bare) in zip(_BASES, found, strict=True):
        yield Figure(f"logspace, base {base:g}", kernel / bare, "x bare NumPy", 1.2)
        yield Figure(f"logspace, base {base:g}: result to a host array", copied / bare, "x bare NumPy")
        yield Figure(f"logspace, base {base:g}: time", kernel * 1e3, "ms")


def _logspace_seconds(bases: tuple[float, ...]) -> list[list[float]]:
    """Of each base the kernel, with its result on the device and copied to the host, and the NumPy calls alone."""
    chip, found = device(), []
    out = chip.array(np.zeros(ELEMENTS, np.float32))
    for base in bases:
        calls = bare_calls(logspace(chip, 0, 10, ELEMENTS, base, out=out).log)
        kernel = functools.partial(logspace, chip, 0, 10, ELEMENTS, base, out=out)
        copied = functools.partial(logspace, chip, 0, 10, ELEMENTS, base)
        found.append(best(kernel, copied, functools.partial(run, calls), rounds=10))
    return found


def adds() -> Iterator[Figure]:
    """Load, add and store of 2^22 floats in tiles of 16K, from and to host arrays."""
    a, b = (np.random.default_rng(seed).random(ELEMENTS, np.float32) for seed in (1, 2))
    out, bare_out = np.zeros_like(a), np.zeros_like(a)
    a.flags.writeable = b.flags.writeable = False  # inputs: nothing to copy back

    def launch() -> None:
        program("add").launch("add", (CORES, 1, 1), args=[out, a, b, ELEMENTS])

    def traced(path: Path) -> None:
        write_trace(program("add").launch("add", (CORES, 1, 1), args=[out, a, b, ELEMENTS]).timeline, path)

    def bare() -> None:
        for at in range(0, ELEMENTS, _TILE):
            np.add(a[at : at + _TILE], b[at : at + _TILE], out=bare_out[at : at + _TILE])

    with tempfile.TemporaryDirectory() as folder:
        kernel, with_trace, numpy = best(launch, functools.partial(traced, Path(folder) / "add.json"), bare)
    if not np.array_equal(out, bare_out):
        raise ArithmeticError("the add kernel gives other numbers than NumPy")
    yield Figure("add 2^22 floats", kernel / numpy, "x bare NumPy", 10)
    yield Figure("add 2^22 floats: time", kernel * 1e3, "ms")
    yield Figure("add 2^22 floats, with timing and trace", with_trace / numpy, "x bare NumPy")
    yield Figure("add 2^22 floats, with timing and trace: time", with_trace * 1e3, "ms")
    there = [device().array(array) for array in (out, a, b)]
    of_device = functools.partial(program("add").launch, "add", (CORES, 1, 1), args=[*there, ELEMENTS])
    calls = bare_calls(of_device().log)
    kernel, numpy = best(of_device, functools.partial(run, calls), rounds=30)
    yield Figure("add 2^22 floats on the device", kernel / numpy, "x NumPy with its copies", 1.3)
    yield Figure("add 2^22 floats on the device: time", kernel * 1e3, "ms")


def instructions() -> Iterator[Figure]:
    """Additions of 64 floats: what an instruction costs, checks and log included, and that the cost stays the same."""
    a, b, c = np.ones(64, np.float32), np.ones(64, np.float32), np.ones(64, np.float32)

    def kernel(count: int, times: int = 1, name: str = "short_adds") -> None:
        for _ in range(times):
            program().launch(name, args=[count], isolate=False)

    def in_python() -> None:
        runner.NATIVE_PORTS = False
        try:
            kernel(_FEW)
        finally:
            runner.NATIVE_PORTS = True

    def bare() -> None:
        for _ in range(_FEW):
            np.add(a, b, out=c)

    few, slow, numpy = (seconds / _FEW * 1e6 for seconds in best(lambda: kernel(_FEW), in_python, bare, rounds=50))
    yield Figure("add of 64 floats, natively", few, "us an instruction", 0.15)
    yield Figure("add of 64 floats, by a port in Python", slow, "us an instruction", 3)
    yield Figure("add of 64 floats, beside NumPy", few / numpy, "x np.add")
    whole, padded = best(lambda: kernel(_FEW), lambda: kernel(_FEW, name="padded_adds"), rounds=20)
    yield Figure("add of 64 floats, of which 16 are loaded", padded / whole, "x one of which all are", 2)
    for count, rounds in ((100_000, 4), (1_000_000, 2)):  # as much work on either side, so that noise hits both alike
        times = count // _FEW
        once, often = best(functools.partial(kernel, count), functools.partial(kernel, _FEW, times), rounds=rounds)
        yield Figure(f"one launch of {count:,} instructions, beside {times} of {_FEW:,}", once / often, "x", 1.25)


def scalars() -> Iterator[Figure]:
    """Scalar code: a convolution of 10^7 accesses to GDRAM, accesses to each kind of memory, and what it computes."""
    n, k = 443, 5
    rng = np.random.default_rng(1)
    image, weight = rng.random((n + k - 1, n + k - 1), np.float32), rng.random((k, k), np.float32)
    out = np.zeros((n, n), np.float32)
    accesses = n * n * (2 * k * k + 1)

    def convolve() -> None:
        program().launch("convolve", (1, 1, 1), args=[out, image, weight, n, k]).time_us  # noqa: B018

    (seconds,) = best(convolve, rounds=3)
    yield Figure(f"scalar convolution of {accesses:,} accesses to GDRAM", seconds, "s", 3)
    array, passes = np.zeros(_SCALARS, np.float32), 100
    for space, name in enumerate(("NRAM", "SRAM", "LDRAM", "GDRAM")):
        walk = functools.partial(program().launch, "walk", (4, 1, 1), "union1", args=[array, space, passes])
        (seconds,) = best(walk, rounds=3)
        yield Figure(f"scalar access to {name}", seconds * 1e6 / (2 * _SCALARS * passes), "us", 0.15)
    size = 128
    arrays = [device().array(np.zeros((size, size), np.float32)) for _ in range(3)]
    for kernel, where in (("scalar_product", ""), ("scalar_product_nram", ", on NRAM")):
        product = functools.partial(program().launch, kernel, args=[*arrays, size], isolate=False)
        (seconds,) = best(product, rounds=5)
        yield Figure(
            f"an iteration of scalar code: 4 accesses, 6 operations{where}", seconds / size**3 * 1e9, "ns", 300
        )


def atomics() -> Figure:
    """Atomic sums of tiles."""
    tile, sums, count = np.ones(1000, np.float32), np.zeros(1000, np.float32), 5000
    add = functools.partial(program().launch, "atomic_sums", args=[sums, tile, count], isolate=False)
    (seconds,) = best(add, rounds=5)
    return Figure("1000 floats scaled and added atomically", seconds / count * 1e6, "us")


def segments() -> Iterator[Figure]:
    """Strided copies of many short segments: they cost by the copy, not by the segment."""
    data, count = np.zeros(512 * 4, np.float32), 500
    source, rows = data.reshape(512, 4), np.zeros((512, 8), np.float32)
    data.flags.writeable = False

    def bare() -> None:
        for _ in range(count):
            rows[:, :4] = source

    def copies(number: int) -> None:
        program().launch("segments", args=[data, count, number], isolate=False)

    few, many, numpy = (
        seconds / count * 1e6
        for seconds in best(functools.partial(copies, 2), functools.partial(copies, 512), bare, rounds=20)
    )
    yield atomics()
    yield Figure("copy of 2 segments", few, "us")
    yield Figure("copy of 512 segments", many, "us")
    yield Figure("copy of 512 segments, above one of 2, beside NumPy", (many - few) / numpy, "x a strided assignment")
