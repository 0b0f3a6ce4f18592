"""What a second core of the host gives where launches are dealt to two processes, as `cases --workers 2` does."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

import numpy as np
from mlusim.kernels.tpu import softmax
from mlusim.simulator import Device

from .measure import CORES, Figure, best, device, program

_ELEMENTS = 1 << 24
_ROWS = 4096
_ROUNDS = 5


def _add() -> Callable[[], object]:
    x, out = np.ones(_ELEMENTS, np.float32), device().array(np.zeros(_ELEMENTS, np.float32))
    x = device().array(x)
    return lambda: program("add").launch("add", (CORES, 1, 1), args=[out, x, x, _ELEMENTS])


def _softmax() -> Callable[[], object]:
    chip = Device.load("bm1690")
    rows = chip.array(np.random.default_rng(0).random((_ROWS, _ROWS), np.float32))
    return lambda: softmax(chip, rows)


def _numpy() -> Callable[[], object]:
    x, out = np.ones(_ELEMENTS, np.float32), np.zeros(_ELEMENTS, np.float32)
    return lambda: np.add(x, x, out=out)


_WORKS = {"add of 2^24 floats": _add, "softmax of 4096 x 4096": _softmax, "np.add of 2^24 floats": _numpy}


def cores() -> Iterator[Figure]:
    """Two launches in one process, beside one in each of two; NumPy shows what the memory of the host gives."""
    context = multiprocessing.get_context("spawn")
    for name, work in _WORKS.items():
        ends = [context.Pipe() for _ in range(2)]
        processes = [context.Process(target=_serve, args=(theirs, work), daemon=True) for _, theirs in ends]
        for process in processes:
            process.start()
        first, second = (ours for ours, _ in ends)
        first.recv(), second.recv()
        one, two = best(lambda: _do([first], 2), lambda: _do([first, second], 1), rounds=_ROUNDS)  # noqa: B023
        for ours in (first, second):
            ours.send(0)
        for process in processes:
            process.join()
        yield Figure(f"two cores of the host, {name}", two / one, "x the time on one", None if work is _numpy else 0.59)


def _do(ends: list[Connection], times: int) -> None:
    for end in ends:
        end.send(times)
    for end in ends:
        end.recv()


def _serve(end: Connection, work: Callable[[], Callable[[], object]]) -> None:
    launch = work()
    launch()
    end.send(0)
    while times := end.recv():
        for _ in range(times):
            launch()
        end.send(0)
