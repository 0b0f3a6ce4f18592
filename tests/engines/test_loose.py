"""Kernels that have got past all checks, with the runtime's sources at hand: each loses at most its own launch.

What holds is the process: it reaches no file, no other process and no other device, ends in time and with its parent,
and nothing runs in it afterwards.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, Program, load
from mlusim.simulator.engines.tasks.abi import Callbacks
from mlusim.simulator.engines.worker import pool as pools
from mlusim.simulator.native.build import tasks_runtime
from mlusim.simulator.native.compiler import Compiler

from tests.support.paths import KERNELS_C

SOURCES = [KERNELS_C / "loose.mlu"]
SOURCE = SOURCES[0]
PLAIN = "#include <bang.h>\n__mlu_entry__ void k(float *x) { x[0] += 1; }\n"
END, CALL, STORE, FILL, SCRIBBLE, LOOP, BACK, JUMP, RETURN_INTO, DEEP, DIVIDE = range(11)
PLAINLY, RUNTIME, STACK, THREAD = range(4)
#: Stands for numbers that a test knows when it runs.
PARENT, OTHER, OWN, SCRATCH = "parent", "other device", "own device", "scratch"
NOT_PERMITTED = -1
Row = tuple[int | str, ...]


def call(number: int, *arguments: int | str) -> Row:
    return (CALL, PLAINLY, number, *arguments)


#: System calls of which each is refused, with what it would do.
REFUSED: dict[str, Row] = {
    "open": call(2, "/etc/passwd", 0),
    "openat": call(257, -100, "/etc/passwd", 0),
    "creat": call(85, "/tmp/mlusim-new", 438),
    "memory of the parent by file": call(2, "/proc/PARENT/mem", 2),
    "own memory by file": call(2, "/proc/self/mem", 2),
    "unlink": call(87, "KEPT"),
    "rename": call(82, "KEPT", "KEPT.gone"),
    "truncate": call(76, "KEPT", 0),
    "chmod": call(90, "KEPT", 0),
    "mkdir": call(83, "/tmp/mlusim-new", 448),
    "link": call(86, "KEPT", "KEPT.two"),
    "mount": call(165, "/", "/", 0, 4096, 0),
    "chroot": call(161, "/"),
    "memfd": call(319, "x", 0),
    "socket": call(41, 1, 1, 0),
    "socketpair": call(53, 1, 1, 0, SCRATCH),
    "connect": call(42, 3, SCRATCH, 16),
    "fork": call(57),
    "vfork": call(58),
    "clone": call(56, 17, 0, 0, 0, 0),
    "clone3": call(435, SCRATCH, 88),
    "thread": call(56, 0x3D0F00, SCRATCH, 0, 0, 0),
    "execve": call(59, "/bin/true", 0, 0),
    "execveat": call(322, -100, "/bin/true", 0, 0, 0),
    "kill of the parent": call(62, PARENT, 0),
    "kill of all": call(62, -1, 0),
    "tgkill of the parent": call(234, PARENT, PARENT, 0),
    "queued signal": call(129, PARENT, 0, SCRATCH),
    "pidfd of the parent": call(434, PARENT, 0),
    "descriptor of the parent": call(438, 3, 1, 0),
    "ptrace": call(101, 16, PARENT, 0, 0),
    "reading the parent": call(310, PARENT, SCRATCH, 1, SCRATCH, 1),
    "writing the parent": call(311, PARENT, SCRATCH, 1, SCRATCH, 1),
    "limits of the parent": call(302, PARENT, 7, SCRATCH, 0),
    "priority of the parent": call(141, 0, PARENT, 19),
    "processors of the parent": call(203, PARENT, 8, SCRATCH),
    "comparison with the parent": call(312, PARENT, PARENT, 0, 0, 0),
    "no signal at the parent's end": call(157, 1, 0, 0, 0, 0),
    "dumpable": call(157, 4, 1, 0, 0, 0),
    "dispatch off": call(157, 59, 0, 0, 0, 0),
    "another filter": call(317, 1, 0, SCRATCH),
    "segments": call(158, 0x1002, SCRATCH),
    "flags of a descriptor": call(72, 4, 4, 0),
    "owner of a descriptor": call(72, 4, 8, 1),
    "dup2": call(33, 1, 3),
    "dup3": call(292, 1, 3, 0),
    "close_range": call(436, 3, 0xFFFFFFFF, 0),
    "write to another descriptor": call(1, 3, SCRATCH, 8),
    "message on another descriptor": call(46, 1, SCRATCH, 0),
    "terminal input": call(16, 0, 0x5412, SCRATCH),
    "asynchronous descriptor": call(16, 1, 0x5452, SCRATCH),
    "page poisoned": call(28, OWN, 4096, 100),
    "userfaultfd": call(323, 0),
    "bpf": call(321, 0, SCRATCH, 64),
    "io_uring": call(425, 8, SCRATCH),
    "perf": call(298, SCRATCH, 0, -1, -1, 0),
    "shared memory": call(29, 7, 4096, 0o1777),
    "timer": call(222, 1, 0, SCRATCH),
    "timer as a file": call(283, 1, 0),
    "signals as a file": call(289, -1, SCRATCH, 8, 0),
    "keys": call(250, 0, -3, 0, 0, 0),
    "namespace": call(272, 0x10000000),
    "session": call(112),
    "personality": call(135, 0x40000),
}

#: What a kernel does to the process that it runs in. The places of the runtime's variables are asked of its library.
HARM: dict[str, list[Row]] = {
    "everything the runtime keeps": [(SCRIBBLE, RUNTIME, "mlusim_port", 0x200, 1)],
    "the callbacks": [(SCRIBBLE, RUNTIME, "_ZN6mlusim7processE", 9, 2)],
    "the running task": [(STORE, RUNTIME, "mlusim_current", 0, OWN)],
    "no task": [(STORE, RUNTIME, "mlusim_current", 0, 0)],
    "the status": [(STORE, RUNTIME, "mlusim_status", 0, -1)],
    "the issue ports": [(STORE, RUNTIME, "mlusim_port", 0, OWN)],
    "the number of issue ports": [(STORE, RUNTIME, "mlusim_port_count", 0, -1)],
    "runs and rows of the log": [(SCRIBBLE, RUNTIME, "_ZN6mlusim4runsE", 0x16890 // 8, 3)],
    "a count of runs": [(FILL, RUNTIME, "_ZN6mlusim4runsE", 0x16890 // 8, 256, 8)],
    "ranges of memory": [(SCRIBBLE, RUNTIME, "_ZN6mlusim6memoryE", 4, 4)],
    "the heap": [(SCRIBBLE, RUNTIME, "_ZN6mlusim4heapE", 13, 5)],
    "the images": [(SCRIBBLE, RUNTIME, "_ZN6mlusim6imagesE", 9, 6)],
    "what is held of blocks": [(SCRIBBLE, RUNTIME, "_ZN6mlusim6blocksE", 13, 7)],
    "what stores have replaced": [(FILL, RUNTIME, "_ZN6mlusim5mutedE", 4, OWN, 8)],
    "the last fault": [(SCRIBBLE, RUNTIME, "mlusim_last", 75, 8)],
    "the stack of signals": [
        (SCRIBBLE, RUNTIME, "_ZN6mlusim12_GLOBAL__N_115alternate_stackE", 1 << 17, 9),
        (DIVIDE, 0, 0, 0),
    ],
    "the stack of the simulator": [(SCRIBBLE, STACK, 64, 4096, 10)],
    "the canary and the thread": [(SCRIBBLE, THREAD, 0, 32, 11)],
    "variables of the thread": [(SCRIBBLE, THREAD, -512, 60, 12)],
    "what leads to functions of libraries": [(SCRIBBLE, RUNTIME, "_GLOBAL_OFFSET_TABLE_", 64, 13)],
    "code made writable": [
        (CALL, RUNTIME, 10, "mlusim_run_task", 8192, 7),
        (SCRIBBLE, RUNTIME, "mlusim_run_task", 512, 14),
    ],
    "all memory given back": [call(11, 0x1000, 0x7FFFFFFFE000)],
    "the device's memory given back": [call(11, OWN, 1 << 30)],
    "the device's memory made unreadable": [call(10, OWN, 1 << 30, 0)],
    "the device's memory moved": [call(25, OWN, 4096, 8192, 1)],
    "the heap of Python": [call(12, 0x1000)],
    "streams closed": [call(3, 0), call(3, 1), call(3, 2)],
    "all descriptors closed": [call(3, number) for number in range(64)],
    "messages stolen": [call(0, number, SCRATCH, 4096) for number in (3,)],
    "signals ignored": [(CALL, PLAINLY, 13, number, SCRATCH, 0, 8) for number in (4, 6, 7, 8, 11, 14, 31)],
    "signals blocked": [call(14, 2, SCRATCH, 0, 8)],
    "no stack for signals": [call(131, SCRATCH, 0), (DEEP,)],
    "an end at once": [call(231, 0)],
    "a forged return": [(RETURN_INTO, RUNTIME, "mlusim_last", 0)],
    "a jump into the runtime": [(JUMP, RUNTIME, "mlusim_run_task", OWN, OWN)],
    "a launch in a launch": [(JUMP, RUNTIME, "mlusim_connect", OWN, OWN)],
    "an image that is not there": [(JUMP, RUNTIME, "mlusim_load", OWN)],
    "the end of the runtime's watch": [
        (JUMP, RUNTIME, "mlusim_watch_system_calls", 0),
        (JUMP, RUNTIME, "mlusim_time_limit", 0),
    ],
    "a jump to nowhere": [(JUMP, PLAINLY, 0x10, 0)],
    "a stack without end": [(DEEP,)],
    "a division": [(DIVIDE, 0, 0, 0)],
    "stores to another device": [(FILL, PLAINLY, OTHER, 1000, -1, 4)],
    "another device made writable": [call(10, OTHER, 1 << 20, 3), (FILL, PLAINLY, OTHER, 1000, -1, 4)],
    "another device moved here": [call(25, OTHER, 4096, 4096, 3, SCRATCH), (FILL, PLAINLY, SCRATCH, 8, -1, 8)],
    "another device mapped anew": [(CALL, PLAINLY, 9, OTHER, 4096, 3, 0x32, -1), (FILL, PLAINLY, OTHER, 512, -1, 8)],
    "memory of the device without end": [(FILL, PLAINLY, OWN, 1 << 20, 1, 4096)],
    "a loop": [call(38, 0, SCRATCH, 0), (LOOP,)],
    "a loop with signals blocked": [call(14, 2, SCRATCH, 0, 8), call(38, 0, SCRATCH, 0), (LOOP,)],
}
#: Harm to variables of the runtime, all of which one case overwrites, and what another case does in another way.
FURTHER = {
    "the callbacks", "no task", "the status", "the issue ports", "the number of issue ports", "a count of runs",
    "ranges of memory", "the heap", "the images", "what is held of blocks", "what stores have replaced",
    "the last fault", "variables of the thread", "the device's memory made unreadable", "a launch in a launch",
    "another device moved here", "an image that is not there", "streams closed", "signals blocked",
}  # fmt: skip
SLOW = ("a loop", "a loop with signals blocked", "messages stolen")


@pytest.fixture(scope="module")
def symbols() -> dict[str, int]:
    """Where the variables of the runtime lie, from `mlusim_current` on."""
    library = tasks_runtime(Compiler())
    said = subprocess.run(["nm", str(library)], capture_output=True, text=True, check=True).stdout
    found = {name: int(address, 16) for address, _, name in re.findall(r"^([0-9a-f]+) (\w) (\S+)$", said, re.M)}
    return {name: address - found["mlusim_current"] for name, address in found.items()}


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A program without foreign code, on a device of its own."""
    source = tmp_path_factory.mktemp("plain") / "plain.mlu"
    source.write_text(PLAIN)
    return load([source], device=Device.load("mlu370-x4"))


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Path]:
    """A file that is the same afterwards."""
    path = tmp_path / "kept"
    path.write_text("kept")
    yield path
    assert [(entry.name, entry.read_text(), entry.stat().st_mode & 0o777) for entry in tmp_path.iterdir()] == [
        ("kept", "kept", 0o644)
    ]


