"""Devices and launches without end: memory, file descriptors and addresses of the process have to stay flat.

python -m tests.soak --devices 200 --launches 2000
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mlusim.simulator import Device, KernelError, Program, launch, load

from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "aliases.mlu"


@dataclass(frozen=True)
class Use:
    """What a process has of its host."""

    resident: int  # bytes
    addresses: int  # bytes
    descriptors: int
    children: int

    @classmethod
    def now(cls) -> Use:
        pages = [int(number) for number in Path("/proc/self/statm").read_text().split()[:2]]
        page = os.sysconf("SC_PAGE_SIZE")
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        return cls(pages[1] * page, pages[0] * page, len(os.listdir("/proc/self/fd")), len(children))

    def __str__(self) -> str:
        return (
            f"{self.resident / 2**20:.1f} MiB resident, {self.addresses / 2**20:.1f} MiB of addresses, "
            f"{self.descriptors} descriptors, {self.children} children"
        )


def fill(mlu, x, n):
    tile = mlu.nram("float", 4 * n)
    mlu.__bang_write_value(tile, 4 * n, 2.0)
    mlu.__sync_compute()
    if mlu.taskId == 0:
        mlu.__memcpy(x, tile, 4 * n, mlu.NRAM2GDRAM)


def work(device: Device, program: Program, number: int) -> None:
    """A launch of each kind: in C and in Python, well and badly."""
    x, held = np.full(2000, number, np.float32), device.array(np.full(2000, 5, np.float32))
    launch(fill, (32, 1, 1), args=[x, 2000], device=device)
    assert set(x) == {2}
    program.launch("twice", args=[x, held, 2000], isolate=number % 2 == 0)
    assert set(x) == {10}
    for act in (
        lambda: program.launch("ends", args=[x, 1]),
        lambda: launch(lambda mlu, x: x[2000], args=[x], device=device),
    ):
        try:
            act()
        except KernelError:
            continue
        raise AssertionError("an access out of bounds went through")
    assert set(x) == {10}


def devices(count: int) -> Iterator[Use]:
    """Make, use and drop devices, without asking for a collection of garbage; yields the use after each."""
    for number in range(count):
        device = Device.load("bm1690" if number % 10 == 9 else "mlu370-x4")
        if device.isa == "bang":
            work(device, load([SOURCE], device=device), number)
        else:
            x = np.zeros(64, np.float32)
            launch(copies, args=[x], device=device)
        del device
        yield Use.now()


def copies(tpu, x):
    tpu.tpu_gdma_cpy_S2L(0, x, (1, 64, 1, 1), None, None, tpu.DT_FP32)
    tpu.tpu_poll()


def launches(count: int) -> Iterator[Use]:
    """Launch on one device; yields the use after each turn."""
    device = Device.load("mlu370-x4")
    program = load([SOURCE], device=device)
    for number in range(count // 5):
        work(device, program, number)
        yield Use.now()


def growth(uses: list[Use]) -> str:
    """What has grown between the second quarter and the last one, empty if nothing has."""
    quarter = len(uses) // 4
    before, after = uses[quarter : 2 * quarter], uses[-quarter:]
    found = []
    for name, allowed in (("resident", 4 << 20), ("addresses", 512 << 20), ("descriptors", 0), ("children", 0)):
        first, last = (max(getattr(use, name) for use in part) for part in (before, after))
        if last > first + allowed:
            found.append(f"{name} from {first} to {last}")
    return "; ".join(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--devices", type=int, default=200)
    parser.add_argument("--launches", type=int, default=2000)
    given = parser.parse_args()
    grown = False
    for name, uses in (("devices", devices(given.devices)), ("launches", launches(given.launches))):
        found = list(uses)
        sys.stdout.write(f"{name}: first {found[0]}\n{name}: last {found[-1]}\n")
        if text := growth(found):
            sys.stdout.write(f"{name}: grew: {text}\n")
            grown = True
    return int(grown)


if __name__ == "__main__":
    sys.exit(main())
