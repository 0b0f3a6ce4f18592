"""TPU-KERNEL: plain C or C++ whose kernels take one pointer to their arguments and are registered by a macro."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ...isa import Dialect
from ..chip import Shape
from ..core.memory import lanes_of
from ..native import INCLUDE
from .blocks import structures_of_blocks
from .language import TASK_FLAGS, UNSEEN, VISIBLE, Unit, sections
from .options import Options
from .source import Marker, SourceText

#: Chips whose kernels the vendor builds with ENABLE_MULTI_CORE (sophgo/torch-tpu, firmware_core/CMakeLists.txt).
_MULTI_CORE = (1690,)
_MARKER = re.compile(r'\n# (\d+) "((?:[^"\\\n]|\\.)*)".*')


class TpuKernel:
    """How a TPU-KERNEL source is built."""

    flags = TASK_FLAGS
    hooks_inside = False
    include = INCLUDE / "tpu"
    header = "tpu_kernel.h"
    kernel_mark = "TPUKERNEL_FUNC_REGISTER"
    variable_words: frozenset[str] = frozenset()
    _registered = re.compile(r"\bmlusim_register_(\w+)\s*\(void\)\s*\{")

    def __init__(self, dialect: Dialect, options: Options, path: Path) -> None:
        self.kind, self._dialect = "c" if path.suffix == ".c" else "c++", dialect
        self._standard = options.standard_for(self.kind, "gnu11" if self.kind == "c" else "c++17")

    def preprocess(self, shape: Shape) -> list[str]:
        """The macros that select the chip and, as the vendor does for some, the multi-core bodies."""
        lanes = lanes_of(shape, self._dialect)
        numbers = {"arch": shape.arch, "lanes": lanes.count, "lane_bytes": lanes.size, "banks": shape.banks or 0}
        numbers["eu_bytes"] = lanes.beat
        for name, space in shape.spaces.items():
            numbers[f"{name}_bytes"] = space.bytes
            if address := self._dialect.spaces[name].window(shape.arch):
                numbers[f"{name}_start"] = address
        defines = [f"-DMLUSIM_{name.upper()}={number}" for name, number in numbers.items()]
        multi = ["-DENABLE_MULTI_CORE"] if shape.arch in _MULTI_CORE else []
        return [self._standard, "-DUSING_CMODEL", *defines, *multi]

    def host_macros(self, shape: Shape) -> dict[str, object]:
        """None: host code is in sources of its own."""
        del shape
        return {}

    def compile(self) -> list[str]:
        """Options of the compiler; calling an undeclared function is an error in C too."""
        return [self._standard, *(["-Werror=implicit-function-declaration"] if self.kind == "c" else [])]

    def read(self, preprocessed: str) -> Unit:
        """Kernels are the functions that `TPUKERNEL_FUNC_REGISTER`, or its like, names."""
        markers = [Marker(found.end() + 1, found[2], int(found[1])) for found in _MARKER.finditer(preprocessed)]
        text = SourceText(preprocessed, markers)
        places = {found[1]: text.locate(found.start()) for found in self._registered.finditer(preprocessed)}
        kernels = tuple(places)
        return Unit(preprocessed, kernels, blocks=structures_of_blocks(preprocessed, kernels), places=places)

    def entries(self, kernels: Sequence[str], unit: Unit) -> str:
        """An entry for each kernel, at the line that registers it; its one argument is a block of bytes."""
        begin, end, linkage = ('extern "C" {', "}", "extern ") if self.kind == "c++" else ("", "", "")
        lines = ["", '# 1 "<mlusim entry points>"', begin, *sections("slots", "ports")]
        for number, kernel in enumerate(kernels):
            file, line = unit.places[kernel]
            lines += [
                f'# {line} "{file}"',
                f"{UNSEEN} void mlusim_entry_{number}(void** arguments) {{ {kernel}(arguments[0]); }}",
                f'{linkage}{VISIBLE} const char mlusim_signature_{number}[] = "s0,";',
            ]
        return "\n".join([*lines, end, ""])


class OkKernel(TpuKernel):
    """How an OKK source is built: as TPU-KERNEL, with a header of its own."""

    include = INCLUDE / "okk"
    header = "okk.h"
    kernel_mark = "OKKERNEL_FUNC_REGISTER"
