"""What the vendors' SDKs have for host code, by the ISA of the devices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...native import INCLUDE


@dataclass(frozen=True)
class Sdk:
    """What host code is built with.

    ``runtime`` is what messages call the library that it calls, ``compilers`` the module that is the compilers of these
    names (``tools``), ``headers`` the folders of headers, ``libraries`` what programs are linked with.
    """

    runtime: str
    compilers: str
    tools: tuple[str, ...]
    headers: tuple[Path, ...]
    libraries: tuple[str, ...]

    def linked(self, folder: Path) -> list[str]:
        """Words for the linker: the libraries, in a folder where programs find them too."""
        names = (name.removeprefix("lib").removesuffix(".so") for name in self.libraries)
        return [f"-L{folder}", *(f"-l{name}" for name in names), f"-Wl,-rpath,{folder}"]


_BMLIB = INCLUDE / "sophgo"
_C_COMPILERS = "cc", "c++"
SDKS = {
    "bang": Sdk(
        "CNRT", "cncc", ("cncc", "cnas"), (INCLUDE / "bang",),
        ("libcnrt.so", "libcndrv.so", "libcnnl.so", "libcndev.so"),
    ),
    "okk": Sdk("bmlib", "cc", _C_COMPILERS, (INCLUDE / "okk", _BMLIB), ("libcnrt.so", "libbmlib.so")),
    "tpu": Sdk(
        "bmlib", "cc", _C_COMPILERS, (INCLUDE / "tpu", _BMLIB), ("libcnrt.so", "libbmlib.so", "libtpuv7_rt.so")
    ),
}  # fmt: skip
