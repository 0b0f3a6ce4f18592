"""Random launches whose arguments share memory, in C and in Python, against the same moves on NumPy's own views.

python -m tests.fuzz.launches --count 5000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter

import numpy as np
from mlusim.simulator import Device, KernelError, Program, launch, load

from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "aliases.mlu"
TYPES = (np.dtype(np.int32), np.dtype(np.int32), np.dtype(np.int16), np.dtype(np.uint8))
BYTES = 192


def view(chance: random.Random, base: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A view of some of 192 bytes, as users make them, and as they do not."""
    start = chance.choice((0, 0, 4, 8, 13, 64))
    count = chance.randrange(4, (BYTES - start) // dtype.itemsize + 1)
    flat = base[start : start + count * dtype.itemsize].view(dtype)
    if chance.random() < 0.6:
        first = chance.randrange(count)
        made = flat[first : chance.randrange(first, count) + 1]
    else:
        made = odd_view(chance, flat)
    made = made[:]
    made.flags.writeable = made.flags.writeable and chance.random() < 0.8
    return made


def odd_view(chance: random.Random, flat: np.ndarray) -> np.ndarray:
    """A view with strides, more often than not."""
    count, size = len(flat), flat.itemsize
    return chance.choice(
        [
            lambda: flat,
            lambda: flat[: count // 4 * 4].reshape(-1, 4),
            lambda: flat[:: chance.choice((2, 3, -1, -2))],
            lambda: flat[1::2][chance.randrange(2) :],
            lambda: flat[: count // 4 * 4].reshape(-1, 4)[:, 1:3],
            lambda: flat[: count // 4 * 4].reshape(-1, 4)[count // 8 :, 1:3],
            lambda: flat[: count // 4 * 4].reshape(-1, 4).T,
            lambda: np.lib.stride_tricks.sliding_window_view(flat, 3),
            lambda: np.lib.stride_tricks.as_strided(flat, (count - 3, 4), (size, size)),
        ]
    )()


class Case:
    """One launch: views of one or two bases, some of them on the device, and moves between them."""

    def __init__(self, chance: random.Random) -> None:
        self.bases = [np.frombuffer(bytearray(chance.randbytes(BYTES)), np.uint8) for _ in range(2)]
        self.views = [view(chance, chance.choice([self.bases[0], *self.bases]), dtype) for dtype in TYPES]
        if chance.random() < 0.3:
            self.views[1] = self.views[0]
        self.resident = [chance.random() < 0.15 for _ in TYPES]
        writable = [i for i in range(4) if self.resident[i] or self.views[i].flags.writeable]
        self.ops = []
        for _ in range(chance.randrange(1, 6) if writable else 0):
            to, source = chance.choice(writable), chance.randrange(4)
            i, j = chance.randrange(self.views[to].size), chance.randrange(self.views[source].size)
            most = min(self.views[to].size - i, self.views[source].size - j)
            self.ops.append((to, source, i, j, chance.randrange(1, most + 1), chance.randrange(-300, 300)))
        self.fails = bool(writable) and chance.random() < 0.1
        if self.fails:
            self.ops.append((writable[0], 0, 1 << 16, 0, 1, 0))

    def expected(self) -> tuple[list[bytes], list[np.ndarray]]:
        """The bases and the arrays of the device after the moves, done one element at a time."""
        bases = [base.copy() for base in self.bases]
        views: list[np.ndarray] = []
        for one, resident in zip(self.views, self.resident, strict=True):
            if resident:
                views.append(one.copy())
                continue
            number = next(i for i, base in enumerate(self.bases) if np.may_share_memory(one, base))
            offset = one.__array_interface__["data"][0] - self.bases[number].__array_interface__["data"][0]
            views.append(np.ndarray(one.shape, one.dtype, bases[number], offset, one.strides))
        for to, source, i, j, count, add in [] if self.fails else self.ops:
            for k in range(count):
                value = int(views[source].flat[j + k]) + add
                views[to].flat[i + k] = np.array(value, np.int64).astype(views[to].dtype)
        return [base.tobytes() for base in bases], [v for v, r in zip(views, self.resident, strict=True) if r]

    def must_work(self) -> bool:
        """Whether no argument could be refused: those that share memory are contiguous or the same."""
        arrays = [v for v, resident in zip(self.views, self.resident, strict=True) if not resident]
        return all(
            (one.flags.c_contiguous and other.flags.c_contiguous) or one is other or not np.shares_memory(one, other)
            for n, one in enumerate(arrays)
            for other in arrays[:n]
        ) and not any(one.flags.writeable and len(set(places(one))) < one.nbytes for one in arrays)

    def run(self, program: Program, in_python: bool) -> str:
        """What came of it; AssertionError where that differs from NumPy."""
        device = program.device
        before = [base.tobytes() for base in self.bases]
        wanted, on_device = self.expected()
        args = [device.array(v) if r else v for v, r in zip(self.views, self.resident, strict=True)]
        try:
            if in_python:
                launch(self.kernel, args=args, device=device)
            else:
                ops = np.array([*self.ops, (0,) * 6], np.int32)
                program.launch("moves", args=[*args, ops, len(self.ops)])
        except ValueError:
            assert not self.must_work()
            assert [base.tobytes() for base in self.bases] == before
            return "refused"
        except KernelError as error:
            assert [self.fails, error.finding.rule] == [True, "bounds"]  # noqa: PT017 - of a search, not of a test
            assert [base.tobytes() for base in self.bases] == before
            return "failed"
        assert not self.fails
        assert [base.tobytes() for base in self.bases] == wanted
        for array, values in zip((a for a, r in zip(args, self.resident, strict=True) if r), on_device, strict=True):
            assert array.numpy().tobytes() == values.tobytes()
        return "right"

    def kernel(self, mlu, *pointers) -> None:
        """The moves as a kernel in Python."""
        for to, source, i, j, count, add in self.ops:
            for k in range(count):
                value = int(pointers[source][j + k]) + add
                pointers[to][i + k] = np.array(value, np.int64).astype(TYPES[to])


def places(array: np.ndarray) -> list[int]:
    """The address of every byte of an array."""
    start = array.__array_interface__["data"][0]
    return [
        start + sum(i * stride for i, stride in zip(index, array.strides, strict=True)) + byte
        for index in np.ndindex(array.shape)
        for byte in range(array.itemsize)
    ]


def search(count: int, seed: int) -> Counter[str]:
    """Run so many cases in C and in Python, and count what came of them."""
    program = load([SOURCE], device=Device.load("mlu370-x4"))
    found: Counter[str] = Counter()
    for number in range(count):
        for in_python in (False, True):
            try:
                found[Case(random.Random(f"{seed}/{number}")).run(program, in_python)] += 1
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, case {number}, {'Python' if in_python else 'C'}") from error
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.stdout.write(f"{dict(search(given.count, given.seed))}\n")
