"""What a check is. The port and the scalar unit call these hooks and know no check by name."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...chip.launch_kinds import Role
from ..execution import Execution
from ..memory import Allocation, Memory, View
from .source import Guard, PortSource

if TYPE_CHECKING:
    from .operands import Operand
    from .runs import AccessRun


class Check:
    """Watches instructions and scalar accesses, and reports what breaks its rules. Every hook may be left out."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution

    def begin(self) -> None:
        """A launch begins."""

    def end(self) -> None:
        """All tasks of a launch have run to their end."""

    def guards(self, port: PortSource) -> Iterator[Guard]:
        """Conditions over the arguments of an instruction."""
        yield from ()

    def looks_at(self, port: PortSource, spaces: set[str]) -> Set[Role]:
        """The cores for which the lines that it adds to a port matter, if the operands lie in these spaces.

        On these only Python can carry out the instruction.
        """
        adds = type(self).before_effect, type(self).around_effect
        return set() if adds == (Check.before_effect, Check.around_effect) else set(Role)

    def passes_over(self) -> bool:
        """Whether those lines find nothing at present in a command that writes on the chip alone.

        The answer has to hold until `RepeatTable.forget` is called. A check that cannot promise that leaves this out.
        """
        return False

    def before_effect(self, port: PortSource, operands: list[Operand]) -> None:
        """Add lines to a port that run before its effect, when the instruction is issued."""

    @contextmanager
    def around_effect(self, port: PortSource, operands: list[Operand]) -> Iterator[None]:
        """Add lines to a port that run when its effect on memory takes place: before the ``yield``, and after it."""
        yield

    def watches_runs(self) -> bool:
        """Whether it has to see the runs of accesses that the running task makes from here on."""
        return False

    def looks_at_runs(self) -> bool:
        """Whether it has to see the runs of the running task at all, at whatever strides; asked when a task enters."""
        return False

    def scalar_run(self, run: AccessRun, memory: Memory) -> None:
        """The scalar unit has made a run of accesses to a memory; it may be missed while no check wants to see them."""

    def unwritten_read(self, view: View, name: str, operand: str, pc: int) -> None:
        """An instruction uses an operand that holds uninitialized bytes, or held when it was issued."""

    def unwritten_load(self, piece: tuple[int, int], entry: Allocation, name: str, pc: int) -> None:
        """A scalar load has met an uninitialized piece of an allocation."""
