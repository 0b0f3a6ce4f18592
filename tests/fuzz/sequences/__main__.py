"""The command: `python -m tests.fuzz.sequences [--seconds N] [--seed S] [--device D]`."""

from __future__ import annotations

import argparse
import random
import time

from .compare import differences
from .execute import Executor
from .program import draw


def main() -> int:
    """Try programs until the time is over; 0 when all agree."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.sequences", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, metavar="N", help="how long (default: 60)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the first program (default: 0)")
    parser.add_argument("--count", type=int, default=1 << 60, metavar="N", help="programs at most")
    parser.add_argument("--device", default="mlu370-x4", metavar="D", help="default: mlu370-x4")
    options = parser.parse_args()
    executor, end = Executor(options.device), time.monotonic() + options.seconds
    tried = broken = different = 0
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > end or different >= 5:
            break
        rng = random.Random(seed)
        program = draw(rng, executor.grain)
        found = differences(executor, program, seed)
        tried += 1
        broken += found.broken
        for text in found.texts:
            different += 1
            print(f"seed {seed}: {text}")
    print(f"{tried} programs, {broken} of them with an error; {different} differences")
    return different > 0


if __name__ == "__main__":
    raise SystemExit(main())
