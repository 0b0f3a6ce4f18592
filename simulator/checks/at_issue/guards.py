"""Rules on the arguments of an instruction, derived from its declaration.

A guard's expression is over the argument names and what `operands` computes from them, so that what does not apply on
an architecture costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....isa import PADDING, Require, is_multiple
from ...core.issue import Check, Guard, PortSource
from ...core.issue.effects import lost
from ...core.issue.operands import operands_of
from ...findings.rules import declared


class Architecture(Check):
    """The instruction exists on this architecture, in the form that is called."""

    def guards(self, port: PortSource) -> Iterator[Guard]:
        arch, archs = self.execution.shape.arch, port.entry.archs
        if arch not in archs:
            there = [entry for entry in self.execution.dialect.named(port.entry.name) if arch in entry.archs]
            known = {p.name for entry in there for p in entry.prototype.parameters}
            own = [p.name for p in port.entry.prototype.parameters if there and p.name not in known]
            form = port.overload.name + (f" with {' and '.join(own)}" if own else "")
            yield Guard("False", declared.absent(form, arch, archs, port.overload.provenance))


class Meaning(Check):
    """Warns of an instruction whose name means something else to others."""

    def guards(self, port: PortSource) -> Iterator[Guard]:
        if port.entry.mistaken:
            yield Guard("False", declared.mistaken(port.entry.doc, port.entry.mistaken))


class Arguments(Check):
    """The rules that the declaration states over arguments and addresses."""

    def guards(self, port: PortSource) -> Iterator[Guard]:
        for rule in port.entry.rules_for(self.execution.shape.arch):
            if isinstance(rule, Require):
                yield self._required(port, rule)
                continue
            for p in port.memory:
                if not p.register and (not rule.operands or p.name in rule.operands):
                    found = declared.misaligned(p.name, rule.multiple, rule.archs.text, rule.provenance)
                    yield Guard(f"not {p.name} & {rule.multiple - 1}", found)

    def _required(self, port: PortSource, rule: Require) -> Guard:
        named = port.entry.names(rule.condition)
        operands = [p for p in port.memory if p.name in named]
        pointers = {p.name for p in operands if not p.is_lanes and not p.register}
        shown = {p.name: p.name in pointers for p in port.overload.parameters if p.name in named}
        blamed = {
            declared.ALIGNMENT: operands if len(operands) == 1 else [],
            declared.OVERLAP: [p for p in operands if p.writes],
        }.get(rule.rule)
        found = declared.unmet(
            rule.rule, port.overload.name, port.entry.words(rule), shown, blamed[0].name if blamed else "",
            rule.archs.text, rule.provenance,
        )  # fmt: skip
        return Guard(
            port.expression(f"not ({rule.when}) or ({rule.condition})" if rule.when else rule.condition),
            found,
            fatal=rule.needed or (rule.rule == declared.LENGTH and not is_multiple(rule.condition)),
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
                allowed = "none" if alone else kind
                legal = {"same": f"{d} == {s} or ", "ascending": ordered, "none": ""}[allowed]
                pair = (d, target.parameter.is_tensor), (s, source.parameter.is_tensor)
                found = declared.overlapping(*pair, allowed, PADDING if wider else 0, port.overload.provenance)
                yield Guard(legal + apart, found)
