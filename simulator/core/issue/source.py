"""The source of an issue port while it is written: its lines, what they name, and the guards that they test.

Everything that the port itself names begins with an underscore, which no argument of a vendor's does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ....isa import SHAPE_NAMES, Case, Overload, folded
from ...chip.launch_kinds import Role
from ...findings import Finding
from ..execution import Execution

#: Functions of Python that the lines call; an argument may have the name of one.
_BUILT_IN = {"_float": float, "_int": int, "_len": len, "_locals": locals}


@dataclass(frozen=True)
class Guard:
    """A condition that must hold, and the finding when it does not; ``{name}`` in its message is an argument."""

    expression: str
    finding: Finding
    fatal: bool = False  # the instruction cannot run at all, even when findings are collected


class PortSource:
    """Lines of Python, gathered."""

    def __init__(self, execution: Execution, overload: Overload) -> None:
        self.execution, self.overload, self.entry = execution, overload, overload.instruction
        self.memory = self.entry.prototype.memory
        self.names: dict[str, Any] = {"_OVERLOAD": overload, "_cur": execution.current, **_BUILT_IN}
        lanes = execution.map.lanes
        shape = dict(zip(SHAPE_NAMES, (execution.shape.arch, lanes.count, lanes.size, lanes.beat), strict=True))
        sizes = {f"sizeof_{p.name}": overload.element(p).size for p in self.memory}
        self._constants: dict[str, int] = {**self.entry.labels, **shape, **sizes}
        self.guards: list[Guard] = []
        self.unchecked = False  # no check looks at the arguments, of which there are rules
        self._lines: list[str] = []
        self._indent = ""

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self._lines) + "\n"

    def line(self, text: str) -> None:
        """Add a line."""
        self._lines.append(self._indent + text)

    def bad_values(self, result: str) -> None:
        """Add the handlers of values that an instruction cannot work with; ``result`` is "return ", or nothing."""
        self.line(f"except _ValueOutOfRange as _error: {result}_bad_value(_error, _pc, _OVERLOAD.name)")
        if self.unchecked:
            errors = "(ArithmeticError, IndexError, ValueError)"
            self.line(f"except {errors} as _error: {result}_unfit(_error, _pc, _OVERLOAD.name)")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """The lines that are added meanwhile stand below ``head``."""
        self.line(head)
        outer, self._indent = self._indent, self._indent + " "
        yield
        self._indent = outer

    def bind(self, name: str, value: Any) -> str:
        """Let the lines name a value."""
        self.names[name] = value
        return name

    def expression(self, text: str) -> str:
        """An expression of the declaration, with the constants of this overload and this device put in."""
        return folded(text, self._constants)

    def test(self, guard: Guard) -> None:
        """Fail by a guard that does not hold."""
        self.guards.append(replace(guard, finding=replace(guard.finding, instruction=self.overload.name)))
        self.line(f"if not ({guard.expression}): _fail({len(self.guards) - 1}, _pc, _locals())")

    def skipped_by(self, spaces: Iterable[str], case: Case | None) -> Role:
        """The cores that have no part in it where its operands lie in these spaces; `Role.ALONE`: all have."""
        known = self.execution.dialect.spaces
        if any(not known[name].memory_core for name in spaces):
            return Role.MEMORY
        return Role.MEMBER if case and case.by_memory_core else Role.ALONE

    @property
    def pipe(self) -> str:
        """The name of the pipe as an expression."""
        return "_pipe" if self.entry.select else repr(self.entry.pipe)
