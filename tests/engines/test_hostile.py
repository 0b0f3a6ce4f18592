"""Kernels that try what no card could do: each is contained and named at its line, and nothing else is harmed."""

import os
import random
import re
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import KernelError, Program

from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "hostile.mlu"
LINES = SOURCE.read_text(encoding="utf-8").splitlines()
MAY_NOT = "a kernel may not "

#: Kernel -> the rule that it breaks, and how its message begins.
ATTACKS = {
    "file_open": ("forbidden", MAY_NOT + r"open files: openat\('/etc/passwd'\)"),
    "file_stdio": ("forbidden", MAY_NOT + r"open files: openat\('/etc/passwd'\)"),
    "file_create": ("forbidden", MAY_NOT + r"open files: openat\('/tmp/mlusim-escaped'\)"),
    "file_remove": ("forbidden", MAY_NOT + r"change files: unlink\('/tmp/mlusim-kept'\)"),
    "file_rename": ("forbidden", MAY_NOT + r"change files: rename\('/tmp/mlusim-kept'\)"),
    "file_look": ("forbidden", MAY_NOT + r"look at files: access\('/etc/shadow'\)"),
    "folder_list": ("forbidden", MAY_NOT + r"open files: openat\('/'\)"),
    "folder_change": ("forbidden", MAY_NOT + r"change the process: chdir\('/tmp'\)"),
    "mask_change": ("forbidden", MAY_NOT + "change the process: umask"),
    "library_load": ("not-modelled", "dlopen is a function of a library that mlusim does not have"),
    "library_find": ("not-modelled", "dlsym is a function of a library that mlusim does not have"),
    "memory_of_self": ("forbidden", MAY_NOT + r"open files: openat\('/proc/self/mem'\)"),
    "file_nameless": ("forbidden", MAY_NOT + r"open files: openat\(''\)"),
    "network_tcp": ("forbidden", MAY_NOT + "use the network: socket"),
    "network_local": ("forbidden", MAY_NOT + "use the network: socket"),
    "process_fork": ("forbidden", MAY_NOT + "start processes or threads: "),
    "process_vfork": ("forbidden", MAY_NOT + "start processes or threads: vfork"),
    "process_raw": ("forbidden", MAY_NOT + "start processes or threads: clone"),
    "process_shell": ("forbidden", MAY_NOT),
    "process_pipe": ("forbidden", MAY_NOT),
    "process_bomb": ("forbidden", MAY_NOT + "start processes or threads: "),
    "program_run": ("forbidden", MAY_NOT + r"run programs: execve\('/bin/true'\)"),
    "thread_start": ("forbidden", MAY_NOT + "start processes or threads: pthread_create"),
    "parent_kill": ("forbidden", MAY_NOT + r"send signals: kill\(\d+, 9\)"),
    "parent_trace": ("forbidden", MAY_NOT + "touch other processes: ptrace"),
    "parent_read": ("forbidden", MAY_NOT + "touch other processes: process_vm_readv"),
    "group_kill": ("forbidden", MAY_NOT + r"send signals: kill\(0, 15\)"),
    "self_signal": ("crash", "the kernel sent itself signal 10"),
    "self_crash": ("crash", "the kernel crashed: segmentation fault"),
    "handler_change": ("forbidden", MAY_NOT + "change how signals are handled: rt_sigaction"),
    "handler_stack": ("forbidden", MAY_NOT + "change how signals are handled: sigaltstack"),
    "signals_blocked": ("time", "the kernel ran longer than the time limit of 0.2 s"),
    "memory_unmap": ("forbidden", MAY_NOT + "change the memory of the process: munmap"),
    "memory_protect": ("forbidden", MAY_NOT + "change the memory of the process: mprotect"),
    "memory_move": ("forbidden", MAY_NOT + "change the memory of the process: mremap"),
    "memory_drop": ("forbidden", MAY_NOT + "change the memory of the process: madvise"),
    "memory_cover": ("forbidden", MAY_NOT + "change the memory of the process: mmap"),
    "memory_code": ("forbidden", MAY_NOT + "change the memory of the process: mmap"),
    "memory_of_another_task": ("space", "wram of core 33 is not this core's own"),
    "state_of_the_simulator": ("bounds", ""),
    "task_of_the_simulator": ("bounds", ""),
    "message_forged": ("forbidden", MAY_NOT + r"use file descriptors: write\(3, "),
    "message_sent": ("forbidden", MAY_NOT + r"use the network: sendto\(3, "),
    "message_read": ("forbidden", MAY_NOT + r"use file descriptors: read\(4, "),
    "descriptors_closed": ("forbidden", MAY_NOT + r"use file descriptors: close\(0"),
    "descriptors_replaced": ("forbidden", MAY_NOT + r"use file descriptors: dup2\(1, 3\)"),
    "limit_raised": ("forbidden", MAY_NOT + "change the process: "),
    "process_changed": ("forbidden", MAY_NOT + "change the process: prctl"),
    "timer_alarm": ("forbidden", MAY_NOT + "set timers: "),
    "timer_stopped": ("forbidden", MAY_NOT + "set timers: setitimer"),
    "sleep_for_ever": ("time", "the kernel ran longer"),
    "wait_for_ever": ("forbidden", MAY_NOT + "wait: pause"),
    "print_for_ever": ("forbidden", "the kernel printed more than 64 MiB"),
    "take_for_ever": ("bounds", ".*null"),
    "map_for_ever": ("crash", "the kernel crashed: abort"),
    "new_for_ever": ("crash", "the kernel threw an exception that nothing catches: std::bad_alloc"),
    "stack_for_ever": ("stack", "the kernel has overflowed its stack"),
    "registers_for_ever": ("budget", "the kernel holds more vectors than there are vector registers"),
    "end_at_once": ("crash", r"the kernel called _exit\(3\)"),
    "end_quickly": ("crash", r"the kernel called _exit\(4\)"),
    "end_by_library": ("crash", "the kernel threw an exception that nothing catches: none at all"),
    "throw_number": ("crash", "the kernel threw an exception that nothing catches: int$"),
    "throw_error": ("crash", "the kernel threw an exception that nothing catches: std::out_of_range: vector"),
    "throw_in_noexcept": ("crash", "the kernel threw an exception that nothing catches: std::runtime_error: not here"),
    "door_image": ("bounds", "store"),
    "door_slot": ("crash", "the kernel crashed: abort"),
    "door_registers": ("budget", "the kernel holds more vectors than there are vector registers"),
    "door_local": ("bounds", "load of .* bytes: the pointer is null"),
    "door_release": ("crash", "the kernel crashed: abort"),
    "door_port": ("crash", "the kernel crashed: segmentation fault"),
    "door_closed": ("crash", "the kernel crashed: segmentation fault"),
    "door_heap": ("bounds", ".*null"),
    "door_thrown": ("crash", "the kernel threw an exception that nothing catches"),
    "door_text": ("assert", ""),
    "door_name": ("not-modelled", ""),
    "door_space": ("crash", "the kernel crashed: abort"),
    "door_structure": ("bounds", "load of .* bytes: the pointer is null"),
}  # fmt: skip
TIMED = ("signals_blocked", "sleep_for_ever")
#: Refused as another one is: by another number in the same group of system calls, or by the same ending of a process.
FURTHER = {
    "file_stdio", "file_remove", "folder_list", "folder_change", "mask_change", "library_find", "memory_of_self",
    "network_local", "process_vfork", "process_pipe", "process_bomb", "parent_trace", "group_kill", "handler_stack",
    "memory_protect", "memory_move", "memory_drop", "memory_code", "message_sent", "descriptors_replaced",
    "process_changed", "timer_stopped", "end_quickly", "throw_in_noexcept",
}  # fmt: skip


