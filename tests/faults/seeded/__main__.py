"""``python -m tests.faults.seeded --seed N --count M``: the detection of faults, measured on a fresh sample."""

from __future__ import annotations

import argparse
import random
import tempfile
from dataclasses import replace
from pathlib import Path

from .measure import Table, breaking, sample, with_a_fault
from .subjects import ours


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.seeded", description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="what the faults are drawn by")
    parser.add_argument("--count", type=int, default=200, help="how many faults that change a result or make a hazard")
    parser.add_argument("--kernel", help="of this kernel alone")
    parser.add_argument("--language", choices=("mlu", "c", "cu"), default="mlu", help="BANG C, TPU-KERNEL, CUDA")
    parser.add_argument("--device", help="of kernels that break a rule of this device as they are")
    parser.add_argument("--second", action="store_true", help="of kernels that break a rule by a fault before")
    parser.add_argument("--verbose", action="store_true", help="print each fault with its findings")
    options = parser.parse_args()
    subjects = [s for s in ours(options.language) if options.kernel in (None, s.name)]
    flawed = bool(options.device or options.second)
    if options.device:
        subjects = [replace(subject, device=options.device) for subject in subjects]
    if options.second:
        subjects = list(with_a_fault(subjects, random.Random(options.seed)))
    verdicts = []
    with tempfile.TemporaryDirectory() as work:
        if flawed:
            subjects = list(breaking(subjects, Path(work)))
            print(f"{len(subjects)} kernels with an error of their own")
        for verdict in sample(subjects, options.seed, options.count, Path(work), flawed):
            verdicts.append(verdict)
            if options.verbose:
                said = "; ".join(f"{f.severity} {f.rule}@{f.location.line}" for f in verdict.findings[:6])
                hazard = " (hazard)" * verdict.hazard
                trail = {None: "", True: f" named: {verdict.trail}", False: f" NOT NAMED: {verdict.trail}"}[
                    verdict.named
                ]
                print(
                    f"{verdict.subject}: {verdict.mutant}{hazard}: {said or 'MISSED'} [{len(verdict.findings)}]{trail}",
                    flush=True,
                )
    print(Table(verdicts))


if __name__ == "__main__":
    main()
