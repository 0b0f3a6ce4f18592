"""From a kernel's source file to a loadable image: preprocess, rewrite, compile."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...isa import DIALECTS, Dialect
from ..findings import BuildError, Finding, rules
from ..hardware import Shape
from ..log import Location
from ..native import STATED
from .compiler import CSRC, Compiler
from .header import enumerations, operations
from .inputs import embedded, unreadable
from .language import Language
from .languages import headers_of, language_of
from .linking import LINK, link
from .process import Done, LimitReached
from .rewrite import RewriteError
from .scalar_work import counted

_MESSAGES = ("-fdiagnostics-color=never", "-fmax-errors=50")
# What an optimiser may not do here: change the arithmetic, drop a loop that does not end, or make one access, call or
# source line out of several.
_FLAGS = (
    "-O2", "-g", "-fPIC", "-fsanitize=thread", "-fno-optimize-sibling-calls", "-fno-omit-frame-pointer",
    "-ffp-contract=off", "-fno-finite-loops", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-unroll-loops",
    "-fno-strict-aliasing", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset",
    "-ffunction-sections", "-fdata-sections", "-fvisibility=hidden", *_MESSAGES,
)  # fmt: skip
#: An operation on half rounds to half, also where the host computes it in float.
_ROUND_HALF = ("-ffloat16-excess-precision=none", "-fexcess-precision=16")
#: Equal pieces of code stay apart: merged, they would share one source line.
_KEEP_LINES = ("-fno-ipa-icf -fno-tree-tail-merge -fno-crossjumping",)
#: What the vendor's compiler leaves in memory stays there: a sum that a loop reads and writes is no register.
_KEEP_ACCESSES = ("-fno-tree-pre -fno-move-loop-stores", "-fno-tree-pre")
#: A mark at every basic block, which `scalar_work` turns into a count of its operations.
_COUNT_WORK = ("-fsanitize-coverage=trace-pc",)
_UNDECLARED = re.compile(
    r"(?:'|no arguments to ')(\w+)'(?: was not declared| that depend on a template)"
    r"|(?:undeclared identifier|declaration of function) '(\w+)'"
)

_MISSING = re.compile(r"fatal error: '?([\w./]+\.h)'?(?:: No such file| file not found)")
_ERROR = re.compile(r"^(\S.*?):(\d+):\d+: (?:fatal )?error: (.*)$", re.M)
_FAR_CARET = re.compile(r"^ *\| {120,}[ ^~+-]*\n", re.M)
_RELATIVE = re.compile(r'^(# \d+ ")(?!/)', re.M)
_UNUSUAL = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True)
class Source:
    """A file that has been preprocessed and rewritten for a device, ready to compile."""

    path: Path
    language: Language
    text: str
    kernels: tuple[str, ...]  # kernels that are no templates
    templates: tuple[str, ...]


@dataclass(frozen=True)
class Image:
    """A compiled source with its launchable kernels."""

    source: Source
    library: Path
    bytes: int
    kernels: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether the library is still there, as long as it was."""
        try:
            return os.stat(self.library).st_size == self.bytes
        except OSError:
            return False


