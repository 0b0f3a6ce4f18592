"""Checks on the arguments of an instruction, derived from its declaration.

A check is a function from (overload, arch) to `Guard`s; `CHECKS` is what the door subscribes. A guard is a Python
expression over the argument names, ``b_<operand>`` (bytes spanned), ``z_<operand>`` (the address behind them) and
``sizeof_<operand>``, so that what does not apply costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..isa import Align, Overload, Parameter, Require


@dataclass(frozen=True)
class Guard:
    """A condition that must hold, and what to say when it does not (``{name}`` = value of an argument)."""

    expression: str
    rule: str
    message: str
    operand: str = ""
    limit: str = ""
    suggestion: str = ""
    provenance: str = "documented"
    fatal: bool = False  # the instruction cannot run at all, even when findings are collected


Check = Callable[[Overload, int], Iterator[Guard]]


def architecture(overload: Overload, arch: int) -> Iterator[Guard]:
    """The instruction exists on this architecture."""
    archs = overload.instruction.archs
    if arch not in archs:
        yield Guard(
            "False",
            "arch",
            f"{overload.name} does not exist on architecture {arch}",
            limit=f"architectures {archs}",
            suggestion="leave the call out for this architecture, or choose another device",
            provenance=overload.provenance,
        )


def arguments(overload: Overload, arch: int) -> Iterator[Guard]:
    """The rules that the declaration states over arguments and addresses."""
    for rule in overload.instruction.rules_for(arch):
        if isinstance(rule, Require):
            yield Guard(
                rule.expression,
                rule.rule,
                f"{overload.name} needs that {rule.text}; got {_values(overload, rule.expression)}",
                limit=rule.text + (f" on architectures {rule.archs}" if rule.archs.text else ""),
                provenance=rule.provenance,
                fatal=rule.rule == "length" and "%" not in rule.expression,
            )
        if isinstance(rule, Align):
            for parameter in overload.instruction.prototype.memory:
                if parameter.space != "vreg" and (not rule.operands or parameter.name in rule.operands):
                    yield Guard(
                        f"not {parameter.name} & {rule.bytes - 1}",
                        "alignment",
                        f"{parameter.name} is at {{at_{parameter.name}}}, not a multiple of {rule.bytes}",
                        operand=parameter.name,
                        limit=f"{rule.bytes} bytes" + (f" on architectures {rule.archs}" if rule.archs.text else ""),
                        suggestion=f"start {parameter.name} at a multiple of {rule.bytes} bytes",
                        provenance=rule.provenance,
                    )


def overlaps(overload: Overload, arch: int) -> Iterator[Guard]:
    """A written operand and a read one coincide or stay apart, as the declaration allows."""
    kind = overload.instruction.overlap
    memory = overload.instruction.prototype.memory
    if kind == "any":
        return
    for target in memory:
        for source in memory:
            if not target.writes or not source.reads or target is source:
                continue
            d, s = target.name, source.name
            apart = f"{low_of(target)} >= z_{s} or {low_of(source)} >= z_{d}"
            same = kind == "same"
            yield Guard(
                f"{d} == {s} or {apart}" if same else apart,
                "overlap",
                f"{d} ({{b_{d}}} bytes at {{at_{d}}}) and {s} ({{b_{s}}} bytes at {{at_{s}}}) "
                + ("overlap and do not coincide" if same else "overlap"),
                operand=d,
                limit="operands coincide or stay apart" if same else "operands stay apart",
                suggestion=f"give {d} memory of its own",
                provenance=overload.provenance,
            )


def low_of(parameter: Parameter) -> str:
    """The name of the lowest address that an operand spans: strides may be negative."""
    return f"low_{parameter.name}" if len(parameter.dims) > 1 else parameter.name


def _values(overload: Overload, expression: str) -> str:
    names = [p.name for p in overload.parameters if re.search(rf"\b{p.name}\b", expression)]
    return ", ".join(f"{name} = {{{name}}}" for name in names)


CHECKS: tuple[Check, ...] = (architecture, arguments, overlaps)
