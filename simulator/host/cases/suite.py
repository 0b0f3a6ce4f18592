"""What the test cases of an operator are run with, as plain data, so that any process can run them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...kernelc.inputs import HOST
from ...kernelc.options import Options
from ...launches.device import Device
from ...launches.repeats import NONE, Repeats
from ...text import nearest
from ..operators.program import OperatorProgram
from .reference import python_function, reference
from .run import CasePlan


@dataclass(frozen=True)
class CaseSuite:
    """The operator, the function to call and what is right, each as users name it."""

    device: str
    sources: tuple[Path, ...]
    options: Options
    entry: str
    reference: str | None = None  # FILE:FUNCTION
    arguments: str | None = None  # FILE.py:FUNCTION
    names: tuple[tuple[str, str], ...] = ()  # what something is called in cases, and the parameter that it is for
    more: tuple[tuple[str, Any], ...] = ()  # numbers and names that the cases do not give
    keep_logs: bool = False
    repeats: Repeats = NONE
    strict: bool = False  # whether warnings fail a case

    def load(self) -> tuple[OperatorProgram, CasePlan]:
        """The operator, built, and how its cases are run; ValueError or BuildError where it cannot be."""
        if not any(source.suffix in HOST for source in self.sources):
            raise ValueError("the sources have no host code; name the C++ sources of the operator with --sources, too")
        device, names, more = Device.load(self.device), dict(self.names), dict(self.more)
        right = reference(self.reference, self.options, device, names, more)
        arguments = python_function(self.arguments)
        plan = CasePlan(self.entry, right, names, arguments, more, self.keep_logs, self.repeats, self.strict)
        program = OperatorProgram(self.sources, self.options, device)
        if self.entry not in program.functions:
            close = nearest(self.entry, program.functions)
            raise ValueError(f"no source defines {self.entry}{close}; name the source that does with --sources")
        return program, plan