def attack(
    program: Program, symbols: dict[str, int], rows: list[Row], other: int, kept: Path, limit: float = 30.0
) -> tuple[np.ndarray, str]:
    """The rows as the kernel has left them, and the rule of its finding ("" for none)."""
    texts = bytearray(4096)  # what calls write to lies here
    names = {PARENT: os.getpid(), OTHER: other, **symbols}
    found: list[list[int | str]] = []
    for row in rows:
        found.append([names.get(value, value) if isinstance(value, str) else int(value) for value in row])
    for line in found:
        for at, value in enumerate(line):
            if isinstance(value, str) and value not in (OWN, SCRATCH):
                assert not value.startswith(("mlusim_", "_")), "the runtime has it"
                text = value.replace("PARENT", str(os.getpid())).replace("KEPT", str(kept))
                line[at], texts = f"text {len(texts)}", texts + text.encode() + b"\0"
    room = program.device.array(np.frombuffer(bytes(texts), np.uint8))
    table = np.zeros((len(found) + 1, 8), np.int64)
    for target, line in zip(table, found, strict=False):
        for at, value in enumerate(line):
            if isinstance(value, str):
                value = {OWN: room.address & -4096, SCRATCH: room.address}.get(value) or room.address + int(value[5:])
            target[at] = value
    try:
        run = program.launch(
            "loose", args=[table, symbols["_ZN6mlusim7processE"] + IN_KERNEL], on_finding="collect", time_limit=limit
        )
        rule = run.findings[0].rule if run.findings else ""
    except Exception as error:  # the process may say anything of itself
        rule = type(error).__name__
    return table, rule


