"""From a source with kernels to an object of a host program: its host's part, and the image of its kernels in it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ....isa.dialects import DIALECTS
from ...findings import BuildError, rules
from ...kernelc.build import Builder, Source
from ...kernelc.declared import KernelDecl
from ...kernelc.failures import first_error, of_others
from ...kernelc.inputs import embedded
from ...kernelc.kept import kept
from ...kernelc.language import Language
from ...kernelc.languages import language_of
from ...kernelc.options import Options
from ...kernelc.source import RewriteError
from ...launches.budget import budget_of
from ...launches.device import Device
from ...launches.image import LaunchableImage
from ...native import INCLUDE
from ...native.cache import text_of
from ...native.compiler import Compiler
from ...native.process import CommandResult
from .origin import Origin
from .record import REGISTER, image_record
from .sdk import SDKS
from .source import host_part

#: The headers of kernels and host programs of the MLU.
HEADERS = INCLUDE / "bang"
#: A function, up to where its size is said.
_LOCATION = re.compile(r"^\t\.loc \d+ (\d+) ", re.M)
_FUNCTION = re.compile(r"^\t\.type\t(\S+), @function$(.*?)^\t\.size\t\1,", re.M | re.S)
#: What the body of a kernel calls in the host's part.
_ENTER = re.compile(r"\bmlusim_enter_kernel\b")
_WEAK = re.compile(r"^\t\.weak\t(\S+)$", re.M)
#: Types in symbols: half is a type of its own, and was unsigned short in host code of older toolkits.
_HALF, _UNSIGNED_SHORT = "DF16_", "t"


@dataclass(frozen=True)
class HostUnit:
    """A source to build, with the options of both compilers.

    ``flags`` are the host's own, such as -O2 and -fPIC, ``depends`` those that write what it depends on; ``beside`` are
    the sources that may define what its kernels call.
    """

    path: Path
    options: Options
    flags: tuple[str, ...] = ()
    depends: tuple[str, ...] = ()
    beside: tuple[Path, ...] = ()


@dataclass(frozen=True)
class ReadUnit:
    """A source that has been preprocessed, for the device and for the host."""

    unit: HostUnit
    device: Device
    builder: Builder
    source: Source  # for the device, with those that its kernels may be linked with
    others: tuple[Source, ...]
    host: str  # what the host's preprocessor has made of it

    @property
    def origin(self) -> Origin:
        """What the image of its kernels is built of."""
        return Origin.of(self.source, self.others, self.unit.options)

    def key(self) -> str:
        """All that its assembly depends on."""
        texts = [self.source.text, *(other.text for other in self.others)]
        texts_of_host = [*self.unit.flags, self.host, embedded(self.host, self.unit.options.include)]
        ours = [file.read_text(encoding="utf-8") for file in sorted(Path(__file__).parent.glob("*.py"))]
        said = [json.dumps(facts) for facts in (self.device.shape.to_dict(), self.origin.facts())]
        runtime = self.builder.runtime().parent.name
        return "\0".join([self.builder.key_of(self.source, texts), runtime, *said, *texts_of_host, *ours])

    def assembly(self) -> str:
        """What its host's part compiles to, and the image of its kernels. BuildError when it does not compile."""
        builder = self.builder
        try:
            text, kernels = host_part(self.host, self.source.language.variable_words)
        except RewriteError as error:
            finding = rules.build.failed(error.problem, error.file, error.line)
            raise BuildError(f"{self.unit.path} cannot be read: {error}", finding) from None
        assembly = _compiled(builder, self.unit, text + (REGISTER if kernels else ""))
        if not kernels:
            return assembly
        symbols = _symbols(assembly, kernels)
        instances = [name for name in symbols if "<" in name]
        image = LaunchableImage(builder, builder.compile(self.source, instances, self.others))
        budget_of(self.device.shape, [image])
        plain = [kernel for kernel in self.source.declared if not kernel.template]
        called = {kernel.name: _other_names(kernel, symbols[kernel.name]) for kernel in plain if kernel.name in symbols}
        return assembly + image_record(
            builder, self.device, image, self.origin, symbols, set(_WEAK.findall(assembly)), called
        )


def read_unit(unit: HostUnit, device: Device) -> ReadUnit:
    """Preprocess a source with kernels for both sides; BuildError when that cannot be done."""
    builder = Builder(device.shape, unit.options)
    with ThreadPoolExecutor(1) as beside:  # one waits for the compiler while the other does
        host = beside.submit(_host_text, builder, unit)
        source = builder.read(unit.path)
        others = tuple(builder.read(path) for path in unit.beside if path != unit.path)
        return ReadUnit(unit, device, builder, source, others, host.result())


def assemble(unit: HostUnit, device: Device) -> str:
    """The assembly of a source with kernels: what its host's part compiles to, and the image of its kernels.

    BuildError when it does not compile.
    """
    return read_unit(unit, device).assembly()


