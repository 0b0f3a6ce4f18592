"""What a port calls where a guard fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...findings import Finding, Squashed
from ...findings.rules.declared import PLAIN
from .operands import Operand
from .source import Guard, PortSource

#: What has failed in a call, and the local variables of its port.
Kept = tuple[tuple[int, ...], dict[str, Any]]


class Failures:
    """Reports the guards of a port that fail; ``numbers`` are those that have, until they are cleared."""

    def __init__(self, port: PortSource, operands: Sequence[Operand]) -> None:
        self._port, self._operands = port, operands
        self.numbers: list[int] = []

    def __call__(self, number: int, pc: int, values: dict[str, Any]) -> None:
        """Guard ``number`` fails at a place of the kernel; ``values`` are the local variables of the port."""
        self.numbers.append(number)
        guard = self._port.guards[number]
        self._port.execution.collector.report(guard.finding, pc, complete=partial(self._complete, guard, values))
        if guard.fatal:
            raise Squashed

    def kept(self, values: dict[str, Any]) -> Kept:
        """What has failed, for another call whose local variables differ in few."""
        return tuple(self.numbers), dict(values)

    def again(self, pc: int, kept: Kept, values: dict[str, Any]) -> None:
        """What has failed in another call fails in one with these local variables."""
        numbers, others = kept
        for number in numbers:
            self(number, pc, {**others, **values})

    def more(self, pc: int, kept: Kept, times: int) -> None:
        """What has failed in a call has failed at the same place so many times more."""
        for number in kept[0]:
            self._port.execution.collector.repeat(self._port.guards[number].finding, pc, times)

    def _complete(self, guard: Guard, values: dict[str, Any], finding: Finding) -> Finding:
        """The finding of a guard, with its message and its place."""
        regions = {operand.name: operand.place(values) for operand in self._operands}
        where = {f"at_{name}": self._place(values[name], region) for name, region in regions.items()}
        sizes = {f"bytes_{name}": region.bytes for name, region in regions.items() if region}
        return replace(
            finding,
            message=finding.message.format_map({**values, **sizes, **where}),
            region=regions.get(finding.operand),
            carried_out=not guard.fatal and finding.rule in PLAIN,
        )

    def _place(self, address: int, region: Any) -> str:
        """An address as text: on-chip by its offset, which is the same in every run; others as the user passed them."""
        if region is None or self._port.execution.map.memories[region.space].space.scope == "device":
            return hex(address)
        return str(region.begin)
