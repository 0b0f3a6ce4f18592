"""Which language a source is written in."""

from __future__ import annotations

from pathlib import Path

from ...isa import Dialect
from .bang_c import BangC
from .cuda import Cuda
from .language import Language
from .options import Options
from .tpu_kernel import OkKernel, TpuKernel

_CLASSES: dict[str, type[BangC | Cuda | TpuKernel]] = {
    "bang-c": BangC, "cuda": Cuda, "tpu-kernel": TpuKernel, "okkernel": OkKernel,
}  # fmt: skip


def language_class(dialect: Dialect) -> type[BangC | Cuda | TpuKernel]:
    """What the sources of a dialect are written in."""
    return _CLASSES[dialect.language]


def language_of(dialect: Dialect, path: Path, options: Options) -> Language:
    """The language of a source file."""
    made = language_class(dialect)
    if issubclass(made, TpuKernel):
        return made(dialect, "c" if path.suffix == ".c" else "c++", options)
    return Cuda(options) if made is Cuda else BangC(dialect, options)
