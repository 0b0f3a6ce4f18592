"""Programs with host code of their own, from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from ...findings import Finding, merged
from ...kernelc.options import Options
from ...launches.device import Device
from ...launches.extent import check_device
from ...launches.program import checked_paths
from ...launches.repeats import Repeating, repeats_of
from ...text import quoted
from .program import LEVELS, build_program, run_program
from .report import ProgramReport


@dataclass(frozen=True)
class ProgramRun:
    """What came of a program: its exit code (minus the signal that ended it), and a report of each of its processes."""

    exit_code: int
    processes: tuple[ProgramReport, ...]

    @property
    def findings(self) -> list[Finding]:
        """What its host code and its kernels broke; findings of one cause are one."""
        return merged(finding for report in self.processes for finding in report.findings)

    @property
    def time_us(self) -> float:
        """Simulated time of its slowest process, in microseconds."""
        return max((report.time_us for report in self.processes), default=0.0)


class HostProgram:
    """Sources with a ``main``, built into a program that runs on simulated devices.

    >>> HostProgram(["scale_host.mlu"], device=Device.load("mlu370-x4")).run(["1024"]).exit_code
    0
    """

    def __init__(
        self,
        sources: Sequence[str | Path],
        include: Sequence[str | Path] = (),
        *,
        device: Device,
        define: Mapping[str, object] | Sequence[str] = (),
        headers: Sequence[str | Path] = (),
        std: str | None = None,
        optimize: int = 0,
    ) -> None:
        """The options are those of `load`, and ``optimize`` the level of optimization of host code, 0 to 3.

        Raises BuildError when a source does not compile or link, ValueError when none has a ``main``, the device
        runs no such programs, or there is no such level, TypeError for what are no paths and no device.
        """
        check_device(device)
        if optimize not in LEVELS:
            raise ValueError(f"optimize is {quoted(optimize)}; pass a level of -O: 0, 1, 2 or 3")
        options = Options.of(checked_paths("include", include), define, checked_paths("headers", headers), std)
        self.device = device
        #: The executable, in the cache.
        self.path = build_program(checked_paths("sources", sources), options, device, optimize=optimize)

    def run(
        self,
        arguments: Sequence[str] = (),
        *,
        devices: Sequence[Device] = (),
        time_limit: float | None = None,
        keep_logs: bool = False,
        **repeats: Unpack[Repeating],
    ) -> ProgramRun:
        """Run it to its end; its standard streams are this process's.

        ``devices`` are what it finds when it counts them: one of those that it was built for by default.
        ``time_limit`` (seconds) is that of each launch; ``keep_logs``: the reports hold the logs of launches. Each
        launch is compared with itself as ``repeats`` ask, see `Program.launch`.
        """
        asked, own = repeats_of(repeats), [*devices] or [self.device]
        code, reports = run_program(self.path, arguments, own, keep_logs, time_limit, repeats=asked)
        return ProgramRun(code, tuple(reports))
