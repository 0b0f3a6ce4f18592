"""Collects the findings of a launch and knows whether it has to end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...isa import ValueOutOfRange
from ..log.region import Location
from .finding import Finding, merged
from .rule import ERROR
from .rules import declared, numbers

Locate = Callable[[list[int]], list[Location]]


class Squashed(Exception):  # noqa: N818 - control flow, not an error
    """The instruction has no effect; what is wrong has been reported."""


@dataclass
class _Seen:
    """A finding as it was seen first, and how often and by whom it was seen since."""

    first: Finding
    pc: int
    related: int | None
    count: int = 0
    cores: set[int] = field(default_factory=set)
    tasks: set[int] = field(default_factory=set)

    def located(self, locate: Locate) -> Finding:
        """The finding with its source lines."""
        related = None if self.related is None else locate([self.related])[0]
        origin = self.first.origin
        if origin is not None and not origin.file:
            origin = locate([origin.line])[0]
        return self.first.but(
            location=locate([self.pc])[0], related=related, origin=origin, count=self.count,
            cores=_known(self.cores), tasks=_known(self.tasks),
        )  # fmt: skip


def _known(numbers: set[int]) -> tuple[int, ...]:
    return tuple(sorted(number for number in numbers if number >= 0))


def _key(finding: Finding, pc: int, related: int | None) -> tuple[Any, ...]:
    """What equal findings have in common."""
    operand = (finding.instruction, finding.operand) if related is None else None
    return finding.rule, finding.severity, pc, related, operand


class Collector:
    """Findings of one launch, equal ones merged, and the state of its ending."""

    def __init__(self) -> None:
        self.core = self.task = 0  # who is running
        self.on_stop: Callable[[], None] = lambda: None
        self.begin("", "raise")

    def begin(self, kernel: str, on_finding: str) -> None:
        """A launch begins."""
        self._kernel, self._collecting = kernel, on_finding == "collect"
        self.stopped: Finding | None = None
        self.failure: BaseException | None = None
        self._found: dict[tuple[Any, ...], _Seen] = {}

    @property
    def ended(self) -> bool:
        """Whether no further instruction may run."""
        return self.stopped is not None or self.failure is not None

    def leave_tasks(self) -> None:
        """What is reported from now on is of the launch, and of none of its tasks."""
        self.core = self.task = -1

    def has_error(self, besides: str) -> bool:
        """Whether an error of any rule but one has been reported."""
        return any(s.first.severity == ERROR and s.first.rule != besides for s in self._found.values())

    def report(
        self,
        finding: Finding,
        pc: int,
        related: int | None = None,
        complete: Callable[[Finding], Finding] = lambda finding: finding,
    ) -> None:
        """Keep a finding; one that ends the launch stops the running task by `Squashed`.

        ``related`` is the program counter of the other instruction involved, if there is one. The finding's own
        ``origin`` is a place: ``Location("", pc)``. ``complete`` adds what only the first of equal ones shows.
        """
        key = _key(finding, pc, related)
        seen = self._found.get(key)
        if seen is None:
            finding = complete(finding)
            carried_out = finding.carried_out and self._collecting
            full = finding.but(kernel=self._kernel, core=self.core, task=self.task, carried_out=carried_out)
            seen = self._found[key] = _Seen(full, pc, related)
        self._count(seen, finding.count)
        if finding.severity == ERROR and not self._collecting:
            self.stopped = self.stopped or seen.first
            self.on_stop()
            raise Squashed

    def repeat(self, finding: Finding, pc: int, times: int) -> None:
        """A finding that was reported of a place is one so many times more."""
        self._count(self._found[_key(finding, pc, None)], times)

    def _count(self, seen: _Seen, times: int) -> None:
        seen.count += times
        seen.cores.add(self.core)
        seen.tasks.add(self.task)

    def stop(self) -> None:
        """End the launch on the last error that was reported, also where findings are collected."""
        self.stopped = self.stopped or next(
            (seen.first for seen in reversed(self._found.values()) if seen.first.severity == ERROR), None
        )

    def located(self, locate: Locate) -> list[Finding]:
        """All findings with their source lines; those of one cause are one."""
        return merged(seen.located(locate) for seen in self._found.values())

    def bad_value(self, error: ValueOutOfRange, pc: int, instruction: str) -> int:
        """Report an element with a value out of range; the instruction had no effect."""
        with suppress(Squashed):
            self.report(numbers.out_of_range(error, instruction), pc)
        return 0

    def unfit_arguments(self, error: Exception, pc: int, instruction: str) -> int:
        """Report arguments that break rules which are not checked: the instruction is left out."""
        with suppress(Squashed):
            self.report(declared.unfit(error, instruction), pc)
        return 0

    def doubtful_value(self, doubt: ValueOutOfRange, pc: int, instruction: str) -> None:
        """Warn of an element with a value that has made an instruction leave its output there as it was."""
        self.report(numbers.passed_over(doubt, instruction), pc)

    def crash(self, error: BaseException) -> int:
        """Keep an exception that must not cross the C boundary; it is raised when the launch has unwound."""
        self.failure = self.failure or error
        self.on_stop()
        return 0
