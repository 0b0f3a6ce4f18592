"""The native code of this package, which is built once for a machine."""

from __future__ import annotations

import ctypes

from ..findings import BuildError
from ..native import PASSES

_FOLDER = PASSES / "timing"


def library() -> ctypes.CDLL:
    """Its functions; BuildError without a C++ compiler."""
    from ..native.library import built_folder  # whoever asks for no time has no need of a compiler

    try:
        built = built_folder(_FOLDER)
    except BuildError as error:
        raise BuildError(f"times are found by native code, and {error}") from None
    for function in (built.mlusim_walk_log, built.mlusim_find_costs, built.mlusim_critical_path):
        function.restype = ctypes.c_int64
    return built
