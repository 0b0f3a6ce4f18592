"""The NumPy calls that the instructions of a log make, without the simulator around them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from mlusim.isa import DIALECTS, Copy, Instruction, Overload, Parameter, Partial
from mlusim.simulator import Log
from mlusim.simulator.log import Op

Call = tuple[Callable[..., Any], tuple[Any, ...]]


def bare_calls(log: Log) -> list[Call]:
    """Functions with their arguments, one pair for each instruction of a log that computes or copies.

    The operands are arrays of their own, laid out as the simulated memories are, one array for each memory. Scalar
    arguments are not in a log: they are 0 where they are counts or positions, and 1/2 (1 for integers) where they are
    elements, so that numbers stay small and finite however often the calls are made on the same arrays: NumPy is ten
    times slower where a power overflows.
    Raises ValueError for an operand with gaps.
    """
    arenas = _arenas(log)
    overloads = [_overload(log, op) for op in log.ops]
    calls = []
    for index, record in enumerate(log.records):
        overload = overloads[record["op"]]
        if overload is not None:
            arrays = {}
            for parameter, (name, _, region) in zip(
                overload.instruction.prototype.memory, log.regions(index), strict=True
            ):
                dtype = overload.element(parameter).dtype
                memory = arenas[region.space, region.owner]
                arrays[name] = memory[region.offset : region.offset + region.bytes].view(dtype)
            calls.append(_call(overload, arrays))
    return calls


def run(calls: list[Call]) -> None:
    """Make the calls."""
    with np.errstate(all="ignore"):
        for function, arguments in calls:
            function(*arguments)


def _arenas(log: Log) -> dict[tuple[str, int], np.ndarray]:
    sizes: dict[tuple[str, int], int] = {}
    for index in range(len(log)):
        for _, _, region in log.regions(index):
            key = region.space, region.owner
            sizes[key] = max(sizes.get(key, 0), region.offset + region.bytes)
    arenas = {key: np.empty(size, np.uint8) for key, size in sizes.items()}
    for arena in arenas.values():
        arena.fill(0)  # written: what is not has one page of zeros for all of it, which is faster to read than memory
    return arenas


def _overload(log: Log, op: Op) -> Overload | None:
    """The overload that an entry of a log's table stands for; None for what makes no NumPy call."""
    for overload in DIALECTS[log.shape.isa].overloads:
        entry = overload.instruction
        names = tuple(parameter.name for parameter in entry.prototype.memory)
        kinds = {overload.dtypes} if entry.select is None else {case.label for case in entry.select.cases.values()}
        if entry.name == op.name and names == op.operands and op.dtypes in kinds and _computes(entry):
            return overload
    return None


def _computes(entry: Instruction) -> bool:
    return entry.semantics is not None or isinstance(entry.effect, Copy)


def _call(overload: Overload, arrays: dict[str, np.ndarray]) -> Call:
    entry = overload.instruction
    out = [arrays[parameter.name] for parameter in entry.prototype.memory if parameter.writes]
    if isinstance(entry.effect, Copy):
        if arrays["dst"].size != arrays["src"].size:
            raise ValueError(f"{entry.name} has an operand with gaps; only plain copies have a bare form")
        return np.copyto, (arrays["dst"], arrays["src"])
    if isinstance(entry.semantics, np.ufunc):
        return entry.semantics, (*(_argument(overload, p, arrays) for p in _inputs(overload)), *out)
    assert entry.semantics is not None
    parameters = {parameter.name: parameter for parameter in overload.parameters}

    def value(name: str) -> Any:
        kind, _, operand = name.partition("_")
        if kind == "count":
            return arrays[operand].size
        if kind == "type":
            return overload.element(parameters[operand]).dtype
        return _argument(overload, parameters[name], arrays)

    arguments = [value(name) for name in inspect.signature(entry.semantics).parameters]
    return _assign, (out[0], entry.semantics, arguments)


def _inputs(overload: Overload) -> list[Parameter]:
    return [p for p in overload.parameters if (p.reads if p.is_memory else p.type in overload.binding)]


def _argument(overload: Overload, parameter: Parameter, arrays: dict[str, np.ndarray]) -> Any:
    if parameter.is_memory:
        return arrays[parameter.name]
    if parameter.type not in overload.binding:
        return 0
    return 0.5 if overload.element(parameter).is_float else 1


def _assign(out: np.ndarray, body: Callable[..., Any], arguments: list[Any]) -> None:
    made = body(*arguments)
    out[...] = made.values if isinstance(made, Partial) else made
