"""The runtime of host programs under sanitizers of memory and of undefined behaviour, on the programs of tests/host.

python -m tests.sanitized
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from mlusim.simulator import Device
from mlusim.simulator.frontend.options import Options
from mlusim.simulator.host.program import build_program, run_program

PROGRAMS = Path(__file__).parent / "host" / "programs"
FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer", "-O1")
#: Faults of device memory are the runtime's to answer, and a host without memory is one of the things to try.
OPTIONS = {"ASAN_OPTIONS": "handle_segv=0:allocator_may_return_null=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
#: Exit codes of the sanitizers: of those none may come out.
EXITS = {1, 23}


def ways(source: Path) -> list[str]:
    """The ways to run a program: what its main compares its first word with."""
    text = source.read_text(encoding="utf-8")
    named = re.findall(r'\{"(\w+)", \1\}', text) or ["", *re.findall(r'strcmp\(way, "(\w+)"\)', text)]
    return [name for name in named if name != "touched"]  # which ends by a fault, as it has to


def main() -> int:
    """The number of runs in which a sanitizer had something to say."""
    os.environ |= OPTIONS
    device = Device.load("mlu370-x4")
    bad = 0
    for names in (["errors.cpp", "errors_library.cpp"], ["ordered.cpp"], ["scenarios.mlu"]):
        sources = [PROGRAMS / name for name in [*names, "kernels.mlu"]]
        program = build_program(sources, Options.of([], [], [], None), device, FLAGS)
        for way in ways(sources[0]):
            code, _ = run_program(program, [way], [device, device] if way == "devices" else [device])
            bad += code in EXITS or code < 0
            print(f"{names[0]} {way}: {code}", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