def launched_instances(path: Path, options: Options, device: Device) -> list[str]:
    """The instances of kernel templates that the host code of a source launches.

    BuildError when its host's part does not compile.
    """
    builder, unit = Builder(device.shape, options), HostUnit(path, options)
    text, kernels = host_part(_host_text(builder, unit), _language(builder, unit).variable_words)
    return [name for name in _symbols(_compiled(builder, unit, text), kernels) if "<" in name]


def _language(builder: Builder, unit: HostUnit) -> Language:
    return language_of(builder.dialect, unit.path, unit.options)


def _host_text(builder: Builder, unit: HostUnit) -> str:
    language = _language(builder, unit)
    macros = {"MLUSIM_HOST": 1, **language.host_macros(builder.shape)}
    defines = [f"-D{name}={value}" for name, value in macros.items()]
    standard = unit.options.standard_for("c++", "c++17")
    return preprocessed(
        builder.compiler, unit,
        ["-E", "-x", "c++", standard, *unit.flags, *unit.depends, *unit.options.folders(),
         f"-isystem{language.include}", *defines, "-include", language.header, *unit.options.preprocess(),
         str(unit.path.absolute())]
    )  # fmt: skip


def preprocessed(compiler: Compiler, unit: HostUnit, command: Sequence[str]) -> str:
    """The text of a command that preprocesses a source for the host."""

    def make() -> tuple[str, str]:
        done = compiler.run(command)
        check(unit, done)
        text = done.output.decode(errors="surrogateescape")
        return text, text

    return kept(compiler, command, "", make)


def _compiled(builder: Builder, unit: HostUnit, text: str) -> str:
    standard = unit.options.standard_for("c++", "c++17")
    flags = [*returning(builder.compiler), *unit.flags]

    def make(path: Path) -> None:
        given = path.with_suffix(".ii")
        given.write_bytes(text.encode(errors="surrogateescape"))
        step = ["-S", "-x", "c++-cpp-output", standard, *flags, "-g", "-w", "-o", str(path), str(given)]
        check(unit, builder.compiler.run(step, path.parent))

    key = "\0".join([builder.compiler.version, standard, *flags, text])
    return text_of(builder.compiler.cache.file("host.s", key, make))


def returning(compiler: Compiler) -> list[str]:
    """Without optimization, a function that returns no value returns all the same: newer GCCs would trap at its end."""
    return compiler.accepted("-fno-unreachable-traps", "")


def check(unit: HostUnit, done: CommandResult) -> None:
    """BuildError with what the host's compiler has said, if it has failed."""
    if done.returncode:
        hints = of_others(done.messages, {DIALECTS[isa].title: sdk.headers for isa, sdk in SDKS.items()})
        error = first_error(done.messages, "the host's part does not compile", unit.path)
        finding = rules.build.failed(*error, hints)
        said = "\n".join([f"{unit.path} does not compile for the host:", done.messages.strip(), *hints])
        raise BuildError(said, finding)


def _symbols(assembly: str, kernels: Sequence[KernelDecl]) -> dict[str, str]:
    """The kernels that the host's part defines, templates with their arguments -> their symbols."""
    bodies = {name: body for name, body in _FUNCTION.findall(assembly) if _ENTER.search(body)}
    names = list(bodies)
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    found: dict[str, str] = {}
    for symbol, shown in zip(names, done.stdout.replace("_Float16", "half").split("\n"), strict=False):
        named = [(at, kernel) for kernel in kernels if (at := _mention(shown, kernel)) is not None]
        line = _line(bodies[symbol])  # of the body, which may begin some lines behind the name
        last = max((kernel.line for _, kernel in named if kernel.line <= line), default=0)
        for at, kernel in named:
            if kernel.name == kernel.plain_name or kernel.line == last:
                found.setdefault(at, symbol)
    return found


def _mention(shown: str, kernel: KernelDecl) -> str | None:
    """The kernel that a function is as the compiler names it: "void ns::K<float>(float*)" -> "ns::K<float>"."""
    plain = shown.replace("(anonymous namespace)::", "")
    if not kernel.template:
        return kernel.name if plain.partition("(")[0] == kernel.plain_name else None
    start = plain.find(f"{kernel.name}<")
    if start < 0 or (start and plain[start - 1] not in " :") or "[clone" in plain:
        return None
    depth = 0
    for at in range(start + len(kernel.name), len(plain)):
        depth += {"<": 1, ">": -1, "(": 1, ")": -1}.get(plain[at], 0)
        if not depth:
            return plain[start : at + 1] if plain[at + 1 : at + 2] == "(" else None
    return None


def _line(body: str) -> int:
    """The line that a function begins on, 0 if its assembly does not say."""
    found = _LOCATION.search(body)
    return int(found[1]) if found else 0


def _other_names(kernel: KernelDecl, symbol: str) -> set[str]:
    """What other sources may call a kernel that is no template: as the oldest compilers did, or with an older half.

    A function of the C library keeps its name for itself.
    """
    plain = {kernel.plain_name} if not kernel.home and (kernel.c_linkage or not kernel.overloaded) else set()
    return plain | {symbol.replace(_HALF, _UNSIGNED_SHORT)}
