"""Operators that are called from Python by the names of their parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ...checks.results import Expectations
from ...findings import ERROR, Finding, KernelError, MlusimError, rules
from ...kernelc.inputs import KERNELS
from ...kernelc.options import Options
from ...launches.device import Device
from ...launches.launching import compared
from ...launches.options import check_on_finding
from ...launches.program import Program
from ...launches.repeats import NONE, Repeating, Repeats, repeats_of
from ...native.cache import text_of
from ...native.compiler import Compiler
from ...text import nearest, quoted
from ..programs.facts import check_host_device
from ..programs.report import Launched, ProgramReport
from ..programs.report import LibraryCall as Operated
from .arguments import Host, HostCall
from .build import build_operators
from .declarations import Function, decode, encode, read_functions
from .process import HostDied, HostProcess


class CallError(MlusimError):
    """A function of host code has said that it failed: its `status` by name, and the call (`called`)."""

    def __init__(self, function: str, status: str, called: Called | None = None) -> None:
        super().__init__(f"{function} returned {status}")
        self.function, self.status, self.called = function, status, called

    def __reduce__(self) -> tuple[Any, ...]:
        return CallError, (self.function, self.status, self.called)


@dataclass(frozen=True)
class Called:
    """What a call of host code has done: values that it returned by name, launches, findings."""

    function: str
    status: str
    results: Mapping[str, Any]
    launches: tuple[Launched, ...]
    findings: tuple[Finding, ...]
    time_us: float
    tried: Mapping[str, str] = field(default_factory=dict)  # by kernels, what launches were compared with

    def __getitem__(self, name: str) -> Any:
        return self.results[name]


class OperatorProgram(Program):
    """Operators with host code of their own, built for a device. Calls take turns.

    Its kernels can be launched by themselves too; they are compiled for that when they are first asked for.
    """

    def __init__(
        self, sources: Sequence[Path], options: Options, device: Device, instances: Sequence[str] = ()
    ) -> None:
        check_host_device(device, ["bang"])
        self.device = device
        self.library = build_operators(sources, options, device)
        self.functions: Mapping[str, Function] = _functions(self.library)
        self._host: Host | None = None
        kernels = [source for source in dict.fromkeys(sources) if source.suffix in KERNELS]
        self._kernels = kernels, options, device, instances

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_kernels" not in self.__dict__ or "_builder" in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        super().__init__(*self._kernels)
        return getattr(self, name)

    def __enter__(self) -> OperatorProgram:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def call(
        self, name: str, *, on_finding: str = "raise", expect: Mapping[str, Any] | None = None,
        tolerance: float | None = None, **given: Any,
    ) -> Called:  # fmt: skip
        """Call a function of host code, its parameters by name.

        An array is copied to device memory and has a descriptor made for it where the declaration asks for one; what
        the function may write is copied back. Handles are made once, workspaces are as large as the library says.
        ``expect`` and ``tolerance`` are those of `Program.launch`; wrong elements are traced through all launches.
        So are the keywords that compare each launch with itself, such as ``deep``; parameters of such names go to
        `invoke`.
        Raises CallError for a status that is not success, KernelError for a finding unless ``on_finding`` is
        "collect", TypeError or ValueError for arguments that do not fit.
        """
        expected = Expectations(expect, tolerance)
        repeats = cast(Repeating, {key: given.pop(key) for key in Repeating.__annotations__ if key in given})
        return self.invoke(name, given, on_finding, expected=expected, repeats=repeats_of(repeats))

    def invoke(
        self, name: str, given: Mapping[str, Any], on_finding: str = "raise", strict: bool = True,
        expected: Expectations | None = None, keep_logs: bool = False, repeats: Repeats = NONE,
    ) -> Called:  # fmt: skip
        """`call` with a mapping; what the function has no parameter for is passed over unless ``strict``.

        ``keep_logs``: the launches hold their logs; ``repeats`` is what each of them is compared with.
        """
        check_on_finding(on_finding)
        expected = expected or _NOTHING
        if name not in self.functions:
            close = nearest(name, self.functions)
            raise ValueError(f"no source defines {quoted(name)}{close}; it defines {_some(self.functions)}")
        function = self.functions[name]
        host = self._host = self._host or Host(HostProcess(self.library, self.device), self.functions)
        mark = host.process.report.mark()
        try:
            call = HostCall(host, function, given)
            try:
                if strict and (unknown := set(given) - call.used):
                    raise TypeError(f"{name} has no parameter {', '.join(sorted(unknown))}: {function}")
                arrays = list(call.arrays()) if expected else []
                expected.matched(arrays)
                host.process.set_launches(keep_logs or bool(expected), repeats)
                code = function.result.code if function.result else ""
                value = host.process.call(function.symbol, code, call.values)
                host.process.call("cnrtQueueSync", "i", [("P", host.queue())])
                results = call.results()
                host.process.call("cnrtQueueQuery", "i", [("P", host.queue())])  # answered when the report is complete
            finally:
                call.release()
        except HostDied as death:
            self._host = None
            found = [*host.process.report.since(mark).findings, rules.process.host_died(name, death)]
            raise KernelError(_first_error(found) or found[-1], Called(name, "", {}, (), tuple(found), 0.0)) from None
        report = host.process.report.since(mark)
        logs = [launched.log for launched in report.launches if launched.log is not None]
        wrong = compared(logs, report.findings, on_finding, lambda: arrays, expected)
        return _ended(function, value, results, report, wrong, on_finding)

    def close(self) -> None:
        """End the process of the host code; the next call begins another."""
        if self._host:
            self._host.process.close()
            self._host = None


_NOTHING = Expectations(None)


def _functions(library: Path) -> Mapping[str, Function]:
    """The functions of a library, read once."""
    cache = Compiler().cache
    return decode(text_of(cache.file("functions.json", str(library), lambda path: _describe(library, path))))


def _describe(library: Path, path: Path) -> None:
    path.write_text(encode(read_functions(library)), encoding="utf-8")


def _ended(
    function: Function,
    value: Any,
    results: dict[str, Any],
    report: ProgramReport,
    wrong: Sequence[Finding],
    on_finding: str,
) -> Called:
    status, failed = "", False
    if function.result is not None and function.result.kind == "enum":
        names = {number: name for name, number in (function.result.values or {}).items()}
        status, failed = names.get(value, str(value)), value != 0
    elif function.result is not None:
        results = {"return": value, **results}
    spans: list[Launched | Operated] = [*report.launches, *report.operations]
    time = max((span.end for span in spans), default=0.0) - min((span.start for span in spans), default=0.0)
    found = (*report.findings, *wrong)
    called = Called(function.name, status, results, tuple(report.launches), found, time, report.tried)
    if on_finding == "raise" and (error := _first_error(found)):
        raise KernelError(error, called)
    if failed:
        raise CallError(function.name, status, called)
    return called


def _some(names: Mapping[str, Any]) -> str:
    listed = sorted(names)
    return ", ".join(listed[:8]) + (f" and {len(listed) - 8} more" if len(listed) > 8 else "")


def _first_error(found: Iterable[Finding]) -> Finding | None:
    """The cause of those after it: host code may give up when a kernel has failed."""
    return next((finding for finding in found if finding.severity == ERROR), None)
