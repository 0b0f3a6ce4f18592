"""Sources to programs: of kernels alone, or of operators with their host code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...kernelc.inputs import HOST
from ...kernelc.options import Options
from ...launches.device import Device
from ...launches.extent import check_device
from ...launches.program import Program, checked_instances, checked_paths


def load(
    sources: Sequence[str | Path],
    include: Sequence[str | Path] = (),
    *,
    device: Device,
    define: Mapping[str, object] | Sequence[str] = (),
    headers: Sequence[str | Path] = (),
    std: str | None = None,
    instances: Sequence[str] = (),
) -> Program:
    """Compile sources for a device; nothing runs yet.

    With C++ sources among them they make an `OperatorProgram`, which also calls functions of their host code.
    ``include`` are folders of headers, ``define`` macros (``{"TILE": 64}`` or ``["TILE=64"]``), ``headers`` are
    included before each source, ``std`` is the language standard (``"c++20"``; older than C++17 means C++17).
    ``instances`` of kernel templates (``["fill<float, 64>"]``, spelled as they will be launched) are compiled with the
    rest, which takes little longer; any other is compiled by itself when it is launched first.
    Raises BuildError (`.finding` has file and line) when a source does not compile, does not link or its on-chip
    variables do not fit, TypeError or ValueError for what are no paths and no device. Builds are cached by content.
    """
    check_device(device)
    options = Options.of(checked_paths("include", include), define, checked_paths("headers", headers), std)
    paths = checked_paths("sources", sources)
    kinds = {path.suffix for path in paths}
    # A source in C by itself is a kernel of another device, which the compiler of kernels says.
    if device.isa != "bang" or not kinds & HOST.keys() or kinds == {".c"}:
        return Program(paths, options, device, checked_instances(instances))
    from .program import OperatorProgram  # which the many programs of kernels alone need not wait for

    return OperatorProgram(paths, options, device, checked_instances(instances))