#: Where the mark lies in `process`: behind the callbacks.
IN_KERNEL = ctypes.sizeof(Callbacks)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_GRACE", 0.3)


def test_system_calls_of_a_kernel_past_all_checks_are_refused(program, symbols, other, kept):
    array = other.device.array(np.arange(1000, dtype=np.int32))
    table, rule = attack(program, symbols, list(REFUSED.values()), array.address, kept)
    assert rule in ("", "empty")
    results = dict(zip(REFUSED, table[:, 7].tolist(), strict=False))
    assert {name: result for name, result in results.items() if result != NOT_PERMITTED} == {}
    assert not Path("/tmp/mlusim-new").exists()
    assert (array.numpy() == np.arange(1000)).all()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.further] if name in FURTHER else []) for name in HARM]
)
def test_harm_done_to_the_process_is_the_launchs_own(program, symbols, other, kept, short, name):
    array = other.device.array(np.arange(1000, dtype=np.int32))
    mine = np.arange(16, dtype=np.float32)
    other.launch("k", args=[mine])  # the same process has had the other device
    begin = time.monotonic()
    attack(program, symbols, HARM[name], array.address, kept, limit=0.3 if name in SLOW else 3.0)
    assert time.monotonic() - begin < 20
    assert (array.numpy() == np.arange(1000)).all()
    assert mine.tolist() == [1, *range(1, 16)]
    run = other.launch("k", args=[mine])
    assert not run.errors
    assert mine[0] == 2
    backing = os.fstat(program.device.memory.fd)
    program.device.memory.reclaim()
    assert backing.st_size <= 1 << 28
    assert os.fstat(program.device.memory.fd).st_blocks * 512 <= (256 << 20) + (1 << 20)


