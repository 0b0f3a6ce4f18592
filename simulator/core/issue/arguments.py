"""The lines of a port that test the arguments of a call, and find the memory behind its operands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from ....isa import STRUCTS, VARIABLE_TYPES, Copy, Kind
from ...chip.launch_kinds import Role
from ...findings import rules
from .check import Check
from .effects import EffectWriter
from .operands import Operand
from .source import Guard
from .uses import UseWriter


def names_in(text: str) -> set[str]:
    """The names in lines or an expression."""
    return set(re.findall(r"[A-Za-z_]\w*", text))


class ArgumentWriter:
    """Tests each guard as soon as what it asks for is known.

    Most guards ask for arguments and bounds. What ``let`` names is computed from arguments that have passed their
    guards, since it may divide by them. Which bytes a tensor touches, and how much the contents of an operand ask for,
    is known when memory has been found; nothing of the operands ``outside`` is known before that.
    """

    def __init__(self, effect: EffectWriter, checks: Sequence[Check], outside: Set[str]) -> None:
        source, entry, operands = effect.port, effect.entry, effect.operands
        self._source, self._entry, self._effect, self._operands = source, entry, effect, operands
        self._guards = [guard for check in checks for guard in check.guards(source)]
        source.unchecked = not self._guards and bool(entry.rules_for(source.execution.shape.arch))
        measured = set(entry.measured)
        #: Those whose extents the contents of others decide.
        self._measuring = [operand for operand in operands if _extents(operand) & measured]
        told = names_in(entry.adds) & measured
        #: Those of which the contents of others say whether they are read as well.
        self._added = [operand for operand in operands if told and operand.reads and operand.writes]
        self._computing = [o for o in operands if o not in self._measuring and _extents(o) & set(entry.let)]
        computed = self._bounds(self._computing) | set(entry.let)
        found = self._bounds(self._measuring) | {operand.view() for operand in operands if operand.footprint} | outside
        guards = [(guard, names_in(guard.expression)) for guard in self._guards]
        self._at_once = [guard for guard, names in guards if not names & (computed | found)]
        self._computed = [guard for guard, names in guards if names & computed and not names & found]
        self._waiting = [guard for guard, names in guards if names & found]

    def _bounds(self, operands: Iterable[Operand]) -> set[str]:
        """The names of the bounds of operands, without those that are arguments."""
        return {name for o in operands for name in (o.end, o.low)} - {o.name for o in self._operands}

    def test(self) -> None:
        """What can be tested before memory is looked for; afterwards, counts and bounds are known."""
        self._structures()
        self._select()
        self._describe()
        for operand in self._operands:
            if operand not in self._computing and operand not in self._measuring:
                operand.spans()
        self._test(self._at_once)
        for name, text in self._entry.let.items():
            self._source.line(f"{name} = {self._source.expression(text)}")
        for operand in self._computing:
            operand.spans()
        self._test(self._computed)

    def find(self, uses: UseWriter) -> list[Operand]:
        """The memory behind every operand; those of which nothing that is read has been checked."""
        source, effect = self._source, self._effect
        if self._operands:
            source.line("_found = _cur.found")
        for operand in self._operands:
            if operand not in self._measuring:
                operand.find()
        unchecked = self._operands
        if self._entry.measured:
            unchecked = [*self._measuring, *self._added]
            uses.check_reads(operand for operand in self._operands if operand not in unchecked)
            effect.before_measuring()
            for name, function in self._entry.measured.items():
                source.line(f"{name} = {source.bind(f'_measure_{name}', function)}({effect.call(function)})")
            for operand in self._measuring:
                operand.spans()
        self._test(self._waiting)
        for operand in self._measuring:
            operand.find()
        return unchecked

    def locate(self, operands: Iterable[Operand], unknown: Set[str] = frozenset()) -> None:
        """The memory behind some operands, and the guards that have waited for it and ask for nothing ``unknown``."""
        for operand in operands:
            operand.find()
        self._test(guard for guard in self._waiting if not names_in(guard.expression) & unknown)
        self._waiting = [guard for guard in self._waiting if names_in(guard.expression) & unknown]

    def _test(self, guards: Iterable[Guard]) -> None:
        for guard in guards:
            self._source.test(guard)

    def _structures(self) -> None:
        """Structures as named tuples; a null pointer that may not be one is a finding."""
        source = self._source
        for p in source.overload.parameters:
            if p.kind is not Kind.STRUCT:
                continue
            struct = STRUCTS[p.type]
            make = source.bind(f"_make_{p.name}", struct.make)
            made = f"{make}({', '.join(f'_{p.name}_{field}' for field in struct.fields)})"
            source.line(f"{p.name} = {made}" + (f" if _{p.name}_given else None" if p.pointer else ""))
            if p.pointer and not p.nullable:
                null = rules.declared.null_structure(p.name, p.type)
                source.test(Guard(f"{p.name} is not None", null, fatal=True))

    def _select(self) -> None:
        """Which case of the selecting argument holds, and whether this kind of core executes it."""
        source, execution, select = self._source, self._source.execution, self._entry.select
        if select is None:
            if source.skipped_by(map(self._entry.space_of, source.memory), None):
                source.line(f"if _cur.role == {Role.MEMORY:d}: return 0")
            source.bind("_sites", execution.recorder.sites(*self._effect.named(self._entry.pipe, None)))
            return
        cases = {
            value: (
                execution.recorder.sites(*self._effect.named(case.pipe, case)),
                case.spaces,
                source.skipped_by(case.spaces.values(), case),
                case.pipe,
            )
            for value, case in select.cases.items()
            if set(case.spaces.values()) <= set(execution.map.memories)
        }
        source.bind("_CASES", cases)
        source.line(f"_case = _CASES.get({select.argument})")
        no_case = rules.declared.no_case(select.argument, (case.label for case in select.cases.values()))
        source.test(Guard("_case is not None", no_case, fatal=True))
        source.line("_sites, _spaces, _skipped, _pipe = _case")
        source.line("if _cur.role and _cur.role == _skipped: return 0")
        if isinstance(self._entry.effect, Copy) and self._entry.effect.cluster:
            self._reach(self._entry.effect.cluster)
        for p in source.memory:
            if any(f"space_{p.name}" in names_in(guard.expression) for guard in self._guards):
                source.line(f"space_{p.name} = _spaces[{p.name!r}]")

    def _reach(self, cluster: str) -> None:
        """The address of what is written in the memory of the cluster that an argument names."""
        source, (target,) = self._source, self._entry.written
        source.line("_clusters = _cur.running.sees.clusterDim or 1")
        no_cluster = rules.declared.no_cluster(cluster)
        source.test(Guard(f"0 <= {cluster} < _clusters", no_cluster, fatal=True))
        far = source.bind("_far", source.execution.map.in_cluster)
        source.line(f"{target.name} = {far}(_spaces[{target.name!r}], {target.name}, {cluster})")

    def _describe(self) -> None:
        """What guards and extents ask of an operand, beyond its address."""
        source = self._source
        named = set().union(*map(_extents, self._operands), *(names_in(guard.expression) for guard in self._guards))
        for p in source.memory:
            if p.kind is Kind.VARIABLE:
                source.line(f"placed_{p.name} = _{p.name}_kind != {VARIABLE_TYPES['SCALAR']}")
            if p.order:
                source.bind("_sliced", source.execution.map.sliced)
                source.line(f"order_{p.name} = 'sliced' if {p.name} in _sliced else 'dealt'")
            if p.is_lanes and f"lane_{p.name}" in named:
                source.line(f"lane_{p.name} = " + source.expression(f"{p.name} // lane_bytes"))


def _extents(operand: Operand) -> set[str]:
    """The names that the counts and strides of an operand ask for."""
    return set().union(*(names_in(text) for dim in operand.parameter.dims for text in (dim.count, dim.stride)))
