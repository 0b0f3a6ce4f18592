"""``cncc``, the compiler of a toolkit: it takes the options of public build files and compiles for one device."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from ...findings import BuildError
from ...kernelc.inputs import KERNELS
from ...kernelc.options import Options
from ...launches.device import Device
from ...native.compiler import Compiler
from ...text import nearest
from .build import HEADERS, HostUnit, assemble
from .sdk import SDKS
from .undefined import linked

#: What it says it is: build files ask, and newer ones pass more options.
_VERSION = "v4.1.0"
_SOURCES = {".cpp", ".cc", ".cxx", ".c", ".C"}
#: Options of the device's side, which has no choice here: those with a word behind them, and the others.
_DEVICE_PAIRS = {
    "-mllvm",
    "-Xbang-cnas",
    "-Xbang-ld",
    "-Xbang-fatbinary",
    "-Xcnas",
    "-Xassembler",
    "-target",
    "--target",
    "-mcpu",
    "--mcpu",
}
_DEVICE = re.compile(
    r"--?bang-(?:device-only|host-only|compile-host-device|stack-on-ldram|wram-align64)(?:=\S*)?"
    r"|-fbang-\S*|--target=\S*|--neuware-path=\S*|--no-neuware-version-check|--cn-\S*|-fopenmp=\S*"
    r"|-Xclang|--mcpu=\S*"
)
_ARCH = re.compile(r"--?bang-(?:mlu-)?arch=(?:mtp_|tp_|compute_|MLU|mlu)?(\w+)")
#: Options of the host's compiler with a word behind them, and the others.
_DEPENDS_PAIRS = {"-MF", "-MT", "-MQ"}
_HOST_PAIRS = {"-Xlinker", "-u", "-z", "-T", "-arch"}
_HOST = re.compile(r"-[OgfmWwlLpMsvrPCU]\S*|-(?:nostdlib|no-pie)")
_WORDS = (
    "-c", "-S", "-E", "-o", "-x", "-I", "-D", "-include", "-isystem", "-std=", "-shared", "--version", "--help",
    "--bang-mlu-arch=", "--bang-arch=", "--bang-device-only", "--bang-host-only", "--bang-fatbin-only",
)  # fmt: skip
_DROPPED = re.compile(r"-W(?!l,|p,)\S*|-pedantic\S*|-w")


@dataclass
class CompilerCommand:
    """A command line of cncc, sorted."""

    inputs: list[str] = field(default_factory=list)
    output: str = ""
    mode: str = ""  # -c, -S, -E; "": link
    include: list[Path] = field(default_factory=list)
    macros: list[str] = field(default_factory=list)
    headers: list[Path] = field(default_factory=list)
    standard: str | None = None
    host: list[str] = field(default_factory=list)
    depends: list[str] = field(default_factory=list)  # options that write what a source depends on
    archs: list[str] = field(default_factory=list)
    module: bool = False  # what the driver loads is to be written
    asks: str = ""  # --version or the like
    language: str = ""  # of -x

    @property
    def options(self) -> Options:
        """What both compilers are told of headers, macros and the standard."""
        return Options.of(self.include, self.macros, self.headers, self.standard)


def read_command(words: Sequence[str]) -> CompilerCommand:
    """Sort the words of a command line; ValueError for an option that cncc does not have."""
    found, left = CompilerCommand(), list(words)

    def value(word: str, name: str) -> str:
        if len(word) > len(name):
            return word[len(name) :].removeprefix("=") if name.startswith("--") else word[len(name) :]
        if not left:
            raise ValueError(f"{name} needs a value behind it")
        return left.pop(0)

    while left:
        word = left.pop(0)
        if not word.startswith("-") or word == "-":
            found.inputs.append(word)
        elif word in ("-c", "-S", "-E"):
            found.mode = word
        elif word in ("--version", "-v", "-dumpversion", "--help"):
            found.asks = word
        elif word == "-include":
            found.headers.append(Path(value(word, word)))
        elif word.startswith("-isystem"):
            found.include.append(Path(value(word, "-isystem")))
        elif word.startswith("-std=") or word.startswith("--std="):
            found.standard = word.partition("=")[2]
        elif re.fullmatch(r"--?bang-fatbin-only", word):
            found.module = True
        elif word in _DEVICE_PAIRS:
            value(word, word)
        elif match := _ARCH.fullmatch(word):
            found.archs.append(match[1])
        elif _DEVICE.fullmatch(word):
            continue
        elif word in _DEPENDS_PAIRS:
            found.depends += [word, value(word, word)]
        elif word.startswith("-M"):
            found.depends.append(word)
        elif word in _HOST_PAIRS:
            found.host += [word, value(word, word)]
        elif word.startswith("-o"):
            found.output = value(word, "-o")
        elif word.startswith("-x"):
            found.language = value(word, "-x")
        elif word.startswith("-I"):
            found.include.append(Path(value(word, "-I")))
        elif word.startswith("-D"):
            found.macros.append(value(word, "-D"))
        elif word.startswith("-L"):
            found.host.append(f"-L{value(word, '-L')}")
        elif _HOST.fullmatch(word):
            found.host.append(word)
        else:
            raise ValueError(f"cncc has no option {word}{nearest(word, _WORDS)}")
    return found


def compile_command(command: CompilerCommand, device: Device, libraries: Path) -> int:
    """Carry out a command; the exit code. BuildError when a source does not compile."""
    compiler = Compiler()
    if not command.inputs:
        raise ValueError("no input files")
    if command.output and command.mode and len(command.inputs) > 1:
        raise ValueError(f"-o names one file, and {command.mode} makes one of each of {len(command.inputs)} inputs")
    if command.module and command.mode in ("", "-c"):
        output = command.output or f"{Path(command.inputs[0]).stem}.cnfatbin"
        command = replace(command, mode="", output=output, host=[*command.host, "-fPIC", "-shared"])
    with tempfile.TemporaryDirectory(prefix="cncc-") as folder:
        objects = []
        for number, name in enumerate(command.inputs):
            path = Path(name)
            if path.suffix not in KERNELS and command.language != "bang" and path.suffix not in _SOURCES:
                objects.append(name)  # for the linker
                continue
            suffix = {"-S": ".s", "-E": ".i"}.get(command.mode, ".o")
            made = Path(command.output or f"{path.stem}{suffix}") if command.mode else Path(folder, f"{number}.o")
            code = _compile(compiler, command, path, device, made)
            if code:
                return code
            objects.append(str(made))
        if command.mode:
            return 0
        sdk = SDKS["bang"]
        step = [*objects, *command.host, *sdk.linked(libraries), "-o", command.output or "a.out"]
        return linked([*compiler.command, *step], [libraries / name for name in sdk.libraries])


def _compile(compiler: Compiler, command: CompilerCommand, path: Path, device: Device, made: Path) -> int:
    if not path.is_file():
        raise ValueError(f"{path}: no such file")
    options = command.options
    if path.suffix not in KERNELS and command.language != "bang":
        standard = [f"-std={options.standard}"] if options.standard else []
        step = [
            command.mode or "-c",
            *standard,
            *command.host,
            *command.depends,
            *options.folders(),
            f"-isystem{HEADERS}",
        ]
        return _host(compiler, [*step, *options.preprocess(), "-o", str(made), str(path)])
    _say_arch(command, device)
    flags = tuple(flag for flag in command.host if not _DROPPED.fullmatch(flag) and not flag.startswith(("-l", "-L")))
    if command.mode == "-E":
        raise ValueError(f"{path} has two parts, for host and device, and -E makes one; leave it out")
    beside = tuple(Path(name) for name in command.inputs if name.endswith(KERNELS))
    assembly = assemble(HostUnit(path, options, flags, tuple(command.depends), beside), device)
    if command.mode == "-S":
        made.write_text(assembly, encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory(prefix="cncc-") as folder:
        text = Path(folder, "kernels.s")
        text.write_text(assembly, encoding="utf-8")
        return _host(compiler, ["-c", "-o", str(made), str(text)])


def _say_arch(command: CompilerCommand, device: Device) -> None:
    """Say so where the command names architectures and the device's is not among them."""
    arch = str(device.shape.arch)
    if command.archs and not any(name[:1] == arch[:1] for name in command.archs):
        sys.stderr.write(
            f"cncc: warning: compiled for {device.name} (arch {arch}), not for {', '.join(command.archs)}: the toolkit "
            "was made for that device\n"
        )


