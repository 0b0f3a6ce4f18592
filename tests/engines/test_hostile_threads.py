"""CUDA kernels that try what no card could: each is contained and named at its line, and nothing else is harmed."""

import re
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import BuildError, Device, KernelError, Program, load

from tests.support.paths import KERNELS_C

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "hostile.cu"
LINES = SOURCE.read_text(encoding="utf-8").splitlines()
MAY_NOT = "a kernel may not "

#: Kernel -> the rule that it breaks, and how its message begins.
ATTACKS = {
    "file_open": ("forbidden", MAY_NOT + r"open files: openat\('/etc/passwd'\), in thread \(0,0,0\) of block"),
    "file_after_barrier": ("forbidden", MAY_NOT + r"open files: openat\('/tmp/mlusim-escaped'\), in thread \(33,"),
    "file_stdio": ("forbidden", MAY_NOT + r"open files: openat\('/etc/passwd'\)"),
    "network": ("forbidden", MAY_NOT + "use the network: socket"),
    "process_fork": ("forbidden", MAY_NOT + "start processes or threads: "),
    "process_shell": ("forbidden", MAY_NOT),
    "message_forged": ("forbidden", MAY_NOT + r"use file descriptors: write\(3, "),
    "parent_kill": ("forbidden", MAY_NOT + "touch other processes: getppid"),
    "self_signal": ("crash", "the kernel sent itself signal 10"),
    "handler_change": ("forbidden", MAY_NOT + "change how signals are handled: rt_sigaction"),
    "timer_stopped": ("forbidden", MAY_NOT + "set timers: setitimer"),
    "memory_protect": ("forbidden", MAY_NOT + "change the memory of the process: mprotect"),
    "store_anywhere": ("bounds", "store of 4 bytes by thread .*: address 0x7000000 belongs to no array"),
    "store_into_libraries": ("bounds", ".* belongs to no array of the device"),
    "store_into_a_thread": ("bounds", r"store of 4 bytes by thread \(1,0,0\) .* belongs to no array of the device"),
    "store_into_the_runtime": ("bounds", "store of 1 bytes .* belongs to no array of the device"),
    "loop_for_ever": ("time", "the kernel ran longer than the time limit of 0.2 s, in thread"),
    "sleep_for_ever": ("time", "the kernel ran longer than the time limit of 0.2 s"),
    "wait_for_ever": ("time", "the kernel ran longer than the time limit of 0.2 s"),
    "recurse_for_ever": ("stack", "the kernel has overflowed its stack"),
    "stack_for_ever": ("stack", "the kernel has overflowed its stack"),
    "beside_memory": ("bounds", "store of 4 bytes"),
    "end_process": ("crash", r"the kernel called exit\(3\)"),
    "end_at_once": ("crash", r"the kernel called _exit\(4\)"),
    "end_by_abort": ("crash", "the kernel crashed: abort"),
    "end_by_library": ("crash", "the kernel threw an exception that nothing catches"),
    "throw_number": ("crash", "the kernel threw an exception that nothing catches: code of a device has none"),
    "throw_in_library": ("crash", "the kernel threw an exception that nothing catches: code of a device has none"),
    "jump_nowhere": ("crash", "the kernel crashed: segmentation fault at 0x8"),
}  # fmt: skip
TIMED = ("loop_for_ever", "sleep_for_ever", "wait_for_ever")


def healthy(program: Program) -> bool:
    x = np.arange(64, dtype=np.float32)
    run = program.launch("healthy", args=[x], block=64)
    return not run.findings and x.tolist() == [2.0 * (63 - i) for i in range(64)]


@pytest.mark.parametrize("kernel", ATTACKS)
def test_an_attack_of_a_thread_is_contained_and_named_at_its_line(program, kernel):
    rule, message = ATTACKS[kernel]
    kept = program.device.array(np.arange(1000, dtype=np.int32))
    x = np.zeros(1 << 10, np.float32 if kernel == "memory_protect" else np.int32)
    with pytest.raises(KernelError) as caught:
        program.launch(
            kernel, 2, args=[x, 0x7000000] if kernel == "store_anywhere" else [x], block=64,
            time_limit=0.2 if kernel in TIMED else 30,
        )  # fmt: skip
    found = caught.value.finding
    assert (found.rule, found.kernel) == (rule, kernel), found
    assert re.match(message, found.message), found.message
    line = next((number for number, text in enumerate(LINES, 1) if text.endswith(f"// ^ {kernel}")), None)
    assert Path(found.location.file).name == SOURCE.name
    assert line is None or found.location.line == line
    assert not x.any()
    assert (kept.numpy() == np.arange(1000)).all()
    assert healthy(program)
    assert not Path("/tmp/mlusim-escaped").exists()


def test_an_attack_ends_the_launch_where_findings_are_collected(program):
    run = program.launch("file_open", 2, args=[np.zeros(8, np.int32)], block=64, on_finding="collect")
    assert [(finding.rule, finding.count) for finding in run.errors] == [("forbidden", 1)]
    assert healthy(program)


def test_threads_that_do_nothing_meet_the_time_limit(program):
    with pytest.raises(KernelError, match=r"the kernel ran longer than the time limit of 0\.2 s") as caught:
        program.launch("nothing", 2**31 - 1, args=[None], block=1, time_limit=0.2)
    assert caught.value.finding.rule == "time"
    assert healthy(program)


INITIALISERS = {
    "exits": ("static int n = (exit(3), 1);", r"called exit\(3\)"),
    "throws": ("static int thrower() { throw 1; }\nstatic int n = thrower();", "threw an exception"),
    "asserts": ("static int fails() { assert(!1); return 1; }\nstatic int n = fails();", "exist in kernels only"),
    "waits": ("static int warp() { return __activemask(); }\nstatic int n = warp();", "exist in kernels only"),
}


def test_a_static_initialiser_of_threads_opens_no_file(tmp_path):
    """It may be one of the host's: there it opens the file."""
    source = tmp_path / "initialiser.cu"
    text = '#include <fcntl.h>\nstatic int n = open("/etc/passwd", 0);\n__global__ void k(int* x) { x[0] = n; }\n'
    source.write_text(text)
    got = np.zeros(1, np.int32)
    load([source], device=Device.load("cuda-sm80")).launch("k", 1, args=[got], block=1)
    assert got == -1


@pytest.mark.parametrize("name", INITIALISERS)
def test_a_static_initialiser_of_threads_that_fails_is_a_build_error(name, tmp_path):
    text, message = INITIALISERS[name]
    source = tmp_path / "initialiser.cu"
    source.write_text(f"{text}\n__global__ void k(int* x) {{ x[0] = n; }}\n")
    with pytest.raises(BuildError, match=f"(?s)initialiser.cu cannot be loaded: .*{message}") as caught:
        load([source], device=Device.load("cuda-sm80"))
    assert caught.value.finding.location.file == str(source)
    assert caught.value.finding.location.line in range(1, text.count("\n") + 2)


def test_static_initialisers_of_threads_that_only_compute_run(tmp_path):
    source = tmp_path / "computes.cu"
    source.write_text(
        "#include <vector>\nstatic int sum(int n) { std::vector<int> all(n, 7); int s = 0; for (int v : all) s += v;\n"
        "  return s; }\nstatic int total = sum(1000);\n__device__ int table[1 << 20];\n"
        "__global__ void k(int* x) { table[threadIdx.x] = total; x[threadIdx.x] = table[threadIdx.x]; }\n"
    )
    x = np.zeros(4, np.int32)
    assert not load([source], device=Device.load("cuda-sm80")).launch("k", args=[x], block=4).findings
    assert x.tolist() == [7000] * 4
