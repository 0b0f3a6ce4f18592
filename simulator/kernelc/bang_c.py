"""BANG C: C++ with memory-space qualifiers, launches and inline assembly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...isa import Dialect
from ..chip import Shape
from ..native import INCLUDE
from .language import TASK_FLAGS, Unit, cpp_entries, cpp_unit
from .options import Options

#: Inline assembly that is no instruction of its own, and the functions that do the same.
_ASM = {
    "findlast1.gpr.b32": "::mlusim::find_last_one",
    "barrier.sync.local": "::mlusim::barrier_local",
    "barrier.sync.global": "::mlusim::barrier_global",
}


class BangC:
    """How a BANG C source is built."""

    kind = "c++"
    flags = TASK_FLAGS
    hooks_inside = False
    include = INCLUDE / "bang"
    header = "mlu.h"
    kernel_mark = "__mlu_entry__ or __mlu_global__"
    variable_words: frozenset[str] = frozenset()

    def __init__(self, dialect: Dialect, options: Options, path: Path) -> None:
        del path  # all of them are C++
        self._standard = options.standard_for("c++", "c++17")
        self._dialect = dialect

    def preprocess(self, shape: Shape) -> list[str]:
        """The macros that the vendor's compiler defines for an architecture."""
        defines = {**self.host_macros(shape), "__BANG_ARCH__": shape.arch, "__mlu__": 1}
        return [self._standard, *(f"-D{name}={value}" for name, value in defines.items()), "-include", self.header]

    def host_macros(self, shape: Shape) -> dict[str, object]:
        """The sizes of memories, in KB."""
        sizes = {f"__MLU_{name.upper()}_SIZE__": space.bytes // 1024 for name, space in shape.spaces.items()}
        return {"__BANG__": 1, **sizes}

    def compile(self) -> list[str]:
        """Options of the compiler."""
        return [self._standard]

    def read(self, preprocessed: str) -> Unit:
        """Kernels are the functions declared `__mlu_global__`."""
        from .header import asm_functions  # a source that is kept has been read

        return cpp_unit(preprocessed, {**asm_functions(self._dialect), **_ASM})

    def entries(self, kernels: Sequence[str], unit: Unit) -> str:
        """An entry and a signature for each kernel, and the bounds of the slots of on-chip variables."""
        return cpp_entries(kernels, unit.declared)