def _host(compiler: Compiler, step: Sequence[str]) -> int:
    """Run the host's compiler as it is: what it says goes where ours would."""
    return subprocess.run([*compiler.command, *step], check=False).returncode


def main(words: Sequence[str]) -> int:
    """``cncc``: the first word is the device, the second the folder of the libraries, the others are the user's."""
    name, libraries, *rest = words
    try:
        device = Device.load(name)
        command = read_command(rest)
        if command.asks:
            sys.stdout.write(f"cncc: {_VERSION} (mlusim {version('mlusim')} for {device.name})\n")
            return 0
        return compile_command(command, device, Path(libraries))
    except BuildError as error:
        sys.stderr.write(f"{error}\n")
    except (ValueError, TypeError, OSError) as error:
        sys.stderr.write(f"cncc: error: {error}\n")
    return 1


def assembler(words: Sequence[str]) -> int:
    """``cnas``: assembles what ``cncc -S`` wrote."""
    source = output = ""
    left = list(words[2:])
    while left:
        word = left.pop(0)
        if word in ("-i", "-o", "--mcpu", "-mcpu", "--target"):
            if not left:
                sys.stderr.write(f"cnas: error: {word} needs a value behind it\n")
                return 1
            value = left.pop(0)
            source, output = (value if word == "-i" else source), (value if word == "-o" else output)
        elif not word.startswith("-"):
            source = word
        elif not re.fullmatch(r"-O\d|--device-only|--mcpu=\S*|-g|--bang-\S*", word):
            sys.stderr.write(f"cnas: error: there is no option {word}\n")
            return 1
    if not source:
        sys.stderr.write("cnas: error: no input file\n")
        return 1
    try:
        return _host(Compiler(), ["-c", "-x", "assembler", source, "-o", output or f"{Path(source).stem}.o"])
    except BuildError as error:
        sys.stderr.write(f"cnas: error: {error}\n")
        return 1


if __name__ == "__main__":
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # leave nothing behind
        signal.signal(ending, lambda number, frame: sys.exit(128 + number))
    sys.exit(assembler(sys.argv[2:]) if sys.argv[1] == "cnas" else main(sys.argv[2:]))
