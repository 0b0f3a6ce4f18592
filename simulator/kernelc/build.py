"""From a kernel's source file to a loadable image: preprocess, rewrite, compile."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...isa import DIALECTS, Dialect, declared_in
from ..chip import Shape
from ..findings import BuildError, rules
from ..native import IMAGES, INCLUDE, RUNTIME, STATED, THREADS
from ..native.build import threads_runtime
from ..native.compiler import Compiler
from ..native.library import runtime_and_passes
from ..native.machine import check_machine
from ..native.process import CommandResult, LimitReached
from .inputs import check_readable, embedded, file_stem
from .kept import kept
from .language import LINK, Language, Unit
from .languages import language_class, language_of
from .options import Options
from .overloads import MARK, by_name, preprocessed_operations, with_operations

if TYPE_CHECKING:
    from .conversions import Conversions
    from .declared import KernelDecl
    from .references import Reference
    from .tiles import SizeConstant

#: A char has a sign, as where the vendor's compiler runs.
_COMMON = ("-fsigned-char", "-fdiagnostics-color=never", "-fmax-errors=50")
# What an optimiser may not do here: change the arithmetic, drop a loop that does not end, or make one access, call or
# source line out of several.
_FLAGS = (
    "-O2", "-gdwarf-4",  # of version 5, addr2line takes a header's lines for the source's
    "-fPIC", "-fsanitize=thread", "-fno-optimize-sibling-calls", "-fno-omit-frame-pointer",
    "-ffp-contract=off", "-fno-finite-loops", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-unroll-loops",
    "-fno-strict-aliasing", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset",
    "-ffunction-sections", "-fdata-sections", "-fvisibility=hidden", *_COMMON,
)  # fmt: skip
#: An operation on half rounds to half, also where the host computes it in float.
_ROUND_HALF = ("-ffloat16-excess-precision=none", "-fexcess-precision=16")
#: Equal pieces of code are not merged: they would share one source line. An access stays in its function: if a value
#: were passed in place of its address, the caller would make the access, perhaps where accesses are not seen.
_KEEP_LINES = ("-fno-ipa-icf -fno-tree-tail-merge -fno-crossjumping -fno-ipa-sra",)
#: The frame of a function is set up where it begins, and nothing lies below it: accesses are shown from anywhere.
_FRAME = ("-fno-shrink-wrap -mno-red-zone", "-mno-red-zone")
#: The compiler, clang or g++, warns of local variables that are read and were never set: see `unset`.
_WARNED = ("-Wuninitialized -Wconditional-uninitialized", "-Wuninitialized -Wmaybe-uninitialized")
#: It says of numbers that change their type without a cast, and builds nothing: see `conversions`.
_CONVERTED = ("-fsyntax-only", "-Wconversion")
#: Local variables begin with bytes that are far from any number that a kernel computes with.
_POISONED = ("-ftrivial-auto-var-init=pattern",)
#: Blanks beyond ASCII reach us unchanged.
_ANY_NAME = ("-fno-extended-identifiers", "")
#: What the preprocessors, g++ and clang, say of a macro that is defined again.
_REDEFINED = re.compile(r"""^(.+?):(\d+)(?::\d+)?: warning: ["'](\w+)["'](?: macro)? redefined""", re.MULTILINE)
#: What follows the name of a file whose lines are those of the last commit.
_COMMITTED = "@HEAD"
#: A line marker with a relative name. It begins with plain text, which makes the search quick: texts have a megabyte.
_RELATIVE = re.compile(r'(\n# \d+ ")(?!/)')


@dataclass(frozen=True, kw_only=True)
class Source(Unit):
    """A file that has been preprocessed and rewritten for a device, ready to compile."""

    path: Path
    language: Language
    flags: tuple[str, ...] = ()  # that the compiler is given for it besides


@dataclass(frozen=True)
class Image:
    """A compiled source with its launchable kernels."""

    source: Source
    library: Path
    bytes: int
    kernels: tuple[str, ...]
    others: tuple[Source, ...]  # that it may be linked with

    @property
    def is_whole(self) -> bool:
        """Whether the library is still there, as long as it was."""
        try:
            return os.stat(self.library).st_size == self.bytes
        except OSError:
            return False


class Builder:
    """Builds the sources of one program for one device."""

    def __init__(self, shape: Shape, options: Options, is_confined: bool = False) -> None:
        """``is_confined``: the compiler reads the folders of the source and of the options, and no others."""
        check_machine()
        self.shape, self.options, self.is_confined = shape, options, is_confined
        self.dialect: Dialect = DIALECTS[shape.isa]
        self.compiler = Compiler()
        language = language_class(self.dialect)
        optional = (_WARNED, _ROUND_HALF, _KEEP_LINES, _FRAME, *language.flags)
        self.flags = [*_FLAGS, *(flag for spellings in optional for flag in self.compiler.accepted(*spellings))]
        self._reading = self.compiler.accepted(*_ANY_NAME)
        #: What the declarations give; an instruction that was changed in this process is in no file.
        self._declared = declared_in(self.dialect) or self._overloads()
        self._functions: dict[str, Mapping[str, str]] = {}  # of each language
        self.thread_runtime = threads_runtime(self.compiler) if language.hooks_inside else None
        files = [*sorted(Path(__file__).parent.glob("*.py")), RUNTIME / "mlusim_rt.h", RUNTIME / "exports.map"]
        files += [*sorted(RUNTIME.glob("*.inc")), RUNTIME / "hooks.cpp", *sorted(INCLUDE.rglob("*.h"))]
        files += [*sorted(INCLUDE.parent.glob("*.h")), RUNTIME / "mlusim_terminate.h", *sorted(IMAGES.glob("*"))]
        files += [*sorted(THREADS.glob("**/*.h"))] if self.thread_runtime else []
        confined = "confined" if is_confined else ""
        text = "".join([confined, self._declared, *(file.read_text(encoding="utf-8") for file in files)])
        self._key = hashlib.sha256(text.encode()).hexdigest()  # it is a part of many keys

    def runtime(self) -> Path:
        """The runtime library that runs images as tasks; BuildError when the compiler cannot build it."""
        return runtime_and_passes(self.compiler)

    def _header(self, name: str, key: str, text: Callable[[], str]) -> str:
        """The option for the folder of a generated header."""
        made = self.compiler.cache.file(name, key, lambda path: write(path, text()))
        return f"-isystem{made.parent}"

    def _enumerations(self) -> str:
        from .header import enumerations  # who finds it in the cache need not wait for the declarations

        return enumerations(self.dialect)

    def _overloads(self) -> str:
        from .header import operations

        return operations(self.dialect)

    def _command(self, path: Path, language: Language, operations: str, options: Options) -> list[str]:
        """The command that preprocesses a file; ``operations`` is the option for the folder of that header."""
        types = self._header("mlusim_types.h", self._key, self._enumerations)
        return [
            "-E", "-x", language.kind, *_COMMON, *self._reading, *options.folders(language.header), "-isystem",
            str(language.include), operations, types, *language.preprocess(self.shape), *options.preprocess(),
            str(path.absolute()),
        ]  # fmt: skip

    def _operations(self, language: Language) -> Mapping[str, str]:
        """The overloads by name, as text that the compiler has preprocessed."""

        def make(made: Path) -> None:
            source = made.with_name("operations")
            write(source, f"#include <{language.header}>\n")
            header = self._header("mlusim_ops.h", self._key, self._overloads)
            text = self._preprocessed(source, self._command(source, language, header, Options())).text
            write(made, preprocessed_operations(text))

        if language.kind not in self._functions:
            key = "\0".join([self.compiler.version, self._key, *language.preprocess(self.shape)])
            made = self.compiler.cache.file(f"operations.{language.kind}", key, make)
            self._functions[language.kind] = by_name(made.read_text(encoding="utf-8", errors="surrogateescape"))
        return self._functions[language.kind]

    def read(self, path: Path) -> Source:
        """Preprocess and rewrite a file; BuildError when it cannot be read or does not preprocess."""
        check_readable(path)
        return self._read(path, self.options)

    def in_tiles(self, source: Source, kernel: str) -> Iterator[tuple[SizeConstant, Source]]:
        """A source with each constant that sizes arrays on the chip of a kernel halved; BuildError as in `read`.

        The size of the neural memory, which the compiler defines as a macro, is such a constant, too.
        """
        from .tiles import SizeConstant, constants  # few launches are compared with smaller tiles

        path = source.path
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        for constant in constants(text, re.split("[<(]", kernel)[0].split("::")[-1], self.macros):
            if constant.macro:
                yield constant, self._read(path, self.options.with_macro(constant.name, constant.less))
                continue
            file = self.compiler.cache.file(path.name, f"tiles {constant.text}", partial(write, text=constant.text))
            yield constant, self._read(path, self.options, file)
        size = self.shape.spaces["nram"].bytes // 1024 if "nram" in self.shape.spaces else 0
        if size:
            macro = "__MLU_NRAM_SIZE__"
            smaller = self._read(path, self.options.with_macro(macro, size // 2))
            if smaller.text != source.text:
                yield SizeConstant(macro, size, size // 2, text, True), smaller

    def sizes(self, source: Source, kernel: str) -> frozenset[int]:
        """The whole numbers among a source's constants and a kernel's template arguments."""
        from .tiles import sizes  # few launches are compared with other blocks of threads

        text = source.path.read_text(encoding="utf-8", errors="surrogateescape")
        return frozenset(sizes(text, kernel, self.macros))

    def references(self, source: Source, kernel: KernelDecl) -> tuple[list[Reference], Source]:
        """The functions of a source that a kernel's arguments suit, and the source with them as kernels."""
        from .references import references  # few launches are compared with them

        text = source.path.read_text(encoding="utf-8", errors="surrogateescape")
        found = list(references(text, str(source.path), kernel, source.declared))
        hosts = tuple(reference.declared for reference in found if reference.host)
        return found, replace(source, declared=(*source.declared, *hosts))

    def committed(self, source: Source) -> Source | None:
        """A source as the last commit has it; None if it is as there, or in no repository. BuildError as in `read`."""
        from .committed import committed  # few launches are compared with it

        # The repository may be in a folder that the compiler does not read, either.
        text = None if self.is_confined else committed(source.path)
        if text is None:
            return None
        file = self.compiler.cache.file(source.path.name, f"committed {text}", partial(write, text=text))
        return self._read(source.path, self.options, file, f"{source.path.absolute()}{_COMMITTED}")

    @property
    def macros(self) -> dict[str, str]:
        """Those that the user defines, with their values."""
        return dict(macro.partition("=")[::2] for macro in self.options.macros)

    def poisoned(self, source: Source) -> Source | None:
        """A source whose local variables hold other bytes where nothing sets them; None if the compiler cannot."""
        flags = self.compiler.accepted(*_POISONED)
        return replace(source, flags=tuple(flags)) if flags else None

    def conversions(self, source: Source, kernel: str) -> Conversions:
        """The numbers that change their type without a cast, in a source with a kernel of it.

        None are known where the compiler does not say; OSError when its answer cannot be kept.
        """
        from .ahead import with_headers_ahead
        from .conversions import conversions  # few launches ask

        text, file = stated(source.text + source.language.entries((kernel,), source)), str(source.path.absolute())

        def make(path: Path) -> None:
            unit, flags = path.with_suffix(".ii"), self.flags_of(source)
            write(unit, with_headers_ahead(self.compiler, source.language.kind, flags, text) or text)
            words = [*self.of_preprocessed(source), *_CONVERTED, str(unit)]
            write(path, self.run(source.path, words, path.parent).messages)

        answer = self.compiler.cache.file("conversions", f"conversions\0{self.key_of(source, [text])}", make)
        return conversions(answer.read_text(encoding="utf-8", errors="surrogateescape"), file)

    def _read(self, path: Path, options: Options, changed: Path | None = None, called: str = "") -> Source:
        """Read a file. The text of ``changed``, if given, is read as if it were that of the file.

        ``called`` is what its lines are of, by default the file.
        """
        language = language_of(self.dialect, path, options)
        mark = f"#pragma once\n{MARK}\n"
        command = self._command(changed or path, language, self._header("mlusim_ops.h", mark, lambda: mark), options)
        if changed:
            command = ["-iquote", str(path.absolute().parent), *command]

        def make() -> tuple[str, Unit]:
            from .source import RewriteError  # what is kept needs none of it
            from .trust import always_checked

            result = self._preprocessed(path, command, changed.parent if changed else None)
            text = always_checked(result.text)
            try:
                unit = language.read(
                    text.replace(f'"{changed}"', f'"{called or path.absolute()}"') if changed else text
                )
            except RewriteError as error:
                finding = rules.build.failed(error.problem, error.file, error.line)
                raise BuildError(f"{path} cannot be read: {error}", finding) from None
            again = ((found[3], found[1], int(found[2])) for found in _REDEFINED.finditer(result.messages))
            mine = tuple(found for found in again if found[0] in self.macros)
            return text, replace(unit, text=with_operations(unit.text, self._operations(language)), redefined=mine)

        unit = kept(self.compiler, command, self._key, make)
        return Source(**vars(unit), path=path, language=language)

    def _preprocessed(self, path: Path, command: Sequence[str], scratch: Path | None = None) -> CommandResult:
        """What a command that preprocesses a file gives; BuildError when it fails."""
        result = self.run(path, command, scratch)
        if result.returncode:
            from .failures import failed

            raise failed(self, path, result)
        return result

    def compile(self, source: Source, kernels: Iterable[str], others: Sequence[Source] = ()) -> Image:
        """Compile a source with the named kernels launchable (templates by their full name).

        What it declares and does not define is taken from ``others``.
        """
        wanted = tuple(dict.fromkeys([*source.kernels, *kernels]))
        text = stated(source.text + source.language.entries(wanted, source))

        def make(path: Path) -> None:
            from .compilation import Compilation  # what is in the cache needs none of it

            Compilation(self).image(source, text, path, len(wanted), others)

        texts = [text, *(other.text for other in others)]
        library = self.compiler.cache.file(f"{file_stem(source.path)}.so", self.key_of(source, texts), make)
        return Image(source, library, library.stat().st_size, wanted, tuple(others))

    def key_of(self, source: Source, texts: Sequence[str]) -> str:
        """All that an image of a source depends on; ``texts`` are those that are compiled for it."""
        files = [embedded(text, self.options.include) for text in texts]
        flags = [*self.flags_of(source), *LINK, str(self.thread_runtime)]
        return "\0".join([self.compiler.version, self._key, *flags, *texts, *files])

    def flags_of(self, source: Source) -> list[str]:
        """The options that a source is compiled with."""
        return [*source.language.compile(), *self.flags, *source.flags]

    def of_preprocessed(self, source: Source) -> list[str]:
        """The same for its text, which is preprocessed, and where headers are that it may still name."""
        kind = "c++-cpp-output" if source.language.kind == "c++" else "cpp-output"
        return ["-x", kind, *self.flags_of(source), *self.options.folders()]

    def run(self, path: Path, arguments: Sequence[str], scratch: Path | None = None) -> CommandResult:
        """Run the compiler for a source; BuildError at a limit."""
        headers = [os.path.dirname(header) for header in self.options.headers]
        folders = [path.absolute().parent, *map(Path, [*self.options.include, *filter(os.path.isabs, headers)])]
        try:
            return self.compiler.run(arguments, scratch, folders if self.is_confined else None)
        except LimitReached as error:
            from .failures import stopped

            raise stopped(path, error) from None


def stated(text: str) -> str:
    """The text with relative names of `#line` marked: debug information would put the current folder before them."""
    return _RELATIVE.sub(rf"\1{STATED}", f"\n{text}")[1:]


def write(path: Path, text: str) -> None:
    """Write the text of a source, whatever bytes it had."""
    path.write_bytes(text.encode(errors="surrogateescape"))
