"""The system calls that a kernel has no business with, in words. Numbers are those of Linux on x86-64."""

from __future__ import annotations

#: What a kernel may not do -> the calls that do it, with their numbers.
_DEEDS: dict[str, dict[str, int]] = {
    "open files": {"open": 2, "openat": 257, "openat2": 437, "creat": 85, "open_by_handle_at": 304,
                   "memfd_create": 319},
    "look at files": {
        "stat": 4, "lstat": 6, "newfstatat": 262, "statx": 332, "access": 21, "faccessat": 269, "faccessat2": 439,
        "readlink": 89, "readlinkat": 267, "getdents": 78, "getdents64": 217, "getcwd": 79, "statfs": 137,
    },
    "change files": {
        "rename": 82, "renameat": 264, "renameat2": 316, "mkdir": 83, "mkdirat": 258, "rmdir": 84, "link": 86,
        "linkat": 265, "unlink": 87, "unlinkat": 263, "symlink": 88, "symlinkat": 266, "chmod": 90, "fchmod": 91,
        "fchmodat": 268, "chown": 92, "fchown": 93, "lchown": 94, "truncate": 76, "ftruncate": 77, "fallocate": 285,
        "mknod": 133, "mknodat": 259, "utimensat": 280, "mount": 165, "umount2": 166, "chroot": 161,
    },
    "use file descriptors": {
        "read": 0, "write": 1, "close": 3, "close_range": 436, "lseek": 8, "pread64": 17, "pwrite64": 18, "readv": 19,
        "writev": 20, "dup": 32, "dup2": 33, "dup3": 292, "fcntl": 72, "ioctl": 16, "sendfile": 40, "pipe": 22,
        "pipe2": 293, "poll": 7, "select": 23, "epoll_create1": 291, "eventfd2": 290, "splice": 275, "fstat": 5,
        "copy_file_range": 326, "pidfd_getfd": 438,
    },
    "use the network": {
        "socket": 41, "socketpair": 53, "connect": 42, "bind": 49, "listen": 50, "accept": 43, "accept4": 288,
        "sendto": 44, "sendmsg": 46, "sendmmsg": 307, "recvfrom": 45, "recvmsg": 47, "shutdown": 48,
    },
    "start processes or threads": {"fork": 57, "vfork": 58, "clone": 56, "clone3": 435},
    "run programs": {"execve": 59, "execveat": 322},
    "end the process": {"exit": 60, "exit_group": 231},
    "send signals": {
        "kill": 62, "tkill": 200, "tgkill": 234, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297,
        "pidfd_send_signal": 424,
    },
    "change how signals are handled": {"rt_sigaction": 13, "sigaltstack": 131, "signalfd4": 289, "rt_sigreturn": 15},
    "wait": {"pause": 34, "rt_sigsuspend": 130, "rt_sigtimedwait": 128},
    "set timers": {"alarm": 37, "setitimer": 38, "timer_create": 222, "timer_settime": 223, "timerfd_create": 283},
    "touch other processes": {
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "wait4": 61, "waitid": 247, "pidfd_open": 434,
        "setpgid": 109, "setsid": 112, "kcmp": 312, "perf_event_open": 298, "getppid": 110,
    },
    "change the memory of the process": {
        "mmap": 9, "mprotect": 10, "munmap": 11, "mremap": 25, "madvise": 28, "shmat": 30, "shmget": 29, "msync": 26,
        "remap_file_pages": 216, "pkey_mprotect": 329, "userfaultfd": 323, "mlock": 149, "mlockall": 151,
    },
    "change the process": {
        "prctl": 157, "arch_prctl": 158, "setrlimit": 160, "prlimit64": 302, "seccomp": 317, "chdir": 80, "fchdir": 81,
        "umask": 95, "setuid": 105, "setgid": 106, "personality": 135, "unshare": 272, "setns": 308,
        "setpriority": 141, "sched_setaffinity": 203, "bpf": 321, "keyctl": 250, "io_uring_setup": 425,
    },
}  # fmt: skip
_NAMES = {number: (name, deed) for deed, calls in _DEEDS.items() for name, number in calls.items()}
NUMBERS = {name: number for calls in _DEEDS.values() for name, number in calls.items()}
#: Which argument of a call is a path: the first, or the second after the descriptor of a folder.
_PATH = dict.fromkeys(
    ("open", "creat", "stat", "lstat", "access", "readlink", "rename", "mkdir", "rmdir", "link", "unlink", "symlink",
     "chmod", "chown", "lchown", "truncate", "mknod", "chroot", "execve", "chdir", "memfd_create", "statfs"), 0,
) | dict.fromkeys(
    ("openat", "openat2", "newfstatat", "statx", "faccessat", "faccessat2", "readlinkat", "renameat", "renameat2",
     "mkdirat", "linkat", "unlinkat", "fchmodat", "mknodat", "utimensat", "execveat"), 1,
)  # fmt: skip
#: Flag of the memory that a thread's stack is to have.
_MAP_STACK = 0x20000


def path_argument(number: int) -> int | None:
    """Which argument of a system call is a path, if one is."""
    return _PATH.get(_NAMES.get(number, ("", ""))[0])


def deed_and_call(number: int, arguments: tuple[int, ...], path: str | None) -> tuple[str, str]:
    """What a kernel tried, and the call by which; ``path`` is the text of the argument that is one."""
    if number == NUMBERS["mmap"] and arguments[3] & _MAP_STACK:
        return "start processes or threads", "pthread_create"
    name, deed = _NAMES.get(number, (f"system call {number}", "call the operating system"))
    shown = [repr(path)] if path is not None else [str(value) for value in arguments[:2]]
    return deed, f"{name}({', '.join(shown)})"
