"""What mlusim raises for a kernel's faults.

    MlusimError
     ├── KernelError      a launch ended on a finding (`.finding`, `.run`)
     └── BuildError       a source did not compile (`.log`)

Wrong use of the API is a ValueError or a TypeError.
"""

from __future__ import annotations

from typing import Any

from ..text import printable
from .finding import Finding


class MlusimError(Exception):
    """Base of what mlusim raises for a kernel's faults."""


class KernelError(MlusimError):
    """A launch ended on a finding."""

    def __init__(self, finding: Finding, run: Any = None) -> None:
        super().__init__(str(finding))
        self.finding, self.run = finding, run

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelError, (self.finding, self.run)


class BuildError(MlusimError):
    """A source did not compile or does not fit the device."""

    def __init__(self, message: str, finding: Finding | None = None) -> None:
        super().__init__(printable(message))  # compilers quote lines of the source as they are
        self.finding = finding

    def __reduce__(self) -> tuple[Any, ...]:
        return BuildError, (str(self), self.finding)
