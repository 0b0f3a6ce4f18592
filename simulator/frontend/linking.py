"""From a compiled source to an image; functions that are called and defined nowhere are findings at their call."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .compiler import CSRC, Compiler
from .process import Done

LINK = (
    "-shared", "-Wl,--gc-sections", "-Wl,-z,lazy",
    "-Wl,--unresolved-symbols=report-all,--warn-unresolved-symbols",  # the runtime has some, the rest may not be called
    "-Wl,--wrap=abort,--wrap=exit",  # the runtime turns both into findings
    "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset",  # and sees what they access
    # and knows what a kernel may access on the heap
    "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=aligned_alloc",
)  # fmt: skip
#: What the C++ library takes from the heap is then taken by the kernel.
_STATIC = ("-static-libstdc++", "-Wl,--exclude-libs,libstdc++.a")
_NOT_STATIC = re.compile(r"(?:cannot find|unable to find library) -lstdc\+\+")
#: Tells the runtime where an exception is thrown.
_THROWS = """#include "mlusim_rt.h"
extern "C" [[noreturn]] void __real___cxa_throw(void*, void*, void (*)(void*));
extern "C" [[noreturn]] void __wrap___cxa_throw(void* object, void* type, void (*destroy)(void*)) {
  mlusim_throw(MLUSIM_PC);
  __real___cxa_throw(object, type, destroy);
}
"""
_UNRESOLVED = re.compile(r"undefined (?:reference to|symbol:?) ?[`']?([^\s`']+)")
_OF_RUNTIME = re.compile(r"mlusim_|__tsan_|__wrap_")
#: A call in an object file, in the words of readelf: its offset, its kind, the symbol.
_CALL = re.compile(r"^[0-9a-f]+ +[0-9a-f]+ R_X86_64_PLT32 +[0-9a-f]+ (\S+) [-+] ", re.M)


def link(compiler: Compiler, unlinked: Path, image: Path) -> Done:
    """Link an image, without the sanitizer's own library: ours takes its place."""
    extra: list[str] = []
    if b"\0__cxa_throw\0" in unlinked.read_bytes():
        throws = unlinked.with_suffix(".throws.cpp")
        throws.write_text(_THROWS, encoding="utf-8")
        extra = ["-Wl,--wrap=__cxa_throw", "-O1", "-fPIC", f"-I{CSRC}", "-fno-optimize-sibling-calls", str(throws)]
    step = [*LINK, *_STATIC, "-o", str(image), str(unlinked), *extra]
    result = compiler.run([*step, "-Wl,--no-demangle"], image.parent)
    if result.returncode and _NOT_STATIC.search(result.messages):
        step = [word for word in step if word not in _STATIC]
        result = compiler.run([*step, "-Wl,--no-demangle"], image.parent)
    unresolved = {name for name in _UNRESOLVED.findall(result.messages) if not _OF_RUNTIME.match(name)}
    if result.returncode or not unresolved:
        return result
    missing = sorted(unresolved.intersection(_called(unlinked)))
    if not missing:
        return result
    stubs = unlinked.with_suffix(".stubs.cpp")
    stubs.write_text(_stubs(missing), encoding="utf-8")
    flags = ["-O1", "-fPIC", f"-I{CSRC}", "-fno-optimize-sibling-calls"]
    return compiler.run([*flags, *step, str(stubs)], image.parent)


def _called(unlinked: Path) -> set[str]:
    """The functions that an object file calls; variables that it uses are not among them."""
    tool = shutil.which("readelf") or shutil.which("llvm-readelf")
    if not tool:
        return set()
    done = subprocess.run([tool, "-rW", str(unlinked)], capture_output=True, check=False)
    return set(_CALL.findall(done.stdout.decode(errors="backslashreplace")))


def _stubs(missing: Iterable[str]) -> str:
    """A function for each missing one, that reports its call."""
    lines = ['#include "mlusim_rt.h"', 'extern "C" {']
    for number, (name, title) in enumerate(zip(missing, _titles(missing), strict=True)):
        lines += [
            f'long mlusim_missing_{number}(void) __asm__("{name}");',
            f'long mlusim_missing_{number}(void) {{ mlusim_not_modelled("{title}", MLUSIM_PC); return 0; }}',
        ]
    return "\n".join([*lines, "}", ""])


def _titles(names: Iterable[str]) -> list[str]:
    """Names as the source has them, with the parameters that C++ functions have, else with ()."""
    given = list(names)
    tool = shutil.which("c++filt") or shutil.which("llvm-cxxfilt")
    if tool:
        done = subprocess.run([tool], input="\n".join(given), capture_output=True, text=True, check=False)
        shown = done.stdout.splitlines()
        given = shown if len(shown) == len(given) else given
    return [name if "(" in name else f"{name}()" for name in given]