class Builder:
    """Builds the sources of one program for one device."""

    def __init__(self, shape: Shape, include: Sequence[str | Path]) -> None:
        self.shape, self.include = shape, [str(Path(folder).absolute()) for folder in include]
        self.dialect: Dialect = DIALECTS[shape.isa]
        self.compiler = Compiler()
        optional = (_ROUND_HALF, _KEEP_LINES, _KEEP_ACCESSES, _COUNT_WORK)
        self._flags = [*_FLAGS, *(flag for spellings in optional for flag in self.compiler.accepted(*spellings))]
        self._generated = {"mlusim_ops.h": operations(self.dialect), "mlusim_types.h": enumerations(self.dialect)}
        files = [*sorted(Path(__file__).parent.glob("*.py")), CSRC / "mlusim_rt.h", *sorted(CSRC.glob("include*/*"))]
        self._key = "".join([*self._generated.values(), *(file.read_text(encoding="utf-8") for file in files)])

    def _header(self, name: str) -> str:
        """The folder of a generated header."""
        text = self._generated[name]
        return str(self.compiler.cache.file(name, text, lambda path: _write(path, text)).parent)

    def read(self, path: Path) -> Source:
        """Preprocess and rewrite a file; BuildError when it cannot be read or does not preprocess."""
        if problem := unreadable(path):
            raise BuildError(f"{path} {problem}", Finding(rules.BUILD, problem, location=Location(str(path), 0)))
        language = language_of(self.dialect, path)
        result = self._run(
            path, ["-E", "-x", language.kind, *_MESSAGES, *(f"-I{folder}" for folder in self.include), "-isystem",
             str(language.include), *(f"-isystem{self._header(name)}" for name in self._generated),
             *language.preprocess(self.shape), str(path.absolute())]
        )  # fmt: skip
        if result.returncode:
            raise self._failed(path, result)
        try:
            unit = language.read(result.output.decode(errors="surrogateescape"))
        except RewriteError as error:
            finding = Finding(rules.BUILD, error.problem, location=Location(error.file, error.line))
            raise BuildError(f"{path} cannot be read: {error}", finding) from None
        return Source(path, language, unit.text, unit.kernels, unit.templates)

    def compile(self, source: Source, kernels: Iterable[str]) -> Image:
        """Compile a source with the named kernels launchable (templates by their full name)."""
        wanted = tuple(dict.fromkeys([*source.kernels, *kernels]))
        language = source.language
        # A name of `#line` stays as it is written: debug information would put the current folder before it.
        text = _RELATIVE.sub(rf"\1{STATED}", source.text + language.entries(wanted))
        output = "c++-cpp-output" if language.kind == "c++" else "cpp-output"

        def make(path: Path) -> None:
            unit, assembly, unlinked = path.with_suffix(".ii"), path.with_suffix(".s"), path.with_suffix(".o")
            _write(unit, text)
            step = ["-x", output, *language.compile(), *self._flags, *(f"-I{folder}" for folder in self.include)]
            result = self._run(source.path, [*step, "-S", "-o", str(assembly), str(unit)], path.parent)
            if result.returncode:  # of a source with an open brace it is said where the source ends, not in our lines
                _write(unit, _RELATIVE.sub(rf"\1{STATED}", source.text))
                alone = self._run(source.path, [*step, "-fsyntax-only", str(unit)], path.parent)
                result = alone if alone.returncode else result
            else:
                assembly.write_bytes(counted(assembly.read_bytes()))
                result = self._run(source.path, ["-c", "-o", str(unlinked), str(assembly)], path.parent)
            if not result.returncode:
                try:
                    result = link(self.compiler, unlinked, path)
                except LimitReached as error:
                    raise _stopped(source.path, error) from None
            if result.returncode or not path.is_file():
                raise self._failed(source.path, result)

        files = embedded(text, self.include)
        key = "\0".join([self.compiler.version, self._key, *self._flags, *LINK, text, files])
        name = _UNUSUAL.sub("_", source.path.stem)[:64]
        library = self.compiler.cache.file(f"{name}.so", key, make)
        return Image(source, library, library.stat().st_size, wanted)

    def _run(self, path: Path, arguments: Sequence[str], scratch: Path | None = None) -> Done:
        try:
            return self.compiler.run(arguments, scratch)
        except LimitReached as error:
            raise _stopped(path, error) from None

    def _failed(self, path: Path, result: Done) -> BuildError:
        """The compiler's own text, with the nearest instructions for misspelt ones."""
        messages, hints = result.messages.replace(STATED, ""), []
        for name in dict.fromkeys(a or b for a, b in _UNDECLARED.findall(messages)):
            if name.startswith(self.dialect.prefix):
                near = self.dialect.nearest(name)
                hints.append(
                    f"{self.dialect.title} has no instruction {name}"
                    + (f"; the nearest are {', '.join(near)}" if near else "")
                )
        for header in _MISSING.findall(messages):
            titles = [
                d.title for d in DIALECTS.values() if d is not self.dialect and (headers_of(d) / header).is_file()
            ]
            hints += [f"{header} is a header of {title}: choose one of its devices" for title in titles]
        where = _ERROR.search(messages)
        location = Location(where[1], int(where[2])) if where else Location(str(path), 0)
        # The compiler counts columns in the preprocessed text: a caret far right of the line that it prints is noise.
        shown = _FAR_CARET.sub("", messages).strip() or f"the compiler ended with exit code {result.returncode}"
        message = "\n".join([f"{path} does not compile:", shown, *hints])
        finding = Finding(
            rules.BUILD, where[3] if where else "does not compile", location=location, suggestion="; ".join(hints)
        )
        return BuildError(message, finding)


def _stopped(path: Path, error: LimitReached) -> BuildError:
    finding = Finding(rules.BUILD, str(error), location=Location(str(path), 0))
    return BuildError(f"{path} does not compile: {error}", finding)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode(errors="surrogateescape"))
