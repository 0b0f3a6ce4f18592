"""Collects the findings of a launch and knows whether it has to end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...isa import ValueOutOfRange
from ..log.region import Location
from . import rules
from .finding import Finding
from .rules import ERROR

Locate = Callable[[list[int]], list[Location]]


class Squashed(Exception):  # noqa: N818 - control flow, not an error
    """The instruction has no effect; what is wrong has been reported."""


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
        self._found: dict[tuple[Any, ...], tuple[Finding, int, int | None]] = {}

    @property
    def ended(self) -> bool:
        """Whether no further instruction may run."""
        return self.stopped is not None or self.failure is not None

    def has_error(self, besides: str) -> bool:
        """Whether an error of any rule but one has been reported."""
        return any(f.severity == ERROR and f.rule != besides for f, *_ in self._found.values())

    def report(self, finding: Finding, pc: int, related: int | None = None) -> None:
        """Keep a finding; one that ends the launch stops the running task by `Squashed`.

        ``related`` is the program counter of the other instruction involved, if there is one.
        """
        full = replace(finding, kernel=self._kernel, core=self.core, task=self.task)
        key = (full.rule, full.instruction, full.operand, full.severity, pc)
        seen = self._found.get(key)
        self._found[key] = (seen[0].again() if seen else full, pc, related)
        if full.severity == ERROR and not self._collecting:
            self.stopped = self.stopped or full
            self.on_stop()
            raise Squashed

    def stop(self) -> None:
        """End the launch on the last error that was reported, also where findings are collected."""
        self.stopped = self.stopped or next(
            (finding for finding, *_ in reversed(self._found.values()) if finding.severity == ERROR), None
        )

    def located(self, locate: Locate) -> list[Finding]:
        """All findings with their source lines; those of one line are one."""

        def place(pc: int | None) -> Location | None:
            return None if pc is None else locate([pc])[0]

        merged: dict[tuple[Any, ...], Finding] = {}  # an unrolled loop has one line at several program counters
        for finding, pc, related in self._found.values():
            where = locate([pc])[0]
            same = where if where.line else pc
            key = (finding.rule, finding.instruction, finding.operand, finding.severity, same, related)
            seen = merged.get(key)
            full = replace(finding, location=where, related=place(related))
            merged[key] = seen.again(finding.count) if seen else full
        return list(merged.values())

    def bad_value(self, error: ValueOutOfRange, pc: int, instruction: str) -> int:
        """Report an element with a value out of range; the instruction had no effect."""
        finding = Finding(
            rules.VALUE,
            str(error),
            instruction=instruction,
            operand=error.operand,
            limit=error.limit,
            suggestion=f"keep every element of {error.operand} {error.limit}",
        )
        with suppress(Squashed):
            self.report(finding, pc)
        return 0

    def crash(self, error: BaseException) -> int:
        """Keep an exception that must not cross the C boundary; it is raised when the launch has unwound."""
        self.failure = self.failure or error
        self.on_stop()
        return 0
