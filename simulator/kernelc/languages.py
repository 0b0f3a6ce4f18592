"""Which language a source is written in."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ...isa import Dialect
from .language import Language
from .options import Options

if TYPE_CHECKING:
    from .bang_c import BangC
    from .cuda import Cuda
    from .tpu_kernel import TpuKernel

#: Module and class of each, imported when it is asked for: a process builds kernels of one of them.
_HOMES = {
    "bang-c": ("bang_c", "BangC"), "cuda": ("cuda", "Cuda"), "tpu-kernel": ("tpu_kernel", "TpuKernel"),
    "okkernel": ("tpu_kernel", "OkKernel"),
}  # fmt: skip


def language_class(dialect: Dialect) -> type[BangC | Cuda | TpuKernel]:
    """What the sources of a dialect are written in."""
    module, name = _HOMES[dialect.language]
    found: type[BangC | Cuda | TpuKernel] = getattr(import_module(f".{module}", __package__), name)
    return found


def language_of(dialect: Dialect, path: Path, options: Options) -> Language:
    """The language of a source file."""
    return language_class(dialect)(dialect, options, path)
