"""What the vendors' SDKs have for host code, by the ISA of the devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ...native import HOST, INCLUDE


class FailureStatuses(NamedTuple):
    """The statuses of queues whose kernels cannot be loaded, or do not come to their ends.

    ``asserted``: by an assertion, ``outside``: by an access outside of all memory, ``ended``: by anything else.
    """

    module: int = 101315  # each a cnrtRet_t
    asserted: int = 100128
    outside: int = 632015
    ended: int = 632015


_TASKS = FailureStatuses()


@dataclass(frozen=True)
class Sdk:
    """What host code is built with.

    ``runtime`` is what messages call the library that it calls, ``compilers`` the module that is the compilers of these
    names (``tools``, none where there is no toolkit), ``headers`` the folders of headers, ``libraries`` what programs
    are linked with. ``asks`` is what a build file is given, {0} being the folder of the toolkit. ``aliases`` are
    libraries that public build files name and whose functions are never called, with the one that each leads to,
    ``modules`` what CMake finds. ``failures`` are the statuses of work that fails.
    """

    runtime: str
    compilers: str
    tools: tuple[str, ...]
    headers: tuple[Path, ...]
    libraries: tuple[str, ...]
    asks: str
    aliases: Mapping[str, str] = field(default_factory=dict)
    modules: tuple[Path, ...] = ()
    failures: FailureStatuses = _TASKS

    def linked(self, folder: Path) -> list[str]:
        """Words for the linker: the libraries, in a folder where programs find them too."""
        names = (name.removeprefix("lib").removesuffix(".so") for name in self.libraries)
        return [f"-L{folder}", *(f"-l{name}" for name in names), f"-Wl,-rpath,{folder}"]


#: An error of the CUDA runtime is a cnrtRet_t above this; native/host/cudart_status.h says so, too.
CUDA_ERRORS = 900_000
_BMLIB = INCLUDE / "sophgo"
_C_COMPILERS, _ASKS = ("cc", "c++"), "CC={0}/bin/cc CXX={0}/bin/c++"
SDKS = {
    "bang": Sdk(
        "CNRT", "cncc", ("cncc", "cnas"), (INCLUDE / "bang",),
        ("libcnrt.so", "libcndrv.so", "libcnnl.so", "libcndev.so"), "NEUWARE_HOME={0}",
        {"libcnbin.so": "libcnrt.so"}, (HOST / "FindBANG.cmake",),
    ),
    "cuda": Sdk(
        "CUDA runtime", "", (), (INCLUDE / "cuda",), ("libcnrt.so", "libcudart.so"), "",
        failures=FailureStatuses(*(CUDA_ERRORS + error for error in (209, 710, 700, 719))),
    ),
    "okk": Sdk("bmlib", "cc", _C_COMPILERS, (INCLUDE / "okk", _BMLIB), ("libcnrt.so", "libbmlib.so"), _ASKS),
    "tpu": Sdk(
        "bmlib", "cc", _C_COMPILERS, (INCLUDE / "tpu", _BMLIB), ("libcnrt.so", "libbmlib.so", "libtpuv7_rt.so"), _ASKS
    ),
}  # fmt: skip
#: Those whose kernels and host code stand in one source, which is linked with the others.
LINKED = ("bang", "cuda")
