"""What a port calls where a guard fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...findings import Squashed
from ...findings.rules.declared import PLAIN
from .operands import Operand
from .source import PortSource


class Failures:
    """Reports the guards of a port that fail; ``numbers`` are those that have, until they are cleared."""

    def __init__(self, port: PortSource, operands: Sequence[Operand]) -> None:
        self._port, self._operands = port, operands
        self.numbers: list[int] = []

    def __call__(self, number: int, pc: int, values: dict[str, Any]) -> None:
        """Guard ``number`` fails at a place of the kernel; ``values`` are the local variables of the port."""
        self.numbers.append(number)
        guard = self._port.guards[number]
        regions = {operand.name: operand.place(values) for operand in self._operands}
        where = {f"at_{name}": self._place(values[name], region) for name, region in regions.items()}
        sizes = {f"bytes_{name}": region.bytes for name, region in regions.items() if region}
        found = replace(
            guard.finding,
            message=guard.finding.message.format_map({**values, **sizes, **where}),
            instruction=self._port.overload.name,
            region=regions.get(guard.finding.operand),
            carried_out=not guard.fatal and guard.finding.rule in PLAIN,
        )
        self._port.execution.collector.report(found, pc)
        if guard.fatal:
            raise Squashed

    def _place(self, address: int, region: Any) -> str:
        """An address as text: on-chip by its offset, which is the same in every run; others as the user passed them."""
        if region is None or self._port.execution.map.memories[region.space].space.scope == "device":
            return hex(address)
        return str(region.begin)
