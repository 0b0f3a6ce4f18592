"""Compiled kernels in another process, whatever they do there, or in this one."""

from __future__ import annotations

import os
from pathlib import Path

from ...core.execution import Launch
from ...core.memory.global_memory import GlobalMemory
from ...findings import rules
from ...log import Log
from ..engine import OnProgress, Outcome
from .layers import check_isolation
from .pool import Caller, Job, WorkerDied, WorkerLate, pool
from .request import LaunchRequest, LaunchTarget


class IsolatedEngine:
    """A worker process; its death is a finding."""

    def __init__(
        self, runtime: Path, memory: GlobalMemory, target: LaunchTarget, caller: Caller | None = None, advice: str = ""
    ) -> None:
        """``advice`` is for a process that has died."""
        self._runtime, self._memory, self._target = runtime, memory, target
        self._caller, self._advice = caller, advice

    def run(self, launch: Launch, progress: OnProgress | None = None) -> Outcome:
        """Carry out a launch; `CallerGone` when its caller ends before."""
        try:
            job = Job(self._memory, LaunchRequest(self._target, launch), progress, self._caller)
            return pool(os.getpid()).launch(self._runtime, job)
        except WorkerDied as death:
            if isinstance(death, WorkerLate):
                finding = rules.process.late(launch.time_limit, launch.kernel)
            else:
                finding = rules.process.died(death, launch.kernel, self._advice)
            return Log.empty(self._target.shape, self._target.device, launch.header), [finding]


class LocalEngine:
    """This process, for a debugger: a crash is a crash."""

    def __init__(self, runtime: Path, memory: GlobalMemory, target: LaunchTarget) -> None:
        self._runtime, self._memory, self._target = runtime, memory, target

    def run(self, launch: Launch, progress: OnProgress | None = None) -> Outcome:
        """Carry out a launch; RuntimeError inside of another one, PermissionError where the sandbox is required."""
        check_isolation()
        from .process import local_host  # what a worker runs; other launches leave its imports to the worker

        host = local_host(self._runtime, os.getpid())
        refusal = "this code was called by a launch with isolate=False; launch when that is done"
        request = LaunchRequest(self._target, launch)
        return host.turn.take(lambda: host.engine(request, self._memory.memory).run(launch, progress), refusal)
