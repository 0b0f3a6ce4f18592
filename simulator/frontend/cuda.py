"""CUDA: C++ whose kernels run as grids of thread blocks."""

from __future__ import annotations

from collections.abc import Sequence

from ..hardware import Shape
from .compiler import THREADS
from .language import UNSEEN, VISIBLE, Unit, sections
from .rewrite import rewrite

#: The version of the vendor's compiler that the macros name.
_VERSION = (12, 4)


class Cuda:
    """How a CUDA source is built."""

    kind = "c++"
    include = THREADS / "include_cuda"

    def preprocess(self, shape: Shape) -> list[str]:
        """The macros that the vendor's compiler defines in its pass for an architecture."""
        major, minor = _VERSION
        defines = {
            "__CUDACC__": 1, "__NVCC__": 1, "__CUDA_ARCH__": 10 * shape.arch, "__CUDACC_VER_MAJOR__": major,
            "__CUDACC_VER_MINOR__": minor, "__CUDACC_VER_BUILD__": 0, "CUDART_VERSION": 1000 * major + 10 * minor,
            "CUDA_VERSION": 1000 * major + 10 * minor,
        }  # fmt: skip
        return ["-std=c++17", *(f"-D{name}={value}" for name, value in defines.items()), "-include", "mlusim_cuda.h"]

    def compile(self) -> list[str]:
        """Options of the compiler. A structure is loaded as a whole: taken apart, it would be several accesses."""
        return ["-std=c++17", "-w", "-fno-tree-sra", "-fno-ipa-sra", "-fno-store-merging"]

    def read(self, preprocessed: str) -> Unit:
        """Kernels are the functions declared `__global__`."""
        done = rewrite(preprocessed, {})
        plain = tuple(kernel.name for kernel in done.kernels if not kernel.template)
        return Unit(done.text, plain, tuple(kernel.name for kernel in done.kernels if kernel.template))

    def entries(self, kernels: Sequence[str]) -> str:
        """An entry and a signature for each kernel."""
        lines = ["", '# 1 "<mlusim entry points>"', 'extern "C" {', *sections("slots", "ports")]
        for number, kernel in enumerate(kernels):
            signature = f"return ::mlusim::signature(&{kernel}, out, room);"
            lines += [
                f'# 1 "<launch of {kernel}>"',
                f"{UNSEEN} void mlusim_entry_{number}(void** arguments) {{ ::mlusim::invoke(&{kernel}, arguments); }}",
                f"{VISIBLE} int mlusim_signature_{number}(char* out, int room) {{ {signature} }}",
            ]
        return "\n".join([*lines, "}", ""])
