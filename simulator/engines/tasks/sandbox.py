"""The wall around the process that runs kernels: which system calls it can make at all. Linux on x86-64.

Two layers, neither of which needs root or a library: a seccomp filter that lets through what running code needs and
turns every other call into a SIGSYS (native/runtime/calls.cpp makes a finding of it), and Landlock below it. A
third, the dispatch of system calls, tells a kernel's calls from the simulator's own; it belongs to the runtime. What
is missing on a host is said and not fatal.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ...native.landlock import keep_from_all
from ...native.machine import PROCESSOR, X86_64
from .syscalls import NUMBERS

#: What the process may do with any arguments: use its own memory, end, keep time, and use the descriptors it has.
#: Numbers of calls that no kernel of ours is ever told it may not make stand here themselves.
_FREE = {
    *(NUMBERS[name] for name in (
        "mmap", "mprotect", "munmap", "mremap", "read", "pread64", "fstat", "lseek", "dup", "exit", "exit_group",
        "rt_sigaction", "rt_sigreturn", "sigaltstack", "setitimer",
    )),
    12,  # brk
    14,  # rt_sigprocmask
    24,  # sched_yield
    35,  # nanosleep
    39,  # getpid
    96,  # gettimeofday
    98,  # getrusage
    99,  # sysinfo
    186,  # gettid
    201,  # time
    202,  # futex
    204,  # sched_getaffinity
    228,  # clock_gettime
    229,  # clock_getres
    230,  # clock_nanosleep
    318,  # getrandom
}  # fmt: skip
#: Whether a descriptor is a terminal, and how memory is used: the requests that are harmless, for root too.
_ASK_TERMINAL, _ADVICE = (0x5401,), range(22)
_SECCOMP = NUMBERS["seccomp"]
_SET_FILTER, _ACTION_AVAILABLE, _ALL_THREADS = 1, 2, 1
_NO_NEW_PRIVILEGES = 38
_TRAP, _ALLOW = 0x00030000, 0x7FFF0000
_HOST = 0xC000003E  # AUDIT_ARCH_X86_64
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF: load a word of the call, jump if equal, return
_NUMBER, _ABI, _ARGUMENTS = 0, 4, 16  # where they lie in what a filter is given


def filter_program(channel: int, life: int) -> bytes:
    """The BPF program: `_FREE` calls, messages on one descriptor, and text on standard output and error.

    Two descriptors cannot be closed: that of the messages, and the one that ends the process with its parent.
    """
    checks = {
        **dict.fromkeys(("sendmsg", "recvmsg", "sendto", "recvfrom"), _argument(0) + _any((channel,))),
        **dict.fromkeys(("write", "writev"), _argument(0) + _any((1, 2))),
        "ioctl": _argument(1) + _any(_ASK_TERMINAL),
        "madvise": _argument(2) + _any(_ADVICE),
        "close": _argument(0) + _any((channel, life), _TRAP) + _step(_RETURN, _ALLOW),
    }
    blocks = [_calls(_FREE)]
    for name, allowed in checks.items():
        # skip over the check of the argument unless it is this call
        check = allowed + _step(_RETURN, _TRAP)
        blocks.append(_step(_EQUAL, NUMBERS[name], 0, len(check) // 8) + check)
    head = _step(_LOAD, _ABI) + _step(_EQUAL, _HOST, 1, 0) + _step(_RETURN, _TRAP) + _step(_LOAD, _NUMBER)
    return head + b"".join(blocks) + _step(_RETURN, _TRAP)


def _calls(numbers: Iterable[int]) -> bytes:
    return _any(sorted(numbers))


def _argument(number: int) -> bytes:
    """Load the lower half of an argument: descriptors and requests are 32 bits for Linux, too."""
    return _step(_LOAD, _ARGUMENTS + 8 * number)


def _any(values: Iterable[int], answer: int = _ALLOW) -> bytes:
    """Answer the call so if what was loaded is one of the values, else go on behind."""
    return b"".join(_step(_EQUAL, value, 0, 1) + _step(_RETURN, answer) for value in values)


def _step(code: int, k: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, k)


def close_sandbox(channel: int, life: int, runtime: ctypes.CDLL, images: Path) -> dict[str, str]:
    """Close the sandbox for good; what was missing on this host, by the name of the layer, in words.

    ``channel`` is the descriptor of the messages, ``life`` that of what ends the process. ``images`` is the folder that
    images are loaded from where no filter brings them by descriptor.
    """
    missing = {}
    _limit_resources()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if PROCESSOR != X86_64:
        if reason := keep_from_all([images]):
            missing["landlock"] = reason
        return missing | dict.fromkeys(("dispatch", "seccomp"), f"it is made for x86-64, and this is {PROCESSOR}")
    if runtime.mlusim_watch_system_calls():
        missing["dispatch"] = "this Linux cannot tell a kernel's system calls from the simulator's (5.11 or newer can)"
    action = ctypes.c_uint32(_TRAP)
    filters = libc.syscall(_SECCOMP, _ACTION_AVAILABLE, 0, ctypes.byref(action)) == 0
    if reason := keep_from_all([] if filters else [images]):
        missing["landlock"] = reason
    program = filter_program(channel, life)
    buffer = ctypes.create_string_buffer(program, len(program))
    given = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer)))
    if not filters or libc.syscall(_SECCOMP, _SET_FILTER, _ALL_THREADS, given) != 0:
        missing["seccomp"] = (
            f"this Linux, or a container around it, allows no filter: {os.strerror(ctypes.get_errno())}"
        )
    return missing


def _limit_resources() -> None:
    """No core files, no files at all, and the first to go when the host's memory ends."""
    for limit in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (0, 0))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
