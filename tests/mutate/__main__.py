"""The command: `python -m tests.mutate [--sample N --seed S]`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase

from .mutants import every, sample
from .trial import ROOT, Verdict, trials

#: Not those of the docs: docs/isa is made from the declarations, so that it notices every change and knows no fact.
ROOMS = ("chip", "log", "core", "timing", "checks", "kernelc", "engines", "launches")
TESTS = ("tests/isa", *(f"tests/{room}" for room in ROOMS))
#: Survivors that are tolerated, in percent.
TOLERANCE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Try the mutants and list the survivors; 0 when there are few enough of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutate", description="Falsify declared facts one at a time.")
    parser.add_argument("--sample", type=int, metavar="N", help="try N mutants drawn by chance, not all")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the sample (default: 0)")
    parser.add_argument(
        "--only", default="*", metavar="PATTERN", help="mutants whose text matches, such as '__bang_add *'"
    )
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    parser.add_argument("--verbose", action="store_true", help="print every mutant and the test that killed it")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at a time (default: 2)")
    parser.add_argument("--limit", type=int, default=60, metavar="S", help="seconds a test may take (default: 60)")
    parser.add_argument("--tests", nargs="+", default=TESTS, metavar="PATH", help="default: %(default)s")
    options = parser.parse_args(argv)
    mutants = [mutant for mutant in every(only=options.only) if fnmatchcase(str(mutant), options.only)]
    if options.sample is not None:
        mutants = sample(mutants, options.sample, options.seed)
    if options.list:
        print(*mutants, sep="\n")
        return 0
    if not mutants:
        parser.error(f"no mutant matches {options.only!r}")
    verdicts = []
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutate-") as scratch:
        os.chdir(ROOT)
        # In a process of its own: this one must not import the simulator before a mutant is there.
        subprocess.run([sys.executable, "-m", "tests.support.caches", f"{scratch}/cache"], check=True)
        os.environ.update(MLUSIM_CACHE=f"{scratch}/cache", PYTEST_DEBUG_TEMPROOT=scratch)
        for verdict in trials(mutants, options.tests, options.jobs, options.limit):
            if verdict.mutant is None and verdict.killer:
                print(f"the tests fail without any mutant: {verdict.killer}")
                return 2
            if verdict.mutant is not None:
                verdicts.append(verdict)
                report(verdict, options.verbose)
    return close(verdicts, time.monotonic() - start)


def report(verdict: Verdict, verbose: bool) -> None:
    """One line for a survivor; for the others if asked."""
    if not verdict.killer:
        print(f"survived  {verdict.mutant}", flush=True)
    elif verbose:
        print(f"killed    {verdict.mutant}  [{verdict.seconds:.1f} s, {verdict.killer}]", flush=True)


def close(verdicts: Sequence[Verdict], seconds: float) -> int:
    """The last lines, and the exit code."""
    killed = sum(bool(verdict.killer) for verdict in verdicts)
    print(f"{seconds:.0f} s, {seconds / len(verdicts):.2f} s a mutant")
    print(f"{killed} of {len(verdicts)} mutants killed")
    return int(100 * (len(verdicts) - killed) > TOLERANCE * len(verdicts))


if __name__ == "__main__":
    sys.exit(main())
