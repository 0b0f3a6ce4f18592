"""The ports of instructions whose arguments name their element types."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from ....isa import Copy, Instruction, Overload, wires
from ...findings import Squashed, rules
from ..execution import Execution
from .check import Check
from .port import Port, issue


def by_element_type(execution: Execution, overload: Overload, checks: Sequence[Check]) -> Port:
    """The port of an instruction whose arguments name its element types; each combination is made when it is used."""
    entry = overload.instruction
    order = [wire.name for wire in wires(overload)]
    arguments = {variable: (order.index(given.argument), given) for variable, given in entry.type_arguments.items()}
    legal = {tuple(sorted(binding.items())) for binding in entry.bindings}
    ports: dict[tuple[int, ...], Port] = {}

    def make(values: tuple[int, ...], pc: int) -> Port | None:
        binding = {
            variable: given.elements.get(value, "")
            for value, (variable, (_, given)) in zip(values, arguments.items(), strict=True)
        }
        if tuple(sorted(binding.items())) in legal:
            return issue(execution, Overload(entry, binding), checks)
        _report_types(execution, entry, values, pc)
        return None

    places = [at for at, _ in arguments.values()]
    first, pick = places[0], itemgetter(*places)

    def port(pc: int, *numbers: Any) -> Any:
        values = pick(numbers) if len(places) > 1 else (numbers[first],)
        chosen = ports.get(values) or make(values, pc)
        if chosen is None:
            return 0
        ports[values] = chosen
        return chosen(pc, *numbers)

    return port


def _report_types(execution: Execution, entry: Instruction, values: tuple[int, ...], pc: int) -> None:
    """Say which of the arguments that name types has a value that the instruction does not take."""
    names = {value: name for name, value in execution.dialect.constants.items()}
    wrong: list[tuple[str, object]] = []
    fits: list[int] = []
    for value, (variable, given) in zip(values, entry.type_arguments.items(), strict=True):
        possible = {binding[variable] for binding in entry.bindings}
        legal = [v for v, element in given.elements.items() if element in possible]
        if value not in legal:
            wrong, fits = [(given.argument, names.get(value, value))], legal
            break
        wrong.append((given.argument, names.get(value, value)))
    moves = isinstance(entry.effect, Copy)
    finding = rules.declared.no_such_types(entry.name, wrong, [names.get(v, v) for v in fits], moves)
    with contextlib.suppress(Squashed):
        execution.collector.report(finding, pc)
