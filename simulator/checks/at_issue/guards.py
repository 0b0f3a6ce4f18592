"""Rules on the arguments of an instruction, derived from its declaration.

A guard's expression is over the argument names and what `operands` computes from them, so that what does not apply on
an architecture costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....isa import PADDING, Parameter, Require, is_multiple, names_of
from ...core.issue import Check, Guard, PortSource
from ...core.issue.effects import lost
from ...core.issue.operands import operands_of
from ...findings import rules


class Architecture(Check):
    """The instruction exists on this architecture."""

    def guards(self, port: PortSource) -> Iterator[Guard]:
        arch, archs = self.execution.shape.arch, port.entry.archs
        if arch not in archs:
            yield Guard(
                "False",
                rules.ARCH,
                f"{port.overload.name} does not exist on architecture {arch}",
                limit=f"architectures {archs}",
                suggestion="leave the call out for this architecture, or choose another device",
                provenance=port.overload.provenance,
            )


class Arguments(Check):
    """The rules that the declaration states over arguments and addresses."""

    def guards(self, port: PortSource) -> Iterator[Guard]:
        for rule in port.entry.rules_for(self.execution.shape.arch):
            on = f" on architectures {rule.archs}" if rule.archs.text else ""
            if isinstance(rule, Require):
                yield self._required(port, rule, on)
                continue
            for p in port.memory:
                if not p.register and (not rule.operands or p.name in rule.operands):
                    yield Guard(
                        f"not {p.name} & {rule.multiple - 1}",
                        rules.ALIGNMENT,
                        f"{p.name} is at {{at_{p.name}}}, not a multiple of {rule.multiple}",
                        operand=p.name,
                        limit=f"{rule.multiple} bytes{on}",
                        suggestion=f"start {p.name} at a multiple of {rule.multiple} bytes",
                        provenance=rule.provenance,
                    )

    def _required(self, port: PortSource, rule: Require, on: str) -> Guard:
        text = port.entry.words(rule)
        named = names_of(rule.condition)
        shown = ", ".join(f"{p.name} = {{{p.name}}}" for p in port.overload.parameters if p.name in named)
        operands = [p for p in port.memory if p.name in named]
        blamed = {
            rules.ALIGNMENT: operands if len(operands) == 1 else [],
            rules.OVERLAP: [p for p in operands if p.writes],
        }.get(rule.rule)
        return Guard(
            port.expression(f"not ({rule.when}) or ({rule.condition})" if rule.when else rule.condition),
            rule.rule,
            f"{port.overload.name} needs that {text}" + (f"; got {shown}" if shown else ""),
            operand=blamed[0].name if blamed else "",
            limit=text + on,
            provenance=rule.provenance,
            fatal=rule.needed or (rule.rule == rules.LENGTH and not is_multiple(rule.condition)),
        )


class Overlap(Check):
    """A written operand and a read one coincide or stay apart, as the declaration allows."""

    def guards(self, port: PortSource) -> Iterator[Guard]:
        kind = port.entry.overlap
        if kind == "any":
            return
        operands = operands_of(port)
        for target in operands:
            for source in operands:
                if target is source or not target.writes:
                    continue
                alone = target.parameter.clobbered
                # A work operand coincides with nothing; of two of them one guard says so.
                if not (source.reads or alone) or (source.parameter.clobbered and target.name > source.name):
                    continue
                apart = target.apart_from(source)
                d, s = target.name, source.name
                wider = target.element.size > source.element.size
                if wider and kind == "ascending":
                    ordered = f"{d} < {s} and {lost(target, source)} * {source.element.size} < {PADDING} or "
                else:
                    ordered = f"{d} <= {s} and {target.end} <= {source.end} or "
                legal, problem, limit = {
                    "same": (f"{d} == {s} or ", "overlap and do not coincide", "operands coincide or stay apart"),
                    "ascending": (
                        ordered,
                        f"overlap, and {d} begins or ends behind {s}",
                        "operands stay apart, or the output neither begins nor ends behind the input"
                        + (f", less than {PADDING} bytes of padding aside" if wider else ""),
                    ),
                    "none": ("", "overlap", "operands stay apart"),
                }["none" if alone else kind]
                yield Guard(
                    legal + apart,
                    rules.OVERLAP,
                    f"{d} ({_size(target.parameter)} at {{at_{d}}}) and {s} ({_size(source.parameter)} at {{at_{s}}})"
                    f" {problem}",
                    operand=d,
                    limit=limit,
                    suggestion=f"give {d} {'lanes or bytes' if target.parameter.is_tensor else 'memory'} of its own",
                    provenance=port.overload.provenance,
                )


def _size(operand: Parameter) -> str:
    return "a tensor" if operand.is_tensor else f"{{bytes_{operand.name}}} bytes"
