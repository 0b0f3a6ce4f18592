"""From a kernel's source file to a loadable image: preprocess, rewrite, compile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...isa import DIALECTS, Dialect
from ..device import Shape
from ..finding import BuildError, Finding
from ..log import Location
from .compiler import CSRC, INCLUDE, Compiler
from .header import asm_functions, operations
from .rewrite import RewriteError, rewrite

_FLAGS = ("-O2", "-g", "-fPIC", "-fsanitize=thread", "-fno-optimize-sibling-calls", "-fno-omit-frame-pointer",
          "-ffp-contract=off", "-ffunction-sections", "-fdata-sections", "-fno-strict-aliasing", "-fvisibility=hidden",
          "-w")  # fmt: skip
_LINK = ("-shared", "-Wl,--gc-sections", "-Wl,-z,lazy", "-Wl,--unresolved-symbols=ignore-all")
_UNDECLARED = re.compile(r"'(\w+)' was not declared|use of undeclared identifier '(\w+)'")


@dataclass(frozen=True)
class Source:
    """A file that has been preprocessed and rewritten for a device, ready to compile."""

    path: Path
    text: str
    kernels: tuple[str, ...]  # kernels that are no templates
    templates: tuple[str, ...]
    names: frozenset[str]  # every identifier, to know which instructions it may use


@dataclass(frozen=True)
class Image:
    """A compiled source with its launchable kernels."""

    library: Path
    kernels: tuple[str, ...]
    names: frozenset[str]


class Builder:
    """Builds the sources of one program for one device."""

    def __init__(self, shape: Shape, include: Sequence[str | Path]) -> None:
        self.shape, self.include = shape, [str(Path(folder)) for folder in include]
        self.dialect: Dialect = DIALECTS[shape.isa]
        self.compiler = Compiler()
        text = operations(self.dialect)
        header = self.compiler.cached("mlusim_ops.h", text, lambda path: _write(path, text))
        self._header = header.parent
        self._key = text + "".join(file.read_text() for file in [Path(__file__), CSRC / "mlusim_rt.h", *sorted(INCLUDE.iterdir())])

    def read(self, path: Path) -> Source:
        """Preprocess and rewrite a file; BuildError when it is missing or does not preprocess."""
        if not path.is_file():
            raise BuildError(f"{path} does not exist; pass the path of a kernel source")
        defines = {"__BANG__": 1, "__BANG_ARCH__": self.shape.arch, "__mlu__": 1, "NDEBUG": 1}
        for name, space in self.shape.spaces.items():
            defines[f"__MLU_{name.upper()}_SIZE__"] = space.bytes // 1024
        result = self.compiler.run(
            ["-std=c++17", "-E", "-x", "c++", *(f"-D{k}={v}" for k, v in defines.items()),
             *(f"-I{folder}" for folder in [*self.include, INCLUDE, self._header]), "-include", "mlu.h",
             str(path.absolute())]
        )  # fmt: skip
        if result.returncode:
            raise self._failed(path, result.stderr)
        try:
            done = rewrite(result.stdout, asm_functions(self.dialect))
        except RewriteError as error:
            raise BuildError(f"{path} cannot be read: {error}") from None
        plain = tuple(kernel.name for kernel in done.kernels if not kernel.template)
        templates = tuple(kernel.name for kernel in done.kernels if kernel.template)
        return Source(path, done.text, plain, templates, frozenset(re.findall(r"\b(?:__)?\w+", done.text)))

    def compile(self, source: Source, kernels: Iterable[str]) -> Image:
        """Compile a source with the named kernels launchable (templates by their full name)."""
        wanted = tuple(dict.fromkeys([*source.kernels, *kernels]))
        text = source.text + _entries(wanted)

        def make(path: Path) -> None:
            unit = path.with_suffix(".ii")
            _write(unit, text)
            unlinked = path.with_suffix(".o")
            for step in (
                ["-std=c++17", "-x", "c++-cpp-output", *_FLAGS, "-c", "-o", str(unlinked), str(unit)],
                [*_LINK, "-o", str(path), str(unlinked)],  # without the sanitizer's own library: ours takes its place
            ):
                result = self.compiler.run(step)
                if result.returncode:
                    raise self._failed(source.path, result.stderr)

        key = "\0".join([self._key, *_FLAGS, *_LINK, text])
        return Image(self.compiler.cached(f"{source.path.stem}.so", key, make), wanted, source.names)

    def _failed(self, path: Path, messages: str) -> BuildError:
        """The compiler's own text, with the nearest instructions for misspelt ones."""
        hints = []
        for name in dict.fromkeys(a or b for a, b in _UNDECLARED.findall(messages)):
            if name.startswith("__"):
                near = self.dialect.nearest(name)
                hints.append(f"{self.dialect.title} has no instruction {name}" + (f"; the nearest are {', '.join(near)}" if near else ""))
        where = re.search(r"^([^\n:]+):(\d+):\d+: (?:fatal )?error: (.*)$", messages, re.M)
        location = Location(where[1], int(where[2])) if where else Location(str(path), 0)
        message = "\n".join([f"{path} does not compile:", messages.strip(), *hints])
        finding = Finding("build", where[3] if where else "does not compile", location=location, suggestion="; ".join(hints))
        return BuildError(message, finding)


def _entries(kernels: Sequence[str]) -> str:
    """C functions by which the simulator reaches the kernels and the slots of an image."""
    lines = ["", '# 1 "<mlusim entry points>"', 'extern "C" {',
             "extern void* __start_mlusim_slots[] __attribute__((weak, visibility(\"hidden\")));",
             "extern void* __stop_mlusim_slots[] __attribute__((weak, visibility(\"hidden\")));",
             '__attribute__((visibility("default"))) void** mlusim_slots_begin() { return __start_mlusim_slots; }',
             '__attribute__((visibility("default"))) void** mlusim_slots_end() { return __stop_mlusim_slots; }']  # fmt: skip
    for number, kernel in enumerate(kernels):
        lines += [
            f'# 1 "<launch of {kernel}>"',
            f'__attribute__((visibility("default"), no_sanitize("thread"))) void mlusim_entry_{number}(void** arguments) '
            f"{{ ::mlusim::invoke(&{kernel}, arguments); }}",
            f'__attribute__((visibility("default"))) void mlusim_signature_{number}(char* out) '
            f"{{ ::mlusim::signature(&{kernel}, out); }}",
        ]
    return "\n".join([*lines, "}", ""])


def _write(path: Path, text: str) -> None:
    path.write_text(text)
