"""The command: `python -m tests.fuzz.ports [--seconds N] [--seed S] [--device D] [--every K]`."""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from mlusim.simulator import Device
from mlusim.simulator.core.issue import NativePort
from mlusim.simulator.core.machine import Machine

from .compare import FINDINGS, LAUNCHES, Both
from .draw import draw
from .source import BANG, callable_overloads


def _is_native(machine: Machine, number: int) -> bool:
    return any(isinstance(port, NativePort) for port in machine.native_ports(number).values())


def main() -> int:
    """Try tables until the time is over; 0 when both ports did the same."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.ports", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, metavar="N", help="how long after the build (60)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the first table (default: 0)")
    parser.add_argument("--count", type=int, default=1 << 60, metavar="N", help="tables at most")
    parser.add_argument("--device", default="mlu370-x4", metavar="D", help="default: mlu370-x4")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="one of K overloads (default: all)")
    options = parser.parse_args()
    device = Device.load(options.device)
    found = callable_overloads(device.shape.arch)
    overloads = [o for number, o in enumerate(found) if number % options.every == 0 or o.name == "__memcpy"]
    numbers = {overload: number for number, overload in enumerate(BANG.overloads)}
    native = [n for n, o in enumerate(overloads) if _is_native(device.machine, numbers[o])]
    tried = different = 0
    with tempfile.TemporaryDirectory() as folder:
        both = Both(device, overloads, Path(folder))
        end = time.monotonic() + options.seconds
        for seed in range(options.seed, options.seed + options.count):
            if time.monotonic() > end or different >= 5:
                break
            rng = random.Random(seed)
            table = draw(rng, overloads, rng.randint(2, 80), native)
            found = both.differences(table, rng.choice(LAUNCHES), rng.choice(FINDINGS), seed)
            tried += 1
            different += bool(found)
            for difference in found:
                print(f"seed {seed}: {difference}")
    print(f"{tried} tables of {len(overloads)} overloads, {len(native)} with native ports; {different} differ")
    return different > 0


if __name__ == "__main__":
    raise SystemExit(main())
