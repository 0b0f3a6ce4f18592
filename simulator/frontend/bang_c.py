"""BANG C: C++ with memory-space qualifiers, launches and inline assembly."""

from __future__ import annotations

from collections.abc import Sequence

from ...isa import Dialect
from ..hardware import Shape
from .compiler import CSRC
from .header import asm_functions
from .language import Unit, cpp_entries, cpp_unit


class BangC:
    """How a BANG C source is built."""

    kind = "c++"
    include = CSRC / "include_bang"

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
        return cpp_unit(preprocessed, self._asm)

    def entries(self, kernels: Sequence[str]) -> str:
        """An entry and a signature for each kernel, and the bounds of the slots of on-chip variables."""
        return cpp_entries(kernels)
