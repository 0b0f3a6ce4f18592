"""``cc`` and ``c++`` of a toolkit for a TPU: the host's compilers; sources of kernels are compiled for the device.

A source is one of kernels if it includes the header of the device's language. All that a build file asks of the host's
compilers stays as it is, but the toolkit's headers and libraries come before all others.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....isa.dialects import DIALECTS
from ...findings import BuildError
from ...kernelc.build import Builder
from ...kernelc.inputs import HOST
from ...kernelc.languages import language_class
from ...kernelc.options import Options
from ...launches.budget import budget_of
from ...launches.device import Device
from ...launches.image import LaunchableImage
from ...native.compiler import Compiler
from .origin import Origin
from .record import image_record, registration
from .sdk import SDKS
from .undefined import linked

#: Options with a word behind them: those of the preprocessor, and others.
_PREPROCESSOR = ("-isystem", "-iquote", "-include", "-I", "-D", "-U", "-std=")
_PAIRS = {*_PREPROCESSOR, "-o", "-MF", "-MT", "-MQ", "-x", "-L", "-l", "-u", "-z", "-T", "-Xlinker", "-Xpreprocessor"}
#: Modes in which nothing is linked.
_UNLINKED = {"-c", "-S", "-E", "-M", "-MM"}


@dataclass
class CcCommand:
    """A command line, as far as it has to be understood."""

    inputs: dict[int, Path] = field(default_factory=dict)  # sources, by their places among the words
    include: list[Path] = field(default_factory=list)
    macros: list[str] = field(default_factory=list)
    headers: list[Path] = field(default_factory=list)
    preprocessor: list[str] = field(default_factory=list)  # all that it is told
    standard: str | None = None
    modes: set[str] = field(default_factory=set)
    depends: list[str] = field(default_factory=list)  # options that write what a source depends on
    output: str = ""

    @property
    def options(self) -> Options:
        """What the compiler of kernels is told."""
        return Options.of(self.include, self.macros, self.headers, self.standard)


def read_command(words: Sequence[str]) -> CcCommand:
    """The sources of a command line, and what it says for the preprocessor."""
    found, at = CcCommand(), 0
    while at < len(words):
        word, place = words[at], at
        at += 1
        if word in _PAIRS and at < len(words):
            value, option = words[at], word
            at += 1
        else:
            option = next((name for name in _PREPROCESSOR if word.startswith(name)), "")
            value = word[len(option) :]
        if option in _PREPROCESSOR:
            found.preprocessor += words[place:at]
        if option in ("-I", "-isystem", "-iquote"):
            found.include.append(Path(value))
        elif option == "-D":
            found.macros.append(value)
        elif option == "-include":
            found.headers.append(Path(value))
        elif option == "-std=":
            found.standard = value
        elif word in _UNLINKED:
            found.modes.add(word)
        elif option in ("-MF", "-MT", "-MQ") or word in ("-MD", "-MMD", "-MP"):
            found.depends += words[place:at]
        elif option == "-o":
            found.output = value
        elif option not in _PAIRS and not word.startswith("-") and Path(word).suffix in HOST:
            found.inputs[place] = Path(word)
    return found


def compile_command(words: Sequence[str], device: Device, libraries: Path) -> int:
    """Carry out a command line for a device of a TPU; the exit code. BuildError for kernels that do not compile."""
    compiler, command, sdk = Compiler(), read_command(words), SDKS[device.isa]
    given = [*compiler.command, *(f"-I{folder}" for folder in sdk.headers)]
    changed = [[word] for word in words]
    asks = [*given, *command.preprocessor]
    included = {at: _included([*asks, "-x", HOST[path.suffix], str(path)]) for at, path in command.inputs.items()}
    kernels = [command.inputs[at] for at, files in included.items() if _header(device) in files]
    with tempfile.TemporaryDirectory(prefix="cc-") as folder:
        for at, path in command.inputs.items():
            changed[at] = ["-x", HOST[path.suffix], str(path), "-x", "none"]  # the compiler is one of C++
            if command.modes <= {"-c"} and path in kernels:
                if {"-MD", "-MMD"}.intersection(command.depends):
                    _write_depends(command, path, included[at])
                assembly = Path(folder, str(at), f"{path.stem}.s")
                assembly.parent.mkdir()
                text = kernels_assembly(compiler, path, command.options, device, kernels)
                assembly.write_text(text, encoding="utf-8")
                changed[at] = [str(assembly)]
        ours = [] if command.modes else sdk.linked(libraries)
        step = [*given, *ours, *(word for part in changed for word in part), *ours]
        return linked(step, [libraries / name for name in sdk.libraries])


def kernels_assembly(
    compiler: Compiler, path: Path, options: Options, device: Device, beside: Sequence[Path] = ()
) -> str:
    """The image of a source's kernels, and what registers it. BuildError when it does not compile.

    ``beside`` are the sources that may define what its kernels call.
    """
    builder = Builder(device.shape, options)
    source, *others = map(builder.read, dict.fromkeys([path, *beside]))
    image = LaunchableImage(builder, builder.compile(source, (), others))
    budget_of(device.shape, [image])
    known = image.layouts.structures
    blocks = {kernel: known[name].bytes for kernel, name in source.blocks.items() if name in known}
    return registration(compiler) + image_record(
        builder, device, image, Origin.of(source, others, options), blocks=blocks
    )


def has_kernels(compiler: Compiler, path: Path, options: Options, device: Device) -> bool:
    """Whether a source is one of kernels of a device: it includes the header of its language."""
    folders = (f"-I{folder}" for folder in (language_class(DIALECTS[device.isa]).include, *SDKS[device.isa].headers))
    given = [*options.folders(), *options.preprocess(), "-x", HOST.get(path.suffix, "c++"), str(path)]
    return _header(device) in _included([*compiler.command, *folders, *given])


def _header(device: Device) -> str:
    own = language_class(DIALECTS[device.isa])
    return str(own.include / own.header)


def _included(command: Sequence[str]) -> list[str]:
    """The files that a source includes, and itself. What is wrong with it is said when it is compiled."""
    done = subprocess.run([*command, "-M", "-MG"], capture_output=True, check=False)
    words = done.stdout.decode(errors="replace").replace("\\\n", " ").partition(":")[2].split()
    return [word for word in words if Path(word).is_file()]  # not headers that are made for kernels


def _write_depends(command: CcCommand, path: Path, included: Sequence[str]) -> None:
    """Write what a source depends on, as a compiler does beside its object."""
    said = dict(zip(command.depends, command.depends[1:], strict=False))
    output = Path(command.output or path.with_suffix(".o").name)
    target = said.get("-MT") or said.get("-MQ") or str(output)
    file = Path(said.get("-MF") or output.with_suffix(".d"))
    headers = [name for name in included[1:] if "-MD" in command.depends or not name.startswith("/usr/")]
    phony = "".join(f"{name}:\n" for name in headers if "-MP" in command.depends)
    file.write_text(f"{target}: {' '.join([str(path), *headers])}\n{phony}", encoding="utf-8")


def main(words: Sequence[str]) -> int:
    """Be a compiler: the words are the tool's name, the device, the folder of the libraries, and the user's."""
    tool, name, libraries, *rest = words
    try:
        return compile_command(rest, Device.load(name), Path(libraries))
    except BuildError as error:
        sys.stderr.write(f"{error}\n")
    except (ValueError, TypeError, OSError) as error:
        sys.stderr.write(f"{tool}: error: {error}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
