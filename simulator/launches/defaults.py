"""What every launch does alike: what is not given, what is wrong, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence

from ...isa import DIALECTS
from ..device import Device
from ..execution import check_launch
from ..findings import ERROR, KernelError
from ..simt import Grid, make_grid
from .run import Run


def thread_grid(
    device: Device, dim: int | Sequence[int] | None, type: str | None, block: int | Sequence[int] | None, shared: int
) -> Grid | None:
    """The grid of a launch on a device of thread blocks, None on others; ValueError for what the device has not."""
    if device.shape.threads is None:
        if block is not None or shared:
            raise ValueError(f"{device.name} has no blocks of threads; leave out block and shared")
        return None
    if type not in (None, "grid"):
        raise ValueError(f"type is {type!r}; the kernels of {device.name} run on a grid, leave type out")
    if device.checks:
        raise ValueError(f"checks of one's own watch instructions, which {device.name} has not; leave out watched()")
    return make_grid(device.shape, dim, block, shared)


def launch_shape(device: Device, dim: int | Sequence[int] | None, type: str | None) -> tuple[tuple[int, int, int], str]:
    """The dimensions and type of a launch, filled in where they are not given; ValueError if the device has no such."""
    if device.shape.threads is not None:
        raise ValueError(f"{device.name} runs kernels written in CUDA; load a .cu file and launch one of its kernels")
    kind = type or DIALECTS[device.isa].launch_type
    if dim is None:
        dim = (device.shape.cores, 1, 1) if kind == "cores" else (1, 1, 1)
    if isinstance(dim, int):
        dim = (dim,)
    size = (int(dim[0]), int(dim[1]), int(dim[2])) if len(dim) == 3 else dim
    check_launch(device.shape, size, kind)  # type: ignore[arg-type]
    return size, kind  # type: ignore[return-value]


def raise_on_error(run: Run, on_finding: str) -> Run:
    """The run, or its first error as a KernelError."""
    first = next((finding for finding in run.findings if finding.severity == ERROR), None)
    if first is not None and on_finding == "raise":
        raise KernelError(first, run)
    return run


def check_on_finding(on_finding: str) -> None:
    """ValueError unless it is a way to go on at a finding."""
    if on_finding not in ("raise", "collect"):
        raise ValueError(f"on_finding is {on_finding!r}; pass 'raise' or 'collect'")
