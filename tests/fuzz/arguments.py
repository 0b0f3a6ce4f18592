"""Random arguments of the Python API: each call gives a result, a finding, or one of the documented errors."""

from __future__ import annotations

import asyncio
import ctypes
import decimal
import fractions
import functools
import inspect
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from mlusim.kernels import OPERATORS
from mlusim.simulator import Device, KernelError, launch, load, replay
from mlusim.simulator.findings import BuildError

from tests.support.paths import KERNELS_C

from .search import Tally, command

SOURCE = KERNELS_C / "arguments.mlu"
ALLOWED = (TypeError, ValueError, OverflowError, MemoryError, KernelError, BuildError)


class Silent:
    """A value of an unknown type, whose text is no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Frame:
    """Like a table of a data library: it becomes an array when asked to."""

    dtype = "float32"

    def __array__(self, *args: Any, **options: Any) -> np.ndarray:
        return np.ones(4, np.float32)


def values(device: Device) -> list[Any]:
    """Whatever may be passed."""
    floats = np.ones(64, np.float32)
    frozen = np.ones(64, np.float32)
    frozen.flags.writeable = False
    numbers: list[Any] = [
        0, 1, -1, 4, 64, 255, 256, 70000, 1 << 15, 1 << 31, (1 << 31) - 1, 1 << 32, 1 << 63, 1 << 64, -(1 << 63),
        10**400, True, False, 0.0, -0.0, 0.5, 1.0, 65519.0, 70000.0, 1e39, 1e300, -1e39, 1e-9, 1e-300, float("nan"),
        float("inf"), float("-inf"), 1j, fractions.Fraction(1, 2), decimal.Decimal(3), ctypes.c_int(3),
    ]  # fmt: skip
    numpy_numbers: list[Any] = [kind(3) for kind in (
        np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32,
        np.float64, np.longdouble, np.complex64, np.bool_, ml_dtypes.bfloat16,
    )]  # fmt: skip
    arrays: list[Any] = [
        floats, frozen, floats[::2], floats[::-1], floats.reshape(8, 8).T, floats[:0], np.float32(1).reshape(()),
        np.broadcast_to(np.float32(1), (64,)), np.ones(64, np.float64), np.ones(64, np.float16),
        np.ones(64, np.int32), np.ones(64, ml_dtypes.bfloat16), np.ones(64, ">f4"), np.ones(64, np.longdouble),
        np.ones(64, np.complex64), np.array(["a", "bc"]), np.array([b"a"]), np.array([None, 1]),
        np.array([{}], object), np.zeros(3, "M8[s]"), np.zeros(3, "m8[s]"), np.zeros(4, "V2"), np.zeros(4, "V0"),
        np.zeros(2, "S0"), np.zeros(3, [("a", "f4"), ("b", "i4")]), np.zeros(3, [("a", "O")]),
        np.ma.masked_array(floats, floats > 0), floats.view(np.matrix), np.recarray((2,), [("a", "f4")]),
        np.zeros((0, 5), np.float32), np.zeros((2,) * 20, np.int8), device.array(floats), device.array(np.zeros(0)),
        Frame(),
    ]  # fmt: skip
    others: list[Any] = [
        None, "", "1", "add",
        "\x1b[2J", "x\0y", b"", b"12345678", bytearray(8), memoryview(b"12345678"), [], (), {}, set(), [1], (1, 2),
        (1, 1, 1), [4, 1, 1], "444", "4,1,1", (4, 1), (4, 1, 1, 1), (0, 1, 1), (1.0, 1, 1), (1.5, 1, 1), ("4", 1, 1),
        (np.int32(4), 1, 1), (True, 1, 1), (1 << 31, 1, 1), (1 << 16, 1 << 16, 1), (-1, -1, 1), (None,) * 3,
        np.array([2, 1, 1]), np.array([2.0, 1, 1]), range(3), iter([1]), object(), Silent(), int, print,
        lambda *_: None, device, device.shape, np.datetime64(1, "s"), np.timedelta64(1, "s"), np.dtype("f4"),
        Path("none.mlu"), type(device), Ellipsis, NotImplemented,
    ]  # fmt: skip
    return [*numbers, *numpy_numbers, *arrays, *others]


def plain(mlu: Any, *arguments: Any) -> None:
    """A kernel that looks at nothing."""


def generator(mlu: Any, *arguments: Any) -> Any:
    """A kernel that runs nothing."""
    yield mlu


async def coroutine(mlu: Any, *arguments: Any) -> None:
    """Another one."""
    await asyncio.sleep(0)


def instructions(mlu: Any, value: Any, other: Any) -> None:
    """A kernel that passes values to instructions of all forms."""
    tile = mlu.nram("float", 64)
    for action in (
        lambda: mlu.nram(value, other),
        lambda: mlu.__bang_write_value(tile, value, other),
        lambda: mlu.__bang_write_value(tile, 64, value),
        lambda: mlu.__memcpy(tile, value, other, mlu.GDRAM2NRAM),
        lambda: mlu.__memcpy(tile, tile, 4, value),
        lambda: mlu.__bang_add(tile, tile, tile, value),
        lambda: mlu.__bang_transpose(tile, tile, value, other),
        lambda: tile + value,
        lambda: tile[value],
        lambda: tile.__setitem__(0, value),
        lambda: tile.cast(value),
        lambda: mlu.__sync_cluster(value),
    ):
        try:
            action()
        except ALLOWED:
            continue


def tensors(tpu: Any, value: Any, other: Any) -> None:
    """The same of an instruction set with tensors."""
    for shape in (value, (1, value, 1, 16), (value, other, 1, 1)):
        for action in (
            lambda shape=shape: tpu.tpu_gdma_cpy_S2L(0, other, shape, None, None, tpu.DT_FP32),
            lambda shape=shape: tpu.tpu_bdc_fp_add(value, 0, 0, shape, None, None, None, tpu.DT_FP32),
            lambda shape=shape: tpu.tpu_bdc_fp_add(0, 0, 0, (1, 1, 1, 1), shape, None, None, value),
        ):
            try:
                action()
            except ALLOWED:
                continue


class Pick:
    """Gives values by chance."""

    def __init__(self, pool: list[Any], seed: int) -> None:
        self.pool, self.rng = pool, random.Random(seed)

    def operator(self, device: Device, tpu: Device) -> Any:
        """A call of an operator with some arguments that it expects, and some that it does not."""
        name, function = self.rng.choice(list(OPERATORS.items()))
        expected = {
            "device": device if name == "logspace" else tpu, "start": 0, "end": 1, "steps": 4, "k": 1,
            "indices": np.zeros(2, np.int32), "index": np.zeros(2, np.int32),
        }  # fmt: skip
        given = [expected.get(name, np.ones((2, 2), np.float32)) for name in inspect.signature(function).parameters]
        named = dict(zip(inspect.signature(function).parameters, given, strict=True))
        named.pop("on_finding")
        for name in self.rng.sample(list(named), self.rng.choice((1, 1, 2))):
            value = self()
            # Billions of steps are legal, and take their time.
            named[name] = 4 if name == "steps" and isinstance(value, int) and value > 70000 else value
        return function(**named)

    def __call__(self) -> Any:
        return self.rng.choice(self.pool)


def calls(program: Any, device: Device, tpu: Device, pick: Pick) -> list[tuple[str, Callable[[], object]]]:
    """Calls of the API with whatever ``pick`` gives."""
    given = [pick() for _ in range(9)]
    args = {
        "scalars": [np.zeros(9), *given],
        "structure": [np.zeros(2), pick()],
        "bytes": [np.zeros(1, np.uint64), pick()],
    }
    name = pick.rng.choice(list(args))
    few = [1] * 9
    few[pick.rng.randrange(9)] = pick()
    method, partial = plain.__get__(1), functools.partial(generator)
    kernel = pick.rng.choice([plain, generator, coroutine, functools.partial(plain, 1), partial, method, pick()])

    def increment(*dim: Any, **options: Any) -> Any:
        return program.launch("increment", *dim, args=[np.zeros(64, np.float32), 1], **options)

    return [
        ("scalars", lambda: program.launch("scalars", args=[np.zeros(9), *few])),
        (name, lambda: program.launch(name, args=args[name], on_finding="collect")),
        (
            "dim",
            lambda: check_tasks(increment(pick(), time_limit=3)),
        ),
        (
            "options",
            lambda: increment(type=pick(), on_finding=pick()),
        ),
        ("limit", lambda: increment(time_limit=pick())),
        ("progress", lambda: increment(progress=pick())),
        ("kernel", lambda: program.launch(pick(), args=pick())),
        ("array", lambda: program.launch("increment", args=[pick(), 4], on_finding="collect")),
        ("load", lambda: load(pick(), device=device)),
        ("load include", lambda: load([SOURCE], pick(), device=device)),
        ("load device", lambda: load([SOURCE], device=pick())),
        ("device", lambda: Device.load(pick())),
        ("watched", lambda: device.watched(pick())),
        ("replace", lambda: device.replace({"channels.dram.gb_per_s": pick()})),
        ("replace shape", lambda: device.replace({"shape.clusters": pick()})),
        ("replace all", lambda: device.rates.replace(pick())),
        ("kind", lambda: device.rates.kind(pick())),
        ("device array", lambda: device.array(pick()).numpy()),
        ("replay", lambda: replay(pick(), device.rates)),
        ("replay rates", lambda: replay(launch(plain, device=device).log, pick())),
        ("python", lambda: launch(kernel, args=pick(), device=device)),
        ("python dim", lambda: check_tasks(launch(plain, pick(), args=[], device=device))),
        ("python device", lambda: launch(plain, device=pick())),
        ("operator", lambda: pick.operator(device, tpu)),
        ("instructions", lambda: launch(instructions, args=[pick(), pick()], device=device, on_finding="collect")),
        ("tensors", lambda: launch(tensors, args=[pick(), pick()], device=tpu, on_finding="collect")),
    ]


def check_tasks(run: Any) -> None:
    """A launch that went through had dimensions that are whole numbers."""
    assert all(type(n) is int and n >= 1 for n in run.log.launch["dim"])


def run(count: int, seed: int) -> Tally:
    """Try so many calls."""
    device, tpu, tally = Device.load("mlu370-x4"), Device.load("bm1684x"), Tally()
    program = load([SOURCE], device=device)
    pick = Pick(values(device), seed)
    number = 0
    while number < count:
        for what, action in calls(program, device, tpu, pick):
            tally.attempt(f"{what}, call {number} of seed {seed}", ALLOWED, action)
            number += 1
    return tally


if __name__ == "__main__":
    sys.exit(command("arguments", 20000, run))
