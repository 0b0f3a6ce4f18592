"""Mutated device files: each is a device that runs and times a kernel, or a ValueError with a sentence.

A memory too small for the arrays is a MemoryError, as it is on any device."""

from __future__ import annotations

import random
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import Device, launch, load
from mlusim.traces import summarise

from tests.support.paths import CHIPS

from .search import Tally, command, mutated

VALUES = (
    "0", "-1", "1", "2", "3", "1e300", "5e-324", "nan", "inf", "-inf", "1099511627776", "18446744073709551616",
    "0x" + "f" * 5000,
    "9" * 5000, "1e999", "true", '"8"', "[8]", "{}", "1979-05-27", "2.5", "65536", "4096", "2147483648", "549755813888",
)  # fmt: skip
TEXTS = (
    '""',
    '"\\u001b]0;x\\u0007"',
    '"\\u202e"',
    '"' + "x" * 100_000 + '"',
    '"bong"',
    '"device"',
    '"core"',
    '"gdram"',
    "7",
)
LINES = (
    "x = 1",
    "[shape.spaces.hbm]",
    "[shape]",
    "[[launch]]",
    'a.b.c = "d"',
    "a = " + "[" * 3000,
    "b = " + "{x=" * 3000,
)


def variant(text: str, rng: random.Random) -> bytes:
    """A device file with something else in it."""
    kind = rng.randrange(8)
    if kind == 0:
        return mutated(text.encode(), rng)
    lines = text.splitlines()
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(lines))
        match kind:
            case 1 | 2 | 3:
                lines[at] = re.sub(r"value = [^,]*", lambda _: f"value = {rng.choice(VALUES)}", lines[at])
            case 4:
                lines[at] = re.sub(r'= "[^"]*"', lambda _: f"= {rng.choice(TEXTS)}", lines[at])
            case 5:
                del lines[at : at + rng.choice((1, 1, 2, 6))]
            case 6:
                lines.insert(at, rng.choice((*LINES, *lines)))
            case _:
                lines[at] = re.sub(r"[a-z_]+", lambda m: m[0][::-1], lines[at], count=rng.choice((0, 1)))
        lines = lines or [""]
    return "\n".join(lines).encode()


def use(path: Path) -> None:
    """Load a device, launch a kernel on it, time and sum up the run, and copy an array."""
    device = Device.load(path)
    data = np.arange(64, dtype=np.float32)
    if device.isa == "cuda":
        source = path.with_name("thread.cu")
        source.write_text("__global__ void thread(float* x) { x[threadIdx.x] += 1; }\n", encoding="utf-8")
        run = load([source], device=device).launch("thread", args=[data.copy()], block=1, on_finding="collect")
    else:
        kernels = {"bang": copy_nram, "tpu": lambda tpu, x: tpu.tpu_poll(), "okk": lambda okk, x: okk.okk_poll()}
        run = launch(kernels[device.isa], args=[data], device=device, on_finding="collect")
    summarise(run.timeline).to_dict()
    if not np.isfinite(run.time_us):
        raise AssertionError(f"the run takes {run.time_us} us")
    if device.array(data).numpy().tolist() != list(range(64)):
        raise AssertionError("an array has changed on its way")
    device.machine.close()


def copy_nram(mlu: Any, x: Any) -> None:
    """There and back."""
    tile = mlu.nram("float", 64)
    mlu.__memcpy(tile, x, 256, mlu.GDRAM2NRAM)
    mlu.__memcpy(x, tile, 256, mlu.NRAM2GDRAM)


def run(count: int, seed: int) -> Tally:
    """Try so many device files."""
    rng, tally = random.Random(seed), Tally()
    texts = [path.read_text(encoding="utf-8") for path in sorted(CHIPS.glob("*.toml"))]
    with tempfile.TemporaryDirectory(prefix="devices-") as folder:
        path = Path(folder) / "mine.toml"
        for number in range(count):
            path.write_bytes(variant(rng.choice(texts), rng))
            tally.attempt(f"device {number} of seed {seed}", (ValueError, MemoryError), lambda: use(path))
    return tally


if __name__ == "__main__":
    sys.exit(command("devices", 2000, run))