def marked(kernel: str) -> int:
    """The line that carries the mark of a kernel; 0 if none does."""
    return next((number for number, line in enumerate(LINES, 1) if line.endswith(f"// ^ {kernel}")), 0)


def healthy(program: Program) -> bool:
    x = np.arange(64, dtype=np.float32)
    run = program.launch("healthy", args=[x])
    return not run.findings and run.log.launch["kernel"] == "healthy" and x.tolist() == [2.0 * i for i in range(64)]


@pytest.mark.parametrize(
    "kernel", [pytest.param(kernel, marks=[pytest.mark.further] if kernel in FURTHER else []) for kernel in ATTACKS]
)
def test_an_attack_is_contained_and_named_at_its_line(program, kernel, capfd):
    rule, message = ATTACKS[kernel]
    kept = program.device.array(np.arange(1000, dtype=np.int32))
    x = np.zeros(1 << 10, np.int32 if "int *x" in next(line for line in LINES if f" {kernel}(" in line) else np.float32)
    x[0] = os.getpid() if kernel.startswith("parent") else 0
    before = x.copy()
    with pytest.raises(KernelError) as caught:
        program.launch(
            kernel, (2, 1, 1) if kernel == "memory_of_another_task" else (1, 1, 1), args=[x],
            time_limit=0.2 if kernel in TIMED else 30,
        )  # fmt: skip
    found = caught.value.finding
    assert (found.rule, found.kernel) == (rule, kernel), found
    assert re.match(message, found.message), found.message
    line = marked(kernel)
    assert (Path(found.location.file).name, found.location.line) == ((SOURCE.name, line) if line else ("", 0))
    assert (x == before).all()
    assert (kept.numpy() == np.arange(1000)).all()
    assert healthy(program)
    assert "too late" not in capfd.readouterr().out
    assert not Path("/tmp/mlusim-escaped").exists()


