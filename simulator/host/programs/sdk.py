"""What the vendors' SDKs have for host code, by the ISA of the devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...native import HOST, INCLUDE


@dataclass(frozen=True)
class Sdk:
    """What host code is built with.

    ``runtime`` is what messages call the library that it calls, ``compilers`` the module that is the compilers of these
    names (``tools``), ``headers`` the folders of headers, ``libraries`` what programs are linked with. ``asks`` is what
    a build file is given, {0} being the folder of the toolkit. ``aliases`` are libraries that public build files name
    and whose functions are never called, with the one that each leads to, ``modules`` what CMake finds.
    """

    runtime: str
    compilers: str
    tools: tuple[str, ...]
    headers: tuple[Path, ...]
    libraries: tuple[str, ...]
    asks: str
    aliases: Mapping[str, str] = field(default_factory=dict)
    modules: tuple[Path, ...] = ()

    def linked(self, folder: Path) -> list[str]:
        """Words for the linker: the libraries, in a folder where programs find them too."""
        names = (name.removeprefix("lib").removesuffix(".so") for name in self.libraries)
        return [f"-L{folder}", *(f"-l{name}" for name in names), f"-Wl,-rpath,{folder}"]


_BMLIB = INCLUDE / "sophgo"
_C_COMPILERS, _ASKS = ("cc", "c++"), "CC={0}/bin/cc CXX={0}/bin/c++"
SDKS = {
    "bang": Sdk(
        "CNRT", "cncc", ("cncc", "cnas"), (INCLUDE / "bang",),
        ("libcnrt.so", "libcndrv.so", "libcnnl.so", "libcndev.so"), "NEUWARE_HOME={0}",
        {"libcnbin.so": "libcnrt.so"}, (HOST / "FindBANG.cmake",),
    ),
    "okk": Sdk("bmlib", "cc", _C_COMPILERS, (INCLUDE / "okk", _BMLIB), ("libcnrt.so", "libbmlib.so"), _ASKS),
    "tpu": Sdk(
        "bmlib", "cc", _C_COMPILERS, (INCLUDE / "tpu", _BMLIB), ("libcnrt.so", "libbmlib.so", "libtpuv7_rt.so"), _ASKS
    ),
}  # fmt: skip
