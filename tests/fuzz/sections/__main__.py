"""The command: `python -m tests.fuzz.sections [--seconds N] [--seed S]`."""

from __future__ import annotations

import argparse
import itertools
import time

from .execute import Executor


def main() -> int:
    """Try programs until the time is over; 0 when all agree."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.sections", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, metavar="N", help="how long (default: 60)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the first program (default: 0)")
    options = parser.parse_args()
    executor, end = Executor(), time.monotonic() + options.seconds
    tried = broken = different = 0
    for seed in itertools.count(options.seed):
        if time.monotonic() > end or different >= 5:
            break
        texts, conflict = executor.differences(seed)
        tried, broken, different = tried + 1, broken + conflict, different + bool(texts)
        for text in texts:
            print(f"seed {seed}: {text}", flush=True)
    print(f"{tried} programs, {broken} of them with a conflict; {different} differences")
    return different > 0


if __name__ == "__main__":
    raise SystemExit(main())
