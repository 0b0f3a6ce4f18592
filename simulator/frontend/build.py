"""From a kernel's source file to a loadable image: preprocess, rewrite, compile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...isa import DIALECTS, Dialect
from ..findings import BuildError, Finding, rules
from ..hardware import Shape
from ..log import Location
from .compiler import CSRC, THREADS, Compiler
from .header import enumerations, operations
from .language import Language
from .languages import headers_of, language_of
from .rewrite import RewriteError

# What an optimiser may not do here: change the arithmetic, drop a loop that does not end, or make one access, call or
# source line out of several.
_FLAGS = (
    "-O2", "-g", "-fPIC", "-fsanitize=thread", "-fno-optimize-sibling-calls", "-fno-omit-frame-pointer",
    "-ffp-contract=off", "-fno-finite-loops", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-unroll-loops",
    "-fno-strict-aliasing", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset",
    "-ffunction-sections", "-fdata-sections", "-fvisibility=hidden",
)  # fmt: skip
#: An operation on half rounds to half, also where the host computes it in float.
_ROUND_HALF = ("-ffloat16-excess-precision=none", "-fexcess-precision=16")
#: Equal pieces of code stay apart: merged, they would share one source line.
_KEEP_LINES = ("-fno-ipa-icf -fno-tree-tail-merge -fno-crossjumping",)
_LINK = (
    "-shared", "-Wl,--gc-sections", "-Wl,-z,lazy", "-Wl,--unresolved-symbols=ignore-all",
    "-Wl,--wrap=abort,--wrap=exit",  # the runtime turns both into findings
    "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset",  # and sees what they access
    "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free",  # and knows what a kernel may access on the heap
)  # fmt: skip
#: Images of blocks of threads hold their runtime: nothing may be missing from them.
_WHOLE = ("-Wl,--unresolved-symbols=report-all", "-Wl,-z,defs")
_UNDECLARED = re.compile(
    r"(?:'|no arguments to ')(\w+)'(?: was not declared| that depend on a template)"
    r"|(?:undeclared identifier|declaration of function) '(\w+)'"
)

_MISSING = re.compile(r"fatal error: '?([\w./]+\.h)'?(?:: No such file| file not found)")
_FAR_CARET = re.compile(r"^ *\| {120,}[ ^~+-]*\n", re.M)


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

    library: Path
    kernels: tuple[str, ...]


class Builder:
    """Builds the sources of one program for one device."""

    def __init__(self, shape: Shape, include: Sequence[str | Path]) -> None:
        self.shape, self.include = shape, [str(Path(folder)) for folder in include]
        self.dialect: Dialect = DIALECTS[shape.isa]
        self.compiler = Compiler()
        self._flags = [*_FLAGS, *self.compiler.accepted(*_ROUND_HALF), *self.compiler.accepted(*_KEEP_LINES)]
        texts = {"mlusim_ops.h": operations(self.dialect), "mlusim_types.h": enumerations(self.dialect)}
        self._headers = [self._generated(name, text) for name, text in texts.items()]
        self._linked = [str(self.compiler.threads_runtime()), *_WHOLE] if self.dialect.threads else []
        self._key = "".join(texts.values()) + "".join(
            file.read_text()
            for file in [
                Path(__file__),
                CSRC / "mlusim_rt.h",
                *sorted(CSRC.glob("include*/*")),
                *sorted(THREADS.glob("**/*.h")),
            ]
        )

    def _generated(self, name: str, text: str) -> Path:
        """The folder of a generated header."""
        return self.compiler.cached(name, text, lambda path: _write(path, text)).parent

    def read(self, path: Path) -> Source:
        """Preprocess and rewrite a file; BuildError when it is missing or does not preprocess."""
        if not path.is_file():
            raise BuildError(f"{path} does not exist; pass the path of a kernel source")
        language = language_of(self.dialect, path)
        result = self.compiler.run(
            ["-E", "-x", language.kind, *(f"-I{folder}" for folder in self.include), "-isystem", str(language.include),
             *(f"-isystem{folder}" for folder in self._headers), *language.preprocess(self.shape), str(path.absolute())]
        )  # fmt: skip
        if result.returncode:
            raise self._failed(path, result.stderr)
        try:
            unit = language.read(result.stdout)
        except RewriteError as error:
            raise BuildError(f"{path} cannot be read: {error}") from None
        return Source(path, language, unit.text, unit.kernels, unit.templates)

    def compile(self, source: Source, kernels: Iterable[str]) -> Image:
        """Compile a source with the named kernels launchable (templates by their full name)."""
        wanted = tuple(dict.fromkeys([*source.kernels, *kernels]))
        language = source.language
        text = source.text + language.entries(wanted)
        output = "c++-cpp-output" if language.kind == "c++" else "cpp-output"

        def make(path: Path) -> None:
            unit = path.with_suffix(".ii")
            _write(unit, text)
            unlinked = path.with_suffix(".o")
            for step in (
                ["-x", output, *language.compile(), *self._flags, "-c", "-o", str(unlinked), str(unit)],
                # Without the sanitizer's own library: ours takes its place.
                [*_LINK, "-o", str(path), str(unlinked), *self._linked],
            ):
                result = self.compiler.run(step)
                if result.returncode:
                    raise self._failed(source.path, result.stderr)

        key = "\0".join([self._key, *self._flags, *_LINK, *self._linked, text])
        return Image(self.compiler.cached(f"{source.path.stem}.so", key, make), wanted)

    def _failed(self, path: Path, messages: str) -> BuildError:
        """The compiler's own text, with the nearest instructions for misspelt ones."""
        hints = []
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
        where = re.search(r"^([^\n:]+):(\d+):\d+: (?:fatal )?error: (.*)$", messages, re.M)
        location = Location(where[1], int(where[2])) if where else Location(str(path), 0)
        # The compiler counts columns in the preprocessed text: a caret far right of the line that it prints is noise.
        shown = _FAR_CARET.sub("", messages).strip()
        message = "\n".join([f"{path} does not compile:", shown, *hints])
        finding = Finding(
            rules.BUILD, where[3] if where else "does not compile", location=location, suggestion="; ".join(hints)
        )
        return BuildError(message, finding)


def _write(path: Path, text: str) -> None:
    path.write_text(text)
