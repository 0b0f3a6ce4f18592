"""From a compiled source to an image; functions that are called and defined nowhere are findings at their call."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ..native.build import uncaught_handler
from ..native.compiler import Compiler
from ..native.machine import AARCH64, PROCESSOR
from ..native.process import CommandResult
from .language import LINK
from .library import plain, unmodelled, wrapped

#: What the C++ library takes from the heap is then taken by the kernel.
_STATIC = ("-static-libstdc++", "-Wl,--exclude-libs,libstdc++.a")
_NOT_STATIC = re.compile(r"(?:cannot find|unable to find library) -lstdc\+\+")
#: What throws exceptions, or gives up.
_THROWING = re.compile(
    r"(?:mlusim_note_)?(__cxa_allocate_exception|__cxa_throw|__cxa_rethrow|_ZSt9terminatev|_ZSt\d+__throw_\w+)"
)
#: What the compiler calls types of the language.
_TYPES = {
    re.compile(r"_Float16|mlusim::Narrow<mlusim::Binary16>(?: (?=>))?"): "half",
    re.compile(r"mlusim::Narrow<mlusim::Bfloat16>(?: (?=>))?"): "bfloat16_t",
}
_NOTED = ".globl mlusim_note_{0}\n.hidden mlusim_note_{0}\n.type mlusim_note_{0}, @function\nmlusim_note_{0}:\n"
_IS_ARM = PROCESSOR == AARCH64
#: A function that notes its caller, and goes on to what it stands for.
_NOTE = _NOTED + (
    "\tadrp x16, :got:mlusim_throw_pc\n\tldr x16, [x16, :got_lo12:mlusim_throw_pc]\n\tstr x30, [x16]\n\tb {0}\n"
    if _IS_ARM
    else "\tmov (%rsp), %r10\n\tmov mlusim_throw_pc@GOTPCREL(%rip), %r11\n\tmov %r10, (%r11)\n\tjmp {0}@PLT\n"
)
#: Where kernels run as blocks of threads: any exception ends the thread there.
_THROWN = _NOTED + ("\tmov x0, x30\n\tb mlusim_thrown\n" if _IS_ARM else "\tmov (%rsp), %rdi\n\tjmp mlusim_thrown\n")
_JUMP = "\tb {1}\n" if _IS_ARM else "\tjmp {1}@PLT\n"
#: A function of the C library by the name that the headers of a standard give it.
_PLAIN = "\t.text\n.globl {0}\n.hidden {0}\n.type {0}, @function\n{0}:\n" + _JUMP
_PLAIN_STACK = '\t.section\t.note.GNU-stack,"",@progbits\n'
_UNRESOLVED = re.compile(r"undefined (?:reference to|symbol:?) ?[`']?([^\s`']+)")
#: What is said of those where they are no error, and where they are used.
_WARNED = "warning: (?:more )?undefined reference"
_ONLY_UNRESOLVED = re.compile(rf"^.*: {_WARNED}.*\n?|^.*: in function .*:\n(?=.*: {_WARNED})", re.M)
_OF_RUNTIME = re.compile(
    r"mlusim_|__wrap_|__tsan_(?:(?:unaligned_)?(?:volatile_)?(?:read|write)(?:\d+|_range)|mem(?:cpy|move|set)|init"
    r"|func_(?:entry|exit)|vptr_(?:read|update)|atomic(?:8|16|32|64|128)_(?:load|store|exchange|fetch_\w+"
    r"|compare_exchange_\w+)|atomic_(?:thread|signal)_fence)$"
)
_OF_THREADS = re.compile(r"mlusim_")
#: A use of a function in an object file, in the words of readelf: its offset, its kind, the symbol.
_CALLS = "R_AARCH64_(?:CALL26|JUMP26)" if _IS_ARM else "R_X86_64_PLT32"
_ADDRESSES = r"R_AARCH64_(?:ABS64|ADR_GOT\w*)" if _IS_ARM else r"R_X86_64_(?:64|\w*GOTPCREL\w*)"
_USE = re.compile(rf"^[0-9a-f]+ +[0-9a-f]+ (?:{_CALLS}|{_ADDRESSES}) +[0-9a-f]+ (\S+) [-+] ", re.M)
_CALL = re.compile(rf"^[0-9a-f]+ +[0-9a-f]+ {_CALLS} +[0-9a-f]+ (\S+) [-+] ", re.M)
#: A symbol that an object file defines, in the words of readelf, and one that it does not.
_OFFERED = re.compile(r"^ *\d+: [0-9a-f]+ +\w+ +(?:FUNC|OBJECT) +(?:GLOBAL|WEAK) +\w+ +\d+ (\S+)", re.M)
_WANTED = re.compile(r"^ *\d+: 0+ +0 \w+ +(?:GLOBAL|WEAK) +\w+ +UND (\S+)", re.M)


def link(
    compiler: Compiler, unlinked: Path, image: Path, others: Callable[[], Iterable[Path]], runtime: Path, threads: bool
) -> CommandResult:
    """Link an image, without the sanitizer's own library: ours takes its place.

    Of the object files ``others`` it takes those that define what the rest lacks. ``threads``: the runtime is that of
    blocks of threads, whose hooks are those of the image alone.
    """
    objects, left = [unlinked], None
    ours, checked = _OF_THREADS if threads else _OF_RUNTIME, wrapped(runtime)
    flags = [*LINK, *(f"-Wl,--wrap={name}" for name in sorted(checked)), *_STATIC, "-o", str(image)]
    while True:
        step = [*flags, *map(str, objects), *_throws(compiler, objects, threads), *([str(runtime)] if threads else [])]
        result = compiler.run([*step, "-Wl,--no-demangle"], image.parent)
        if result.returncode and _NOT_STATIC.search(result.messages):
            step = [word for word in step if word not in _STATIC]
            result = compiler.run([*step, "-Wl,--no-demangle"], image.parent)
        unresolved = {name for name in _UNRESOLVED.findall(result.messages) if not ours.match(name)}
        if result.returncode:
            result = compiler.run([*step, "-Wl,--demangle"], image.parent)
            return replace(result, messages=_ONLY_UNRESOLVED.sub("", result.messages))
        missing, standard = _missing(objects, unresolved, checked)
        lacking = unresolved | missing  # of a library, too: a source may have its own
        left = list(others()) if lacking and left is None else left or []
        found = next((other for other in left if not lacking.isdisjoint(_defined(other))), None)
        if found is None:
            break
        left.remove(found)
        objects.append(Path(shutil.copy(found, image.with_suffix(f".{len(objects)}.o"))))
    if not missing and not standard:
        return result
    stubs, names = unlinked.with_suffix(".stubs.cpp"), unlinked.with_suffix(".names.s")
    stubs.write_text(_stubs(sorted(missing), unresolved), encoding="utf-8")
    names.write_text("".join([*(_PLAIN.format(name, plain(name)) for name in sorted(standard)), _PLAIN_STACK]), "ascii")
    # A part of a library that is linked for something else may have one of them, too: the first one counts.
    flags = ["-O1", "-fPIC", "-fno-optimize-sibling-calls", "-Wl,-z,muldefs"]
    return compiler.run([*flags, *step, str(stubs), str(names)], image.parent)


def _throws(compiler: Compiler, objects: Sequence[Path], threads: bool) -> list[str]:
    """What to link so that an uncaught exception is a finding, at the line where it was thrown."""
    # Not those that headers of the C++ library define: what throws in them is noted.
    wanted = {name for path in objects for name in _WANTED.findall(_asked(path))}
    names = sorted({found[1] for found in map(_THROWING.fullmatch, wanted) if found})
    if not names:
        return []
    tool = shutil.which("objcopy") or shutil.which("llvm-objcopy")
    if tool:  # only what the source itself throws is noted, not what the C++ library does on the way
        renamed = [f"--redefine-sym={name}=mlusim_note_{name}" for name in names]
        for path in objects:
            subprocess.run([tool, *renamed, str(path)], capture_output=True, check=False)
    notes = objects[0].with_suffix(".throws.s")
    form = _THROWN if threads else _NOTE
    notes.write_text("".join(["\t.text\n", *map(form.format, names), _PLAIN_STACK]), encoding="ascii")
    return [str(notes), *([] if threads else [str(uncaught_handler(compiler))])]


def _defined(unlinked: Path) -> set[str]:
    """The functions and variables that an object file offers to others."""
    return set(_OFFERED.findall(_asked(unlinked)))


def _missing(objects: Sequence[Path], unresolved: set[str], checked: Container[str]) -> tuple[set[str], set[str]]:
    """Functions that object files use and none of them defines: the missing ones, and those with another name.

    A missing one is in no library that kernels may call. The others are, under another name than the one that the
    headers of a standard have given them.
    """
    uses, calls, wanted, offered = set[str](), set[str](), set[str](), set[str]()
    for said in map(_asked, objects):
        for found, pattern in ((uses, _USE), (calls, _CALL), (wanted, _WANTED), (offered, _OFFERED)):
            found.update(pattern.findall(said))
    wanted -= offered
    unknown = unmodelled(uses, checked)
    standard = {name for name in wanted & uses - unknown if plain(name) != name}
    return wanted & ((unknown - unresolved) | (calls & unresolved)) - standard, standard  # a variable is no call


def _asked(unlinked: Path) -> str:
    """What readelf says of an object file's uses and symbols, "" where there is none."""
    tool = shutil.which("readelf") or shutil.which("llvm-readelf")
    if not tool:
        return ""
    done = subprocess.run([tool, "-rsW", str(unlinked)], capture_output=True, check=False)
    return done.stdout.decode(errors="backslashreplace")


def _stubs(missing: Iterable[str], unresolved: Container[str]) -> str:
    """A function for each missing one, that reports its call; those that are not unresolved are a library's."""
    lines = ['extern "C" {', "void mlusim_not_modelled(const char* name, long pc);"]
    here = "(long)__builtin_return_address(0)"
    for number, (name, title) in enumerate(zip(missing, _titles(missing), strict=True)):
        of_library = name not in unresolved or plain(name) != name
        shown = plain(title.removesuffix("()")) if of_library else title
        lines += [
            f'__attribute__((visibility("hidden"))) long mlusim_missing_{number}(void) __asm__("{name}");',
            f'long mlusim_missing_{number}(void) {{ mlusim_not_modelled("{shown}", {here}); return 0; }}',
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
    for called, name in _TYPES.items():
        given = [called.sub(name, each) for each in given]
    return [name if "(" in name else f"{name}()" for name in given]