#: The worker of a parent that is killed while a kernel past all checks runs: it has closed what it could.
ORPHAN = """
    import os, sys, threading
    import numpy as np
    from mlusim.simulator import Device, load
    from mlusim.simulator.engines.worker.pool import pool
    program = load([{source!r}], device=Device.load("mlu370-x4"))
    table = np.array({rows!r}, np.int64)
    def say():
        while not pool(os.getpid())._all:
            pass
        print(*(worker._process.pid for worker in pool(os.getpid())._all), flush=True)
    threading.Timer(1.0, say).start()
    program.launch("loose", args=[table, {mark}])
"""


def test_a_kernel_past_all_checks_ends_with_its_killed_parent(symbols, tmp_path):
    rows = [call(38, 0, 0, 0), *(call(3, number) for number in range(64)), (LOOP,), (END,)]
    table = [[int(value) for value in row] + [0] * (8 - len(row)) for row in rows]
    script = ORPHAN.format(source=str(SOURCE), rows=table, mark=symbols["_ZN6mlusim7processE"] + IN_KERNEL)
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    with parent, parent.stdout:
        workers = [int(word) for word in parent.stdout.readline().split()]
        assert workers
        parent.send_signal(signal.SIGKILL)
    end = time.monotonic() + 10
    while any(Path(f"/proc/{worker}/stat").exists() and " Z " not in Path(f"/proc/{worker}/stat").read_text()
              for worker in workers):  # fmt: skip
        assert time.monotonic() < end
        time.sleep(0.02)


