"""What every launch does alike: what is not given, what is wrong, and how it ends."""

from __future__ import annotations

import os
from collections.abc import Callable

from ...isa import DIALECTS
from ..device import Device
from ..execution import check_launch
from ..findings import ERROR, KernelError
from .run import Run


def launch_shape(
    device: Device, dim: tuple[int, int, int] | None, type: str | None
) -> tuple[tuple[int, int, int], str]:
    """The dimensions and type of a launch, filled in where they are not given; ValueError if the device has no such."""
    kind = type or DIALECTS[device.isa].launch_type
    if dim is None:
        dim = (device.shape.cores, 1, 1) if kind == "cores" else (1, 1, 1)
    dim = (int(dim[0]), int(dim[1]), int(dim[2])) if len(dim) == 3 else dim
    check_launch(device.shape, dim, kind)
    return dim, kind


def raise_on_error(run: Run, on_finding: str) -> Run:
    """The run, or its first error as a KernelError."""
    first = next((finding for finding in run.findings if finding.severity == ERROR), None)
    if first is not None and on_finding == "raise":
        raise KernelError(first, run)
    return run


def in_this_process(progress: Callable[[int, int], None] | None) -> Callable[[int, int], None] | None:
    """``progress``; RuntimeError in a child that it has forked and that comes back from it."""
    if progress is None:
        return None
    process = os.getpid()

    def told(done: int, total: int) -> None:
        progress(done, total)
        if os.getpid() != process:
            raise RuntimeError(f"a forked child cannot go on with a launch of process {process}")

    return told


def check_on_finding(on_finding: str) -> None:
    """ValueError unless it is a way to go on at a finding."""
    if on_finding not in ("raise", "collect"):
        raise ValueError(f"on_finding is {on_finding!r}; pass 'raise' or 'collect'")
