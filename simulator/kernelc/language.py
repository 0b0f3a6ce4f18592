"""What the build must know of a language that kernels are written in, and what the languages share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from ..chip import Shape
from .declared import KernelDecl, declared_as
from .source import escape

VISIBLE = '__attribute__((visibility("default")))'
UNSEEN = '__attribute__((visibility("default"), no_sanitize("thread")))'
#: Characters beyond ASCII that clang takes for a blank, and g++ for part of a name.
_ODD_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_LITERAL_OR_ODD_SPACE = re.compile(
    rf""" "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | {_ODD_SPACES.pattern} """, re.VERBOSE
)


@dataclass(frozen=True)
class Unit:
    """A preprocessed source as plain C or C++, and the kernels that it defines."""

    text: str
    kernels: tuple[str, ...]  #: those that are no templates
    templates: tuple[str, ...] = ()
    declared: tuple[KernelDecl, ...] = ()  # all of them, as they are written; of C kernels nothing is known
    #: Kernel that takes one pointer to all of its arguments -> the structure as which it reads them.
    blocks: Mapping[str, str] = field(default_factory=dict)
    #: C kernel -> the file, escaped as in a C string literal, and the line that registers it.
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    #: Macros that the user defines and the source defines again: name, file and line.
    redefined: tuple[tuple[str, str, int], ...] = ()


#: What the linker is told of an image.
LINK = (
    "-Wl,-init,mlusim_begin",  # the function that runs before its static initialisers
    "-shared", "-Wl,--gc-sections",
    "-Wl,-z,now,-z,relro",  # what leads to functions of libraries is not the kernel's to write
    "-Wl,--unresolved-symbols=report-all,--warn-unresolved-symbols",  # the runtime has some, the rest may not be called
)  # fmt: skip


def sections(*names: str) -> list[str]:
    """The function with which an image begins, and the bounds of sections of an image; 0 where the image has none."""
    # A C source of functions alone need not include our header, which declares the last of these.
    lines = [
        "void mlusim_begin(void), mlusim_begin_image(void);",
        f"{UNSEEN} void mlusim_begin(void) {{ mlusim_begin_image(); }}",
    ]
    for name in names:
        bounds = [f"__{bound}_mlusim_{name}" for bound in ("start", "stop")]
        lines += [f'extern char {bound}[] __attribute__((weak, visibility("hidden")));' for bound in bounds]
        lines += [
            f"extern {VISIBLE} char* const mlusim_bounds_of_{name}[2];",
            f"char* const mlusim_bounds_of_{name}[2] = {{ {', '.join(bounds)} }};",
        ]
    return lines


def cpp_unit(preprocessed: str, known_asm: Mapping[str, str]) -> Unit:
    """A preprocessed source of a C++ dialect as plain C++; see `rewrite`."""
    from .rewrite import rewrite  # a source that is kept has been rewritten

    done = rewrite(with_plain_spaces(preprocessed), known_asm)
    plain = tuple(kernel.name for kernel in done.kernels if not kernel.template)
    return Unit(done.text, plain, tuple(kernel.name for kernel in done.kernels if kernel.template), done.kernels)


def cpp_entries(kernels: Sequence[str], declared: Sequence[KernelDecl]) -> str:
    """An entry and a signature for each kernel of a C++ dialect, and the bounds of the image's sections."""
    lines = ["", '# 1 "<mlusim entry points>"']
    every = {kernel.name: kernel for kernel in declared}
    known = {name: kernel for name, kernel in every.items() if kernel.overloaded or not kernel.template}
    address = {}
    for number, kernel in enumerate(kernels):
        name = declared_as(kernel, known)
        arguments = kernel.removeprefix(name)
        address[kernel] = f"&{kernel}"
        if name in known:  # it may have the name of another function
            lines.append(_pointer(known[name], f"mlusim_kernel_{number}"))
            address[kernel] = f"{known[name].home}::mlusim_kernel_{number}{arguments}"
    lines += ['extern "C" {', *sections("slots", "ports")]
    for number, kernel in enumerate(kernels):
        own = every.get(declared_as(kernel, every))  # its line is that of what a task does last
        lines += [
            f'# {own.line} "{escape(own.file)}"' if own else f'# 1 "<launch of {kernel}>"',
            f"{UNSEEN} void mlusim_entry_{number}(void** arguments) "
            f"{{ ::mlusim::invoke({address[kernel]}, arguments); }}",
            f"extern {VISIBLE} constexpr ::mlusim::Signature mlusim_signature_{number}({address[kernel]});",
        ]
    return "\n".join([*lines, "}", ""])


def _pointer(kernel: KernelDecl, name: str) -> str:
    """A constant that points to a kernel, in its namespace: there its parameters' types mean what they say.

    That of a template is one as well, with the same parameters.
    """
    kinds = ", ".join(parameter.text for parameter in kernel.parameters)
    own, head = kernel.own_name, ""
    if kernel.template:
        named = [replace(p, name=p.name or f"mlusim_{at}") for at, p in enumerate(kernel.template_parameters)]
        own += f"<{', '.join(f'{p.name}...' if p.pack else p.name for p in named)}>"
        head = f"template <{', '.join(map(str, named))}> "
    pointer = f"{head}static constexpr void (*{name})({kinds}) = &{own};"
    return f"namespace {kernel.home} {{ {pointer} }}" if kernel.home else pointer


def with_plain_spaces(text: str) -> str:
    """The text with a blank for every no-break or wide space of its code, as clang reads them; literals stay."""
    if not _ODD_SPACES.search(text):
        return text
    return _LITERAL_OR_ODD_SPACE.sub(lambda found: found[0] if found[0][0] in "\"'" else " ", text)


#: What the compiler is told of kernels that run as tasks, each in spellings of which it takes one.
TASK_FLAGS: tuple[tuple[str, ...], ...] = (
    # What the vendor's compiler leaves in memory stays there: a sum that a loop reads and writes is no register.
    ("-fno-tree-pre -fno-move-loop-stores", "-fno-tree-pre"),
    # A structure is copied as a block, its gaps and what is missing in it too, and not member by member.
    ("--param=sra-max-scalarization-size-Ospeed=0", ""),
    # A mark at every basic block, which `scalar_work` turns into a count of its operations.
    ("-fsanitize-coverage=trace-pc",),
)


class Language(Protocol):
    """What the build must know of a language."""

    flags: tuple[tuple[str, ...], ...]  # of the compiler, in spellings of which it takes one
    hooks_inside: bool  # what looks at accesses is an object in each image, not a library beside them
    kind: str  # as in the compiler's -x
    include: Path  # our headers
    header: str  # that of them which has the instructions
    kernel_mark: str  # what tells a kernel from other functions
    variable_words: frozenset[str]  # what stands before variables of the device that host code may name

    def preprocess(self, shape: Shape) -> list[str]:
        """Options of the preprocessor."""

    def host_macros(self, shape: Shape) -> dict[str, object]:
        """What the host's part of a source sees of the vendor's macros: not the architecture."""

    def compile(self) -> list[str]:
        """Options of the compiler."""

    def read(self, preprocessed: str) -> Unit:
        """Rewrite a preprocessed source and find its kernels."""

    def entries(self, kernels: Sequence[str], unit: Unit) -> str:
        """C functions by which the simulator reaches some kernels of a unit, to stand after its text."""
