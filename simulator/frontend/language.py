"""The languages that kernels are written in: how each is preprocessed, what its kernels are, how they are entered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...isa import Dialect
from ..device import Shape
from .compiler import CSRC
from .header import asm_functions
from .rewrite import rewrite

_VISIBLE = '__attribute__((visibility("default")))'
_UNSEEN = '__attribute__((visibility("default"), no_sanitize("thread")))'


@dataclass(frozen=True)
class Unit:
    """A preprocessed source as plain C or C++, and the kernels that it defines."""

    text: str
    kernels: tuple[str, ...]
    templates: tuple[str, ...] = ()


def _sections(*names: str) -> list[str]:
    """Functions that give the bounds of sections of an image; 0 where the image has none."""
    lines = []
    for name in names:
        for bound, which in (("start", "begin"), ("stop", "end")):
            symbol = f"__{bound}_mlusim_{name}"
            lines += [
                f'extern char {symbol}[] __attribute__((weak, visibility("hidden")));',
                f"{_VISIBLE} char* mlusim_{name}_{which}(void) {{ return {symbol}; }}",
            ]
    return lines


class Language(Protocol):
    """What the build must know of a language."""

    kind: str  # as in the compiler's -x
    include: Path  # our headers

    def preprocess(self, shape: Shape) -> list[str]:
        """Options of the preprocessor."""

    def compile(self) -> list[str]:
        """Options of the compiler."""

    def read(self, preprocessed: str) -> Unit:
        """Rewrite a preprocessed source and find its kernels."""

    def entries(self, kernels: Sequence[str]) -> str:
        """C functions by which the simulator reaches the kernels, to stand after the source."""


class BangC:
    """BANG C: C++ with memory-space qualifiers, launches and inline assembly."""

    kind = "c++"
    include = CSRC / "include"

    def __init__(self, dialect: Dialect) -> None:
        self._asm = asm_functions(dialect)

    def preprocess(self, shape: Shape) -> list[str]:
        """The macros that the vendor's compiler defines for an architecture; sizes in KB."""
        defines = {"__BANG__": 1, "__BANG_ARCH__": shape.arch, "__mlu__": 1, "NDEBUG": 1}
        for name, space in shape.spaces.items():
            defines[f"__MLU_{name.upper()}_SIZE__"] = space.bytes // 1024
        return ["-std=c++17", *(f"-D{name}={value}" for name, value in defines.items()), "-include", "mlu.h"]

    def compile(self) -> list[str]:
        """Options of the compiler."""
        return ["-std=c++17", "-w"]

    def read(self, preprocessed: str) -> Unit:
        """Kernels are the functions declared `__mlu_global__`."""
        done = rewrite(preprocessed, self._asm)
        plain = tuple(kernel.name for kernel in done.kernels if not kernel.template)
        return Unit(done.text, plain, tuple(kernel.name for kernel in done.kernels if kernel.template))

    def entries(self, kernels: Sequence[str]) -> str:
        """An entry and a signature for each kernel, and the bounds of the slots of on-chip variables."""
        lines = ["", '# 1 "<mlusim entry points>"', 'extern "C" {', *_sections("slots", "doors")]
        for number, kernel in enumerate(kernels):
            lines += [
                f'# 1 "<launch of {kernel}>"',
                f"{_UNSEEN} void mlusim_entry_{number}(void** arguments) {{ ::mlusim::invoke(&{kernel}, arguments); }}",
                f"{_VISIBLE} void mlusim_signature_{number}(char* out) {{ ::mlusim::signature(&{kernel}, out); }}",
            ]
        return "\n".join([*lines, "}", ""])


class TpuKernel:
    """TPU-KERNEL: plain C or C++ whose kernels take one pointer to their arguments and are registered by a macro."""

    include = CSRC / "include_tpu"
    _registered = re.compile(r"\bmlusim_register_(\w+)\s*\(void\)\s*\{")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._standard = "-std=gnu11" if kind == "c" else "-std=c++17"

    def preprocess(self, shape: Shape) -> list[str]:
        """The macros that select the chip and, on chips of several cores, the multi-core bodies."""
        numbers = {name: getattr(shape, name) or 0 for name in ("arch", "lanes", "banks", "eu_bytes")}
        defines = [f"-DMLUSIM_{name.upper()}={number}" for name, number in numbers.items()]
        defines.append(f"-DMLUSIM_LOCAL_BYTES={shape.spaces['local'].bytes if 'local' in shape.spaces else 0}")
        multi = ["-DENABLE_MULTI_CORE"] if shape.cores > 1 else []
        return [self._standard, "-DUSING_CMODEL", *defines, *multi]

    def compile(self) -> list[str]:
        """Options of the compiler; calling an undeclared function is an error in C too."""
        return [self._standard, *(["-Werror=implicit-function-declaration"] if self.kind == "c" else ["-w"])]

    def read(self, preprocessed: str) -> Unit:
        """Kernels are the functions that `TPUKERNEL_FUNC_REGISTER` names."""
        return Unit(preprocessed, tuple(dict.fromkeys(self._registered.findall(preprocessed))))

    def entries(self, kernels: Sequence[str]) -> str:
        """An entry for each kernel; its one argument is a block of bytes."""
        begin, end = ('extern "C" {', "}") if self.kind == "c++" else ("", "")
        lines = ["", '# 1 "<mlusim entry points>"', begin, *_sections("slots", "doors")]
        for number, kernel in enumerate(kernels):
            lines += [
                f"{_UNSEEN} void mlusim_entry_{number}(void** arguments) {{ {kernel}(arguments[0]); }}",
                f'{_VISIBLE} void mlusim_signature_{number}(char* out) {{ __builtin_strcpy(out, "s0,"); }}',
            ]
        return "\n".join([*lines, end, ""])


def headers_of(dialect: Dialect) -> Path:
    """The folder of our headers for a dialect."""
    return TpuKernel.include if dialect.source == "tpu-kernel" else BangC.include


def language_of(dialect: Dialect, path: Path) -> Language:
    """The language of a source file."""
    if dialect.source == "tpu-kernel":
        return TpuKernel("c" if path.suffix == ".c" else "c++")
    return BangC(dialect)
