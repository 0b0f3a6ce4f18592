"""C of mlusim's own under sanitizers of memory and of undefined behaviour: the runtime of host programs on the programs
of tests/host; the passes over logs on mutated logs and on random sequences of instructions.

python -m tests.sanitized
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

from mlusim.simulator import Device
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.kernelc.options import Options
from mlusim.simulator.native import library

PROGRAMS = Path(__file__).parent / "host" / "programs"
PARTS = (
    ["errors.cpp", "errors_library.cpp", "errors_further.cpp"], ["ordered.cpp"], ["scenarios.mlu"], ["topologies.mlu"],
)  # fmt: skip
FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer", "-O1")
#: Faults of device memory are the runtime's to answer, and a host without memory is one of the things to try.
OPTIONS = {"ASAN_OPTIONS": "handle_segv=0:allocator_may_return_null=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
#: Exit codes of the sanitizers: of those none may come out.
EXITS = {1, 23}
#: Memory that is fresh holds garbage; Python does not give back all that it has.
GARBAGE = {"ASAN_OPTIONS": "detect_leaks=0:malloc_fill_byte=170:max_malloc_fill_size=4096"}
SEARCHES = (["tests.fuzz.logs", "--count", "500"], ["tests.fuzz.sequences", "--seconds", "20"])


def ways(source: Path) -> list[str]:
    """The ways to run a program: what its main compares its first word with."""
    text = source.read_text(encoding="utf-8")
    named = re.findall(r'\{"(\w+)", \1\}', text) or ["", *re.findall(r'strcmp\(way, "(\w+)"\)', text)]
    return [name for name in named if name != "touched"]  # which ends by a fault, as it has to


def searched(search: list[str]) -> int:
    """The exit code of a search in a process whose libraries for logs are under the sanitizers."""
    found = (
        subprocess.check_output(["g++", f"-print-file-name=lib{name}.so"], text=True) for name in ("asan", "ubsan")
    )
    preload = {"LD_PRELOAD": " ".join(path.strip() for path in found)}
    command = [sys.executable, "-m", "tests.sanitized", *search]
    return subprocess.run(command, env={**os.environ, **preload, **GARBAGE}).returncode


def inside(search: list[str]) -> None:
    """Run a search in this process."""
    del os.environ["LD_PRELOAD"]  # the workers and their sandbox are not for it
    library._FLAGS = (*library._FLAGS, *FLAGS)
    sys.argv = search
    runpy.run_module(search[0], run_name="__main__", alter_sys=True)


def main() -> int:
    """The number of runs in which a sanitizer had something to say."""
    if sys.argv[1:]:
        inside(sys.argv[1:])  # which exits
    os.environ |= OPTIONS
    device = Device.load("mlu370-x4")
    bad = 0
    for names in PARTS:
        sources = [PROGRAMS / name for name in [*names, "kernels.mlu"]]
        program = build_program(sources, Options.of([], [], [], None), device, FLAGS)
        for way in ways(sources[0]):
            code, _ = run_program(program, [way], [device, device] if way == "devices" else [device])
            bad += code in EXITS or code < 0
            print(f"{names[0]} {way}: {code}", flush=True)
    for search in SEARCHES:
        code = searched(search)
        bad += code != 0
        print(f"{search[0]}: {code}", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
