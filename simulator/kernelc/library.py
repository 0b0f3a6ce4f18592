"""Which functions of the libraries of C and C++ kernels may call; a call of any other is a finding at its line.

Functions that only compute values are called as they are. Those that work on memory are wrapped by the runtime, which
checks and notes what they read and write, and which is the list of them. What any other function stores would not be
seen.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import cache
from pathlib import Path

from ..native.elf import Elf


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_MATHEMATICS = _names("""
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor
    fma fmax fmin fmod hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround nearbyint
    nextafter pow remainder rint round roundeven scalbln scalbn sin sinh sqrt tan tanh tgamma trunc j0 j1 jn y0 y1
    yn drem significand finite isinf isnan __finite __isinf __isnan __fpclassify __signbit
""")
_VALUES = _names("""
    abs labs llabs div ldiv lldiv ffs ffsl ffsll rand srand random srandom clock getpid sched_yield isalnum isalpha
    isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper putchar putc
    fputc fflush htonl htons ntohl ntohs raise longjmp siglongjmp _longjmp __stack_chk_fail __assert_fail
""")
#: What these store is shown like the accesses of code, see `assembly`.
_SETJMP = _names("setjmp _setjmp __sigsetjmp")
#: Functions that ask the system for what it refuses, which is a finding at their line, or that no pointer is given to.
_REQUESTS = _names("""
    open openat creat fopen freopen opendir read pread close dup dup2 dup3 pipe socket connect bind listen accept
    send sendto recv recvfrom fork vfork execve execv execvp execl execlp posix_spawn system popen kill killpg
    tgkill ptrace process_vm_readv process_vm_writev mmap munmap mprotect mremap madvise brk sbrk chdir fchdir mkdir
    rmdir unlink remove rename link symlink chmod chown truncate umask access setuid setgid prctl setrlimit alarm
    setitimer timer_create signal sigaction sigaltstack pthread_create sleep usleep pause getppid getuid
    geteuid getgid _exit _Exit quick_exit atexit getenv setenv
""")
_KNOWN = frozenset(
    [*(name + suffix for name in _MATHEMATICS for suffix in ("", "f", "l")), *_VALUES, *_SETJMP, *_REQUESTS]
)
#: What the compiler, exceptions and the C++ library need. These functions store through a kernel's pointer only by
#: calling the C library.
_SUPPORT = re.compile(
    r"__cxa_|__gxx_|_Unwind_|__errno_location|__tls_get_addr|_GLOBAL_OFFSET_TABLE_|__dso_handle|__dynamic_cast"
    r"|__(?:extend|trunc|float|fix|add|sub|mul|div|neg|pow|udiv|umod|mod|eq|ne|l[te]|g[te]|unord|cmp|ucmp|clz|ctz|ffs"
    r"|popcount|parity|bswap|ash|lsh)\w*\d"
    r"|std(?:in|out|err)$|_*environ$|opt(?:arg|ind|err|opt)$"
    r"|_ZT[ISTV]|_ZSt\d+__throw_|_ZSt9terminatev|_ZSt17rethrow_exception|_ZN?K?St\w*(?:exception|_error|bad_\w+)"
    r"|_ZN?K?SaI|_ZN?K?St7__cxx11|_ZNK?Ss|_ZNK?So|_ZStls|_ZSt\d+(?:endl|ends|flush|__ostream_insert|cout|cerr|clog)"
    r"|_ZNK?St8ios_base|_ZNSt9basic_ios|_ZNK?St6locale|_ZN?K?St15basic_streambuf"
    r"|_ZN?K?St1[34]basic_(?:[io]?fstream|filebuf)|_ZSt\d+_Rb_tree_|_ZN?K?St8__detail"
    r"|_ZNSt6chrono3_V2|_ZSt15set_new_handler|_ZSt7nothrow|_ZSt9use_facet|_ZNK?St5ctype|_ZSt13__check_facet"
)
#: What the C library puts before a name for a standard.
_STANDARD = re.compile(r"__isoc\d+_")
_WRAPPER = "__wrap_"
#: The runtime's, and what the linker defines.
_OURS = re.compile(r"mlusim_|__tsan_|__wrap_|__sanitizer_|__start_|__stop_|(?:__ehdr_start|_end|_DYNAMIC)$")


@cache
def wrapped(runtime: Path) -> frozenset[str]:
    """The functions that a runtime replaces by its own, which check, note, and call the library's or end what runs.

    The runtime is the list of them: before the name of each of its own stands ``__wrap_``.
    """
    tables = Elf(runtime)
    rows = [*tables.dynamic_symbols(), *tables.symbols()]
    names = {row.name for row in rows if row.defined and row.name.startswith(_WRAPPER)}
    return frozenset(name.removeprefix(_WRAPPER) for name in names if "." not in name)  # no part of a function


def plain(name: str) -> str:
    """The name of a function of the C library without the standard that its header has put before."""
    return _STANDARD.sub("", name, count=1)


def unmodelled(names: Iterable[str], checked: Container[str]) -> set[str]:
    """Of the functions that a kernel uses and no source defines, those that may not be called.

    ``checked`` are the functions of the library that a runtime replaces.
    """
    return {
        name
        for name in names
        if plain(name) not in checked
        and plain(name) not in _KNOWN
        and not _OURS.match(name)
        and not _SUPPORT.match(name)
    }
