"""The machine that kernels in C run on: this one, or none."""

from __future__ import annotations

import os
import sys

from ..findings import BuildError

X86_64, AARCH64 = "x86_64", "aarch64"
_HOST = os.uname() if hasattr(os, "uname") else None
#: Its processor, in Linux's words.
PROCESSOR = _HOST.machine if _HOST else ""


def check_machine() -> None:
    """BuildError where kernels in C cannot run, whatever is installed: their machine code is instrumented."""
    host = os.uname() if hasattr(os, "uname") else None
    if host is None or host.sysname != "Linux" or host.machine not in (X86_64, AARCH64):
        here = f"{host.sysname} on {host.machine}" if host else sys.platform
        raise BuildError(
            f"kernels in C need Linux on x86-64 or aarch64, and this is {here}: run them in the container that the "
            "Containerfile builds (docs/install.md); kernels in Python run here"
        )