def test_memory_that_a_kernel_takes_past_all_checks_is_bounded(program, symbols, other, kept, monkeypatch):
    monkeypatch.setattr(pools, "_MOST_MEMORY", 256 << 20)
    hoard = [call(9, 0x10000000, 1 << 30, 3, 0x32), (FILL, PLAINLY, 0x10000000, 1 << 18, 1, 4096), (LOOP,)]
    _, rule = attack(program, symbols, hoard, 0, kept)
    assert rule == "crash"
    x = np.zeros(1, np.float32)
    other.launch("k", args=[x])
    assert x[0] == 1


#: Kernel -> the rule that it breaks, and what is said of it.
CAUGHT = {
    "raw_64": ("forbidden", "a kernel may not touch other processes: getppid"),
    "raw_32": ("forbidden", "a kernel may not call the operating system: system call 20 of another ABI"),
    "raw_x32": ("forbidden", "a kernel may not call the operating system: system call .* of another ABI"),
    "jump_out": ("crash", "the kernel left by a jump into the simulator"),
}


@pytest.mark.parametrize("name", CAUGHT)
def test_foreign_code_that_leaves_the_mark_alone_is_caught(program, other, name):
    with pytest.raises(KernelError) as caught:
        program.launch(name, args=[np.zeros(16, np.int32)])
    rule, message = CAUGHT[name]
    assert caught.value.finding.rule == rule
    assert re.match(message, caught.value.finding.message)


def test_an_unseen_store_does_not_reach_another_device(program, other):
    array = other.device.array(np.arange(1000, dtype=np.int32))
    x = np.zeros(1, np.float32)
    other.launch("k", args=[x])
    with pytest.raises(KernelError, match=f"segmentation fault at {array.address:#x}"):
        program.launch("poke_unseen", args=[array.address])
    assert (array.numpy() == np.arange(1000)).all()


def test_nothing_runs_where_foreign_code_has_run(program, other):
    x = np.zeros(1, np.float32)
    for launched, kernel in ((program, "poke_unseen"), (other, "k"), (program, "poke_unseen")):
        arguments = [program.device.array(np.zeros(64, np.int32)).address] if kernel == "poke_unseen" else [x]
        before = set(pools.pool(os.getpid())._idle)
        launched.launch(kernel, args=arguments, on_finding="collect")
        alive = [worker for worker in pools.pool(os.getpid())._all if worker.alive]
        assert kernel == "k" or not set(alive) - before
