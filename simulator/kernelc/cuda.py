"""CUDA: C++ whose kernels run as grids of thread blocks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...isa import Dialect
from ..chip import Shape
from ..native import INCLUDE
from .language import Unit, cpp_entries, cpp_unit
from .options import Options

#: Loads of what is volatile are told from others, and clang shows the load of `x[i]++` as well: clang, g++.
_ACCESSES = (
    "-mllvm -tsan-distinguish-volatile=1 -mllvm -tsan-instrument-read-before-write=1",
    "--param=tsan-distinguish-volatile=1", "",
)  # fmt: skip
#: The version of the vendor's compiler that the macros name.
_VERSION = (12, 4)


class Cuda:
    """How a CUDA source is built."""

    kind = "c++"
    flags: tuple[tuple[str, ...], ...] = (_ACCESSES,)
    hooks_inside = True
    include = INCLUDE / "cuda"
    header = "mlusim_cuda.h"
    kernel_mark = "__global__"
    variable_words = frozenset({"__device__", "__constant__", "__managed__"})

    def __init__(self, dialect: Dialect, options: Options, path: Path) -> None:
        del dialect, path  # all of them are C++
        self._standard = options.standard_for("c++", "c++17")

    def preprocess(self, shape: Shape) -> list[str]:
        """The macros that the vendor's compiler defines in its pass for an architecture."""
        defines = {**self.host_macros(shape), "__CUDA_ARCH__": 10 * shape.arch}
        return [self._standard, *(f"-D{name}={value}" for name, value in defines.items()), "-include", self.header]

    def host_macros(self, shape: Shape) -> dict[str, object]:
        """The compiler and its version."""
        del shape
        major, minor = _VERSION
        version = 1000 * major + 10 * minor
        return {
            "__CUDACC__": 1, "__NVCC__": 1, "__CUDACC_VER_MAJOR__": major, "__CUDACC_VER_MINOR__": minor,
            "__CUDACC_VER_BUILD__": 0, "CUDART_VERSION": version, "CUDA_VERSION": version,
        }  # fmt: skip

    def compile(self) -> list[str]:
        """Options of the compiler. A structure is loaded as a whole: taken apart, it would be several accesses."""
        return [self._standard, "-fno-tree-sra", "-fno-ipa-sra", "-fno-store-merging"]

    def read(self, preprocessed: str) -> Unit:
        """Kernels are the functions declared `__global__`."""
        from .host_functions import only_if_used  # a source that is kept has been read

        return cpp_unit(only_if_used(preprocessed), {})

    def entries(self, kernels: Sequence[str], unit: Unit) -> str:
        """An entry and a signature for each kernel."""
        return cpp_entries(kernels, unit.declared)
