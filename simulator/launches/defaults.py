"""What every launch does alike: what is not given, what is wrong, and how it ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...isa import DIALECTS
from ..checks.after_run import Given, came_to_end, examine
from ..checks.results import Expectations, wrong_results
from ..chip.launch_kinds import KINDS, LaunchKind, Three, kind_named, whole_dim
from ..engines.python.numbers import as_number
from ..engines.threads import Grid, make_grid
from ..findings import ADVICE, ERROR, Finding, KernelError, rules
from ..findings.reports import suppressed_in_sources
from ..log import Log
from ..text import quoted
from .copies import ArrayCopies
from .device import Device
from .host_memory import read_only_writes, sourced
from .run import Run
from .watchers import watchers

#: A time limit beyond this (seconds) is none; one below the other is that, or the clock would take it for none.
_FOREVER, _SHORTEST = 1e6, 1e-6

#: Errors that are found in the log of a launch, which has come to its end.
_AFTERWARDS = (rules.ORDER, rules.RACE, rules.WRONG_RESULT)


def thread_grid(device: Device, dim: Any, type: Any, block: Any, shared: Any) -> Grid | None:
    """The grid of a launch on a device of thread blocks, None on others; ValueError for what the device has not."""
    if device.shape.threads is None:
        if block is not None or not (isinstance(shared, int) and shared == 0):
            raise ValueError(f"{device.name} has no blocks of threads; leave out block and shared")
        return None
    if type is not None and not (isinstance(type, str) and type == "grid"):
        raise ValueError(f"type is {quoted(type)}; the kernels of {device.name} run on a grid, leave type out")
    if device.checking.further:
        raise ValueError(f"checks of one's own watch instructions, which {device.name} has not; leave out watched()")
    return make_grid(device.shape, dim, block, shared)


def launch_shape(device: Device, dim: Any, type: str | None) -> tuple[Three, LaunchKind]:
    """The dimensions and kind of a launch, filled in where they are not given.

    ValueError if the device has no such, or for dimensions that are no three whole numbers; TypeError for what is no
    device or type.
    """
    check_device(device)
    if device.shape.threads is not None:
        raise ValueError(f"{device.name} runs kernels written in CUDA; load a .cu file and launch one of its kernels")
    if type is not None and not isinstance(type, str):
        raise TypeError(f"type is {quoted(type)}; pass one of {', '.join(KINDS)}")
    kind = kind_named(DIALECTS[device.isa].launch_type if type is None else type)
    dim = kind.default_dim(device.shape) if dim is None else whole_dim(dim)
    kind.check(device.shape, dim)
    return dim, kind


def check_device(device: Device) -> None:
    """TypeError unless it is a device."""
    if not isinstance(device, Device):
        raise TypeError(f"device is {quoted(device)}; pass a Device, such as Device.load('mlu370-x4')")


def argument_list(args: Any) -> Sequence[Any]:
    """The arguments of a kernel; one that is no list or tuple is the only one."""
    return args if isinstance(args, (list, tuple)) else [args]


def time_limit_seconds(limit: Any) -> float | None:
    """A time limit in the seconds that a clock takes, None for none; ValueError for what is no number above 0."""
    number = None if isinstance(limit, (bool, np.bool_)) else as_number(limit)
    if limit is not None and (number is None or not number > 0):
        raise ValueError(f"time_limit is {quoted(limit)} seconds; pass a number above 0, or None")
    return None if number is None or number > _FOREVER else max(float(number), _SHORTEST)


def check_progress(progress: Any) -> None:
    """TypeError unless it can be called, or is None."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is {quoted(progress)}; pass a function of (done, total), or None")


def finished(device: Device, log: Log, findings: list[Finding], on_finding: str) -> Run:
    """The run of a launch that has ended, told to those who watch; KernelError where an error is to be raised.

    A comment that suppresses an error does not bring back what a launch would have done that has ended there.
    """
    ended = on_finding == "raise" and any(
        finding.severity == ERROR and (finding.rule not in _AFTERWARDS or device.shape.threads) for finding in findings
    )
    known = suppressed_in_sources(sourced(findings, device.memory)) if findings else findings
    kept = [finding for finding in known if ended or not finding.reason]
    run = Run(kept, log, device.rates, suppressed=[finding for finding in known if finding.reason and not ended])
    raised = on_finding == "raise" and bool(run.errors)
    watchers(os.getpid()).tell(run, raised)
    if raised:
        raise KernelError(run.errors[0], run)
    return run


def examined(
    device: Device, log: Log, findings: list[Finding], on_finding: str, given: Callable[[], Iterable[Given]],
    copies: ArrayCopies,
) -> list[Finding]:  # fmt: skip
    """The findings of a launch with those of its log, which come first: the others may follow from them.

    Advice comes last.
    """
    if not device.checking.of_logs:
        return findings
    found = examine(log, findings, on_finding, given)
    return _advice_last([*found, *findings, *read_only_writes(log, copies.read_only())])


def compared(
    log: Log, findings: list[Finding], on_finding: str, given: Callable[[], Iterable[Given]], expected: Expectations
) -> list[Finding]:
    """The findings of a launch with those of its results, where it has come to its end. Advice comes last."""
    if not expected or not came_to_end(findings, on_finding):
        return findings
    return _advice_last([*findings, *wrong_results([log], list(given()), expected)])


def _advice_last(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: finding.severity == ADVICE)


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
    if not isinstance(on_finding, str) or on_finding not in ("raise", "collect"):
        raise ValueError(f"on_finding is {quoted(on_finding)}; pass 'raise' or 'collect'")
