"""BANG C: C++ with memory-space qualifiers, launches and inline assembly."""

from __future__ import annotations

from collections.abc import Sequence

from ...isa import Dialect
from ..hardware import Shape
from .compiler import CSRC
from .header import asm_functions
from .language import UNSEEN, VISIBLE, Unit, sections
from .launches import KernelDecl
from .options import Options
from .rewrite import rewrite

#: Inline assembly that is no instruction of its own, and the functions that do the same.
_ASM = {
    "findlast1.gpr.b32": "::mlusim::find_last_one",
    "barrier.sync.local": "::mlusim::barrier_local",
    "barrier.sync.global": "::mlusim::barrier_global",
}


class BangC:
    """How a BANG C source is built."""

    kind = "c++"
    include = CSRC / "include_bang"

    def __init__(self, dialect: Dialect, options: Options) -> None:
        self._standard = options.standard_for("c++", "c++17")
        self._asm = {**asm_functions(dialect), **_ASM}

    def preprocess(self, shape: Shape) -> list[str]:
        """The macros that the vendor's compiler defines for an architecture; sizes in KB."""
        defines = {"__BANG__": 1, "__BANG_ARCH__": shape.arch, "__mlu__": 1}
        for name, space in shape.spaces.items():
            defines[f"__MLU_{name.upper()}_SIZE__"] = space.bytes // 1024
        return [self._standard, *(f"-D{name}={value}" for name, value in defines.items()), "-include", "mlu.h"]

    def compile(self) -> list[str]:
        """Options of the compiler."""
        return [self._standard, "-w"]

    def read(self, preprocessed: str) -> Unit:
        """Kernels are the functions declared `__mlu_global__`."""
        done = rewrite(preprocessed, self._asm)
        plain = tuple(kernel.name for kernel in done.kernels if not kernel.template)
        return Unit(done.text, plain, tuple(kernel.name for kernel in done.kernels if kernel.template), done.kernels)

    def entries(self, kernels: Sequence[str], declared: Sequence[KernelDecl]) -> str:
        """An entry and a signature for each kernel, and the bounds of the slots of on-chip variables."""
        lines = ["", '# 1 "<mlusim entry points>"']
        plain = {kernel.name: kernel for kernel in declared if not kernel.template}
        address = {}
        for number, kernel in enumerate(kernels):
            address[kernel] = f"&{kernel}"
            if kernel in plain:  # it may have the name of a function of the C library
                lines.append(_pointer(plain[kernel], f"mlusim_kernel_{number}"))
                address[kernel] = "::".join(filter(None, ["", plain[kernel].home, f"mlusim_kernel_{number}"]))
        lines += ['extern "C" {', *sections("slots", "ports")]
        for number, kernel in enumerate(kernels):
            lines += [
                f'# 1 "<launch of {kernel}>"',
                f"{UNSEEN} void mlusim_entry_{number}(void** arguments) "
                f"{{ ::mlusim::invoke({address[kernel]}, arguments); }}",
                f"extern {VISIBLE} constexpr ::mlusim::Signature mlusim_signature_{number}({address[kernel]});",
            ]
        return "\n".join([*lines, "}", ""])


def _pointer(kernel: KernelDecl, name: str) -> str:
    """A constant that points to a kernel, in its namespace: there its parameters' types mean what they say."""
    kinds = ", ".join(parameter.text for parameter in kernel.parameters)
    own = kernel.name.rpartition("::")[2]
    pointer = f"static constexpr void (*{name})({kinds}) = &{own};"
    return f"namespace {kernel.home} {{ {pointer} }}" if kernel.home else pointer