def test_what_stays_inside_of_the_kernel_is_allowed(program, capfd, monkeypatch):
    monkeypatch.setenv("HOSTILE_SECRET", "1")
    x = np.zeros(7, np.int32)
    for _ in range(2):
        run = program.launch("allowed", args=[x], on_finding="collect")
        assert not run.errors, run.errors[0]
        assert x.tolist() == [6, 4, 3, 0, 1, 1, 1]
    printed = capfd.readouterr()
    assert printed.out == "to standard output\n" * 2
    assert printed.err == "to standard error\n" * 2
    assert "MLUSIM_SEEN" not in os.environ
    assert healthy(program)


def call_anything(program: Program, number: int, generator: random.Random) -> str:
    """What becomes of a system call with arguments at random: the rule of its finding, or nothing."""
    x = program.device.array(np.array([0, *(generator.choice(WORDS) for _ in range(6))], np.int64))
    found = program.launch("any_call", args=[x, number], time_limit=1.0, on_finding="collect").errors
    line = next(number for number, line in enumerate(LINES, 1) if " any_call(" in line)
    assert {finding.location.line for finding in found} <= {line}
    return found[0].rule if found else ""


WORDS = (0, 1, 2, 3, 4, 5, 7, 64, 4096, 1 << 20, (1 << 31) - 1, -1, -100, 1 << 45, 0x2000 << 32)
#: Calls that stay inside: memory and time of the kernel's own, text, and what it may ask. They may fail and go on.
HARMLESS = {1, 5, 9, 11, 12, 14, 16, 24, 35, 39, 96, 99, 186, 201, 202, 228, 230, 262, 318}


@pytest.mark.parametrize("number", [*random.Random(7).sample(range(470), 8), *sorted(HARMLESS)[:6]])
def test_any_system_call_is_refused_or_stays_inside(program, number):
    rule = call_anything(program, number, random.Random(number))
    assert rule in ("forbidden", "crash", "time", "bounds") or (rule == "" and number in HARMLESS)
    assert healthy(program)
