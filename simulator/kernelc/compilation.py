"""Compiling a source of which the cache has no image: to assembly that is marked, an object file, an image."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from ..findings import BuildError, rules
from ..native.machine import AARCH64, PROCESSOR
from ..native.process import CommandResult, LimitReached
from . import unset
from .ahead import with_headers_ahead
from .build import Builder, Source, stated, write
from .failures import failed, stopped
from .foreign import marked
from .inputs import file_stem
from .linking import link
from .scalar_work import counted
from .trust import line_of, problem_of_image, problem_of_object
from .unknown import Found, declare, note, unknown_functions
from .unmarked import shown

#: What the compiler says before inline assembly of where it stands; a quote in that name would begin a string.
_MARKER = re.compile(rb'^# \d+ ".*\n', re.M)


class Compilation:
    """The steps from the text of a source to an image, with the compiler and the options of a builder."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    def image(self, source: Source, text: str, path: Path, entries: int, others: Sequence[Source]) -> None:
        """Compile the text of a source to an image; ``entries`` is the number of kernel entries at its end.

        What it declares and does not define is taken from ``others``.
        """
        builder, unlinked = self._builder, path.with_suffix(".o")
        self._compile(source, text, unlinked, note, entries)
        try:
            runtime, threads = builder.thread_runtime or builder.runtime(), builder.thread_runtime is not None
            result = link(builder.compiler, unlinked, path, lambda: map(self._object, others), runtime, threads)
        except LimitReached as error:
            raise stopped(source.path, error) from None
        if result.returncode or not path.is_file():
            raise failed(builder, source.path, result)
        if problem := problem_of_image(path, len(builder.dialect.overloads)):
            raise BuildError(f"{source.path} cannot be loaded: {problem}", rules.build.failed(problem, source.path))

    def _object(self, source: Source) -> Path:
        """A source compiled for others to be linked with: nothing in it can be launched."""
        text = stated(source.text)
        key = self._builder.key_of(source, [text])
        return self._builder.compiler.cache.file(
            f"{file_stem(source.path)}.o", key, lambda path: self._compile(source, text, path, lambda _: "")
        )

    def _compile(
        self, source: Source, text: str, unlinked: Path, noted: Callable[[Found], str], entries: int = 0
    ) -> None:
        """Compile the text of a source to an object file; unknown functions are declared and noted.

        ``entries`` is the number of kernel entries at the end of the text.
        """
        assembly = unlinked.with_suffix(".s")
        said = self._to_assembly(source, text, assembly, noted)
        plain = _MARKER.sub(b"", assembly.read_bytes())
        done = counted(plain)
        if PROCESSOR != AARCH64:  # whose assembly it does not read
            done = shown(done.decode("latin-1"), entries).encode("latin-1")
        assembly.write_bytes(marked(done) + (unset.noted(unset.unset_variables(said)) if entries else b""))
        result = self._builder.run(source.path, ["-c", "-o", str(unlinked), str(assembly)], unlinked.parent)
        if result.returncode:
            raise failed(self._builder, source.path, result)
        problem, name = problem_of_object(unlinked, self._builder.thread_runtime)
        if problem:
            file, line = line_of(source.text, name)
            finding = rules.build.failed(problem, file or source.path, line)
            raise BuildError(f"{finding.location if line else source.path} cannot be loaded: {problem}", finding)

    def _to_assembly(self, source: Source, text: str, assembly: Path, noted: Callable[[Found], str]) -> str:
        """Write the assembly of a text; what the compiler has said of it."""
        builder, language, unit = self._builder, source.language, assembly.with_suffix(".ii")

        def run(text: str, *words: str) -> CommandResult:
            write(unit, text)
            return builder.run(source.path, [*builder.of_preprocessed(source), *words, str(unit)], assembly.parent)

        make = ("-S", "-o", str(assembly))
        quiet = ["-w"] * (language.kind == "c++")  # an error of C may be a warning that is made one
        short = with_headers_ahead(builder.compiler, language.kind, builder.flags_of(source), text)
        if short and not (result := run(short, *make)).returncode:  # else what is wrong is said of the text as it is
            return result.messages
        unknown: Found = {}
        result = run(text, *make)
        while result.returncode:
            more = unknown_functions(result.messages, text)
            if not more.keys() - unknown.keys():
                # Without our lines behind it: of an open brace the compiler then says so where the source ends.
                alone = run(declare(stated(source.text), unknown), "-fsyntax-only", *quiet)
                raise failed(builder, source.path, alone if alone.returncode else result)
            unknown = more | unknown
            result = run(declare(text, unknown) + noted(unknown), *make)
        return result.messages
