"""The command: `python -m tests.fuzz.cxx [--seconds N] [--seed S]`."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from mlusim.simulator import Device

from .compare import differences


def main() -> int:
    """Try sources until the time is over; 0 when all agree."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.cxx", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, metavar="N", help="how long (default: 60)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the first source (default: 0)")
    options = parser.parse_args()
    device, end = Device.load("mlu370-x4"), time.monotonic() + options.seconds
    seed, different = options.seed, 0
    while time.monotonic() < end and different < 5:
        with tempfile.TemporaryDirectory() as folder:
            for text in differences(seed, Path(folder), device):
                different += 1
                print(f"seed {seed}: {text}", flush=True)
        seed += 1
    print(f"{seed - options.seed} sources of 8 kernels; {different} differences")
    return different > 0


if __name__ == "__main__":
    raise SystemExit(main())
