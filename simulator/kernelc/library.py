"""What of the libraries of C and C++ kernels may call; a call of anything else is a finding at its line.

Functions of values alone are the library's own. Those that work on memory are wrapped by the runtime, which checks and
notes what they read and write. A function that is in no list could store where nobody sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: The runtime's take their places: they check, note, and go on to the library's own, or end what runs.
WRAPPED = _names("""
    abort exit malloc calloc realloc free aligned_alloc _Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm memcpy memmove
    memset mempcpy memccpy bcopy bzero swab memcmp bcmp memchr memrchr wmemset wmemcpy qsort strlen strnlen strcpy
    stpcpy strncpy strcat strncat strcmp strcasecmp strncmp strncasecmp strchr strrchr strstr strpbrk strspn strcspn
    atoi atol atoll atof strtol strtoul strtoll strtoull strtof strtod _ZSt11_Hash_bytesPKvmm frexp frexpf modf
    modff sincos sincosf remquo remquof lgamma_r lgammaf_r time clock_gettime gettimeofday nanosleep getrandom
    sigfillset sigemptyset sigprocmask write syscall vfprintf vprintf printf fprintf vsnprintf vsprintf snprintf
    sprintf puts fputs fwrite
""")
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
    setitimer timer_create signal sigaction sigaltstack pthread_create dlopen sleep usleep pause getppid getuid
    geteuid getgid _exit _Exit quick_exit atexit getenv setenv
""")
_KNOWN = frozenset(
    [*WRAPPED, *(name + suffix for name in _MATHEMATICS for suffix in ("", "f", "l")), *_VALUES, *_SETJMP, *_REQUESTS]
)
#: What the compiler, exceptions and the C++ library need; no function of these stores through a pointer of a kernel's
#: but by those of the C library.
_SUPPORT = re.compile(
    r"__cxa_|__gxx_|_Unwind_|__errno_location|__tls_get_addr|_GLOBAL_OFFSET_TABLE_|__dso_handle|__dynamic_cast"
    r"|__(?:extend|trunc|float|fix|add|sub|mul|div|neg|pow|udiv|umod|mod|eq|ne|l[te]|g[te]|unord|cmp|ucmp|clz|ctz|ffs"
    r"|popcount|parity|bswap|ash|lsh)\w*\d"
    r"|std(?:in|out|err)$|_*environ$|opt(?:arg|ind|err|opt)$"
    r"|_ZT[ISTV]|_ZSt\d+__throw_|_ZSt9terminatev|_ZSt17rethrow_exception|_ZN?K?St\w*(?:exception|_error|bad_\w+)"
    r"|_ZN?K?SaI|_ZN?K?St7__cxx11|_ZNK?Ss|_ZNK?So|_ZStls|_ZSt\d+(?:endl|ends|flush|__ostream_insert|cout|cerr|clog)"
    r"|_ZNK?St8ios_base|_ZNSt9basic_ios|_ZNK?St6locale|_ZN?K?St15basic_streambuf|_ZSt\d+_Rb_tree_|_ZN?K?St8__detail"
    r"|_ZNSt6chrono3_V2|_ZSt15set_new_handler|_ZSt7nothrow|_ZSt9use_facet|_ZNK?St5ctype|_ZSt13__check_facet"
)
#: The runtime's, and what the linker defines.
_OURS = re.compile(r"mlusim_|__tsan_|__wrap_|__sanitizer_|__start_|__stop_|(?:__ehdr_start|_end|_DYNAMIC)$")


def unmodelled(names: Iterable[str]) -> set[str]:
    """Of the functions that a kernel uses and no source defines, those that may not be called."""
    return {name for name in names if name not in _KNOWN and not _OURS.match(name) and not _SUPPORT.match(name)}
