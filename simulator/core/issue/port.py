"""The issue port: the one way by which an instruction reaches simulated memory and the log.

For every overload in use a Python function is generated from the declaration, as `dataclasses` does for ``__init__``:
it tests the guards, finds the operands, runs the semantics and appends the record. What does not apply to an
instruction on an architecture is not in its function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from functools import lru_cache
from types import CodeType
from typing import Any

from ....isa import (
    FUNCTIONS,
    STRUCTS,
    VARIABLE_TYPES,
    Barrier,
    Cache,
    Completion,
    Copy,
    Kind,
    Overload,
    ValueOutOfRange,
    result_type,
    wires,
)  # fmt: skip
from ...chip.launch_kinds import Role
from ...findings import Squashed, rules
from ...log import CROSSED
from ...log.recorder import HELD, ROW, operand_packer, pack_record
from ..execution import VACANT, Execution
from .check import Check
from .definedness import Definedness, carried, passes_on, take_back
from .effects import EffectWriter, undefined_rest
from .failures import Failures
from .operands import Operand, operands_of
from .repeats import RepeatWriter
from .source import Guard, PortSource

Port = Callable[..., Any]

#: Plans that a port keeps for each core: those of the commands of a loop, in a few places each.
_MOST_PLANS = 1024
#: Stands in the lines of a port for the names of its plan, until it is known which are used.
_KEPT = "_KEPT_NAMES"
_ASSIGNED = re.compile(r"(?:^ *|; )((?:[A-Za-z_]\w*, )*[A-Za-z_]\w*) = ", re.M)


def issue(execution: Execution, overload: Overload, checks: Sequence[Check]) -> Port:
    """The function that executes an overload: ``port(pc, *numbers)``; see `isa.wire` for the numbers."""
    entry = overload.instruction.on(execution.shape.arch)
    return _Writer(execution, Overload(entry, overload.binding), checks).port()


@lru_cache(maxsize=4096)
def _compiled(text: str, name: str) -> CodeType:
    """The code of a port: devices with other memories, and other runs of one, have it in common."""
    return compile(text, f"<issue port of {name}>", "exec")


class _Writer:
    """Writes the source of one port."""

    def __init__(self, execution: Execution, overload: Overload, checks: Sequence[Check]) -> None:
        self.execution, self.overload, self.entry = execution, overload, overload.instruction
        self.checks = checks
        self.source = PortSource(execution, overload)
        self.operands = operands_of(self.source)
        self.effect = EffectWriter(self.source, self.operands, checks)
        self.definedness = Definedness(execution, overload, checks)
        self.guards = [guard for check in checks for guard in check.guards(self.source)]
        self.source.unchecked = not self.guards and bool(self.entry.rules_for(execution.shape.arch))
        self.fail = Failures(self.source, self.operands)
        self.late_guards: list[Guard] = []  # those that ask for what has been found
        #: Operands that are looked for at every call, with what is said of their addresses.
        self.outside = {o.name for o in self.operands if not o.parameter.is_lanes}
        self.plans = self._has_plans()
        self.repeats = RepeatWriter.of(self.effect, self.fail, checks) if self.plans else None

    def _has_plans(self) -> bool:
        """Whether calls with equal arguments are equal but for operands in system memory, until memory moves.

        What has been tested and found at the first of them then holds for the others: it is their plan.
        """
        tensors = all(operand.parameter.is_tensor for operand in self.operands)
        varies = self.entry.select or self.entry.measured or isinstance(self.entry.effect, (Barrier, Cache))
        return bool(self.operands) and tensors and not varies and not any(o.parameter.local_if for o in self.operands)

    def port(self) -> Port:
        """Generate, compile and return the function."""
        source = self.source
        arguments = [wire.name for wire in wires(self.overload)]
        self._constants()
        with source.block(f"def _port({', '.join(['_pc', *arguments])}):"):
            with source.block("try:"):
                if self.plans:
                    planned = self._planned(arguments)
                else:
                    self._structures()
                    self._select()
                    self._guards_and_spans()
                    self._find()
                self._use()
                self.effect.prepare()
                for check in self.checks:
                    check.before_effect(source, self.operands)
                self.effect.write()
                if self.entry.moves or self.entry.looks_up:
                    target = self.effect.written[0].view()
                    source.line(f"if _moved is not None: {source.bind('_take_back', take_back)}({target}, _moved)")
                self._record()
                if self.repeats:
                    source.line(self.repeats.line())
                source.line(self._return())
            source.bind("_overruns", self.execution.map.overruns)
            source.line("except _Squashed: _overruns.clear(); return 0")
            source.bad_values("return ")
            source.line("except BaseException as _error: return _crash(_error)")
        text = source.text
        if self.plans:
            later = text[text.rindex(_KEPT) :]
            names = sorted({n for group in planned for n in group.split(", ")} & self._names(later))
            text = text.replace(_KEPT, ", ".join(names) + ("," if names else "()"))
        exec(_compiled(text, self.overload.name), source.names)
        port: Port = source.names["_port"]
        return port

    def _constants(self) -> None:
        source, execution = self.source, self.execution
        fixed = {
            **FUNCTIONS, "_Squashed": Squashed, "_ValueOutOfRange": ValueOutOfRange, "_fail": self.fail,
            "_bad_value": execution.collector.bad_value, "_crash": execution.collector.crash,
            "_unfit": execution.collector.unfit_arguments,
            "_rec": execution.recorder, "_failed": self.fail.numbers, "_VACANT": VACANT,
            "_records": execution.recorder.records, "_operands": execution.recorder.operands, "_pack": pack_record,
        }  # fmt: skip
        for name, value in fixed.items():
            source.bind(name, value)

    def _structures(self) -> None:
        """Structures as named tuples; a null pointer that may not be one is a finding."""
        source = self.source
        for p in self.overload.parameters:
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
        source, execution = self.source, self.execution
        if self.entry.select is None:
            if source.skipped_by(map(self.entry.space_of, source.memory), None):
                source.line(f"if _cur.role == {Role.MEMORY:d}: return 0")
            source.bind("_sites", execution.recorder.sites(*self.effect.named(self.entry.pipe, None)))
            return
        select = self.entry.select
        cases = {
            value: (
                execution.recorder.sites(*self.effect.named(case.pipe, case)),
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
        if isinstance(self.entry.effect, Copy) and self.entry.effect.cluster:
            self._reach(self.entry.effect.cluster)
        for p in source.memory:
            if any(f"space_{p.name}" in self._names(guard.expression) for guard in self.guards):
                source.line(f"space_{p.name} = _spaces[{p.name!r}]")

    def _reach(self, cluster: str) -> None:
        """The address of what is written in the memory of the cluster that an argument names."""
        source, (target,) = self.source, self.entry.written
        source.line("_clusters = _cur.running.sees.clusterDim or 1")
        no_cluster = rules.declared.no_cluster(cluster)
        source.test(Guard(f"0 <= {cluster} < _clusters", no_cluster, fatal=True))
        far = source.bind("_far", self.execution.map.in_cluster)
        source.line(f"{target.name} = {far}(_spaces[{target.name!r}], {target.name}, {cluster})")

    @staticmethod
    def _names(expression: str) -> set[str]:
        return set(re.findall(r"[A-Za-z_]\w*", expression))

    def _planned(self, arguments: Iterable[str]) -> list[str]:
        """The plan of a call, made or taken up, and the operands outside of it; what the lines of a plan assign."""
        source, slot = self.source, self.execution.map.cache.new()
        source.line(f"_plans = _cur.found[{slot}]")
        source.line(f"if _plans is _VACANT: _plans = _cur.found[{slot}] = {{}}")
        source.line(f"_said = ({''.join(f'{name}, ' for name in arguments if name not in self.outside)})")
        source.line("_plan = _plans.get(_said)")
        begin = len(source.text)
        with source.block("if _plan is None:"):
            source.line("_failed.clear()")
            self._structures()
            self._select()
            self._guards_and_spans()
            inside = [operand for operand in self.operands if operand.name not in self.outside]
            self._locate(inside, self.outside | {f"_t_{name}" for name in self.outside})
            source.line(f"_work = {source.expression(self.entry.work_expression)}; _gaps = {self._gaps()}")
            source.line("_wrong = _fail.kept(_locals()) if _failed else None")
            if self.repeats:
                source.line(self.repeats.begin())
            source.line(f"if _len(_plans) >= {_MOST_PLANS}: _plans.clear()")
            source.line(f"_plans[_said] = {_KEPT}")
        planned = _ASSIGNED.findall(source.text[begin:])
        with source.block("else:"):
            source.line(f"{_KEPT} = _plan")
            source.line("if _wrong: _fail.again(_pc, _wrong, _locals())")
        tested = len(source.guards)
        self._locate([operand for operand in self.operands if operand.name in self.outside])
        self.repeats = self.repeats if len(source.guards) == tested else None  # rules on places outside are tested
        return planned

    def _locate(self, operands: Sequence[Operand], unknown: Set[str] = frozenset()) -> None:
        """The memory behind operands, and the guards that have waited for it and ask for nothing ``unknown``."""
        for operand in operands:
            operand.find()
        waiting, self.late_guards = self.late_guards, []
        for guard in waiting:
            if self._names(guard.expression) & unknown:
                self.late_guards.append(guard)
            else:
                self.source.test(guard)

    def _guards_and_spans(self) -> None:
        """What ``let`` names is computed from arguments that have passed their guards: it may divide by them."""
        source, let = self.source, set(self.entry.let)

        def depends(operand: Operand, on: set[str]) -> bool:
            texts = (text for dim in operand.parameter.dims for text in (dim.count, dim.stride))
            return any(self._names(text) & on for text in texts)

        self.measuring = [o for o in self.operands if depends(o, set(self.entry.measured))]
        late = [o for o in self.operands if o not in self.measuring and depends(o, let)]
        computed = {name for o in late for name in (o.end, o.low)} - {o.name for o in self.operands} | let
        found = {f"_t_{operand.name}" for operand in self.operands}
        found |= {name for o in self.measuring for name in (o.end, o.low)} - {o.name for o in self.operands}
        found |= self.outside if self.plans else set()
        guards = [(guard, self._names(guard.expression)) for guard in self.guards]
        texts = {text for o in self.operands for dim in o.parameter.dims for text in (dim.count, dim.stride)}
        named = set().union(*(names for _, names in guards), *map(self._names, texts))
        for p in source.memory:
            if p.kind is Kind.VARIABLE:
                source.line(f"placed_{p.name} = _{p.name}_kind != {VARIABLE_TYPES['SCALAR']}")
            if p.order:
                source.bind("_sliced", self.execution.map.sliced)
                source.line(f"order_{p.name} = 'sliced' if {p.name} in _sliced else 'dealt'")
            if p.is_lanes and f"lane_{p.name}" in named:
                source.line(f"lane_{p.name} = " + source.expression(f"{p.name} // lane_bytes"))
        for operand in self.operands:
            if operand not in late and operand not in self.measuring:
                operand.spans()
        for guard, names in guards:
            if not names & (computed | found):
                source.test(guard)
        for name, text in self.entry.let.items():
            source.line(f"{name} = {source.expression(text)}")
        for operand in late:
            operand.spans()
        for guard, names in guards:
            if names & computed and not names & found:
                source.test(guard)
        # Which bytes of which lanes a tensor touches, or how much the contents ask for.
        self.late_guards = [guard for guard, names in guards if names & found]

    def _find(self) -> None:
        """The memory behind every operand."""
        source = self.source
        if self.operands:
            source.line("_found = _cur.found")
        for operand in self.operands:
            if operand not in self.measuring:
                operand.find()
        told = self._names(self.entry.adds) & set(self.entry.measured)
        #: Those of which the contents of others say whether they are read as well.
        self.added = [operand for operand in self.operands if told and operand.reads and operand.writes]
        if self.entry.measured:
            self._check_reads([o for o in self.operands if o not in (*self.measuring, *self.added)])
            self.effect.before_measuring()
            for name, function in self.entry.measured.items():
                source.line(f"{name} = {source.bind(f'_measure_{name}', function)}({self.effect.call(function)})")
            for operand in self.measuring:
                operand.spans()
        for guard in self.late_guards:
            source.test(guard)
        for operand in self.measuring:
            operand.find()

    def _use(self) -> None:
        """What is read is checked, what is written has been."""
        source = self.source
        if isinstance(self.entry.effect, Cache):
            return
        self._check_reads([*self.measuring, *self.added] if self.entry.measured else self.operands)
        if passes_on(self.entry) and not self.entry.moves:
            self._carry()
            return
        if self.entry.moves or self.entry.looks_up:
            self._follow()
        partial = getattr(self.entry.effect, "partial", False)
        for operand in self.operands:
            if operand.writes and not partial and not operand.parameter.clobbered:
                source.line(operand.written())
            if operand.parameter.defined:
                undefined_rest(source, operand)

    def _check_reads(self, operands: list[Operand]) -> None:
        """Those whose values are used, by an instruction that does not just pass them on."""
        passed = carried(self.entry)
        for operand in operands:
            if operand.reads and operand.name not in passed:
                report = self.source.bind("_unwritten", self.definedness.report)
                adds = self.entry.adds if operand.writes else ""
                given = f"{self.source.expression(adds)} and " if adds else ""
                self.source.line(f"if {given}{operand.stale()}: {report}(_pc, {operand.name!r}, {operand.view()})")

    def _carry(self) -> None:
        """The output has uninitialized elements where the operands have that it is computed or copied from."""
        (target,), names = self.effect.written, carried(self.entry)
        read = [operand for operand in self.operands if operand.name in names]
        carry = self.source.bind("_carry", self.definedness.carry)
        with self.source.block(f"if {' or '.join(operand.stale() for operand in read)}:"):
            self.source.line(f"{carry}(_pc, {', '.join(operand.view() for operand in (target, *read))})")
        with self.source.block("else:"):
            if self.effect.completion is Completion.DEFERRED:
                self.source.line(target.poison())
            self.source.line(target.written())

    def _follow(self) -> None:
        """Uninitialized elements are moved to other places of the output, or are positions in a table."""
        source, names, found = self.source, carried(self.entry), self.definedness
        read = next(operand for operand in self.operands if operand.name in names)
        source.line("_moved = None")
        if self.entry.looks_up:
            table = next(operand for operand in self.operands if operand.reads and operand is not read)
            given = f"{source.bind('_looked_up', found.looked_up)}(_pc, {read.view()}, {table.view()})"
        else:
            assert self.entry.semantics is not None
            source.bind("_body", self.entry.semantics)
            call = self.effect.call(self.entry.semantics, {read: "_marks"})
            target = self.effect.written[0].view()
            given = f"{source.bind('_follow', found.moved)}(_pc, {target}, {read.view()}, lambda _marks: _body({call}))"
        source.line(f"if {read.stale()}: _moved = {given}")

    def _record(self) -> None:
        source, entry = self.source, self.entry
        work = "_number" if isinstance(entry.effect, Barrier) else source.expression(entry.work_expression)
        crossed = " or ".join(f"{o.footprint}.crossed" for o in self.operands if o.footprint)
        flags, gaps = self.effect.flags(), self._gaps()
        if self.plans:  # and tensors, which are never crossed
            work, gaps = "_work", "_gaps"
        elif crossed:
            flags = f"({flags}) | ({CROSSED} if {crossed} else 0)"
        source.line("_at = _records.at")
        source.line("if _at >= _records.limit: _at = _rec.grow()")
        source.line(f"_pack(_records.pages, _at, {flags}, _cur.core, _cur.task, _sites[_pc], {work}, {gaps})")
        source.line(f"_records.at = _at + {ROW}")
        if not self.operands:
            return
        lanes = any(operand.parameter.is_tensor for operand in self.operands)
        if self.plans:
            rows = [f"*{operand.view()}.row" for operand in self.operands]
        else:
            rows = [operand.record() + f", {operand.lanes}" * lanes for operand in self.operands]
        pack = source.bind("_pack_operands", operand_packer(len(rows), lanes or self.plans))
        source.line(f"_at = _operands.at; _end = _at + {HELD * len(rows)}")
        source.line("if _end > _operands.limit: _operands.grow(_end)")
        source.line(f"{pack}(_operands.pages, _at, {', '.join(rows)})")
        source.line("_operands.at = _end")
        for number, operand in enumerate(self.operands):
            if operand.footprint:
                source.line(f"_runs = {operand.view()}.runs()")
                source.line(f"if _runs: _rec.pieces.append((_at, {number}, *_runs))")

    def _gaps(self) -> str:
        """Expression: the gaps of the record."""
        footprints = [operand.footprint for operand in self.operands if operand.footprint]
        return f"max({''.join(f'{footprint}.gaps, ' for footprint in footprints)}0)" if footprints else "0"

    def _return(self) -> str:
        if self.entry.prototype.returns == "void":
            return "return 0"
        return f"return {'_float' if result_type(self.overload).is_float else '_int'}(_result)"
