"""The lines of a port that carry out its effect, one writer for each kind; and what they call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from types import MappingProxyType

import numpy as np

from ....isa import Atomic, Barrier, Cache, Case, Completion, Compute, Copy, Section, Signal, Wait
from ...findings import Squashed, rules
from ...log import ASYNC, ATOMIC, BLOCKING, RESULT, SERIAL, Op
from .check import Check
from .inputs import Inputs
from .operands import Operand
from .source import PortSource


class EffectWriter:
    """Writes the effect of one instruction."""

    def __init__(self, port: PortSource, operands: list[Operand], checks: Sequence[Check]) -> None:
        self.port, self.entry, self.operands, self.checks = port, port.entry, operands, checks
        self.by_name = {operand.name: operand for operand in operands}
        self.written = [self.by_name[p.name] for p in self.entry.written]
        self._inputs = Inputs(port, operands)
        deferrals = port.execution.deferrals
        port.bind("_drain", deferrals.drain)
        port.bind("_finish", deferrals.finish)
        port.bind("_turn", deferrals.turn)
        port.bind("_settle", deferrals.settle)
        port.bind("_defer", deferrals.defer)

    @property
    def completion(self) -> Completion | None:
        """When the effect is complete, None where it is not one on memory."""
        effect = self.entry.effect
        return effect.completion if isinstance(effect, (Compute, Copy, Atomic, Signal)) else None

    @property
    def queues(self) -> tuple[str, ...]:
        """The pipes that it takes turns with."""
        queued = self.completion is Completion.QUEUED or isinstance(self.entry.effect, Section)
        return self.port.execution.dialect.queues if queued else ()

    def flags(self) -> str:
        """Expression: the flags of the record."""
        fixed = BLOCKING if self.completion is Completion.BLOCKING else 0
        fixed |= ATOMIC if isinstance(self.entry.effect, Atomic) else 0
        fixed |= ASYNC if self.completion in (Completion.DEFERRED, Completion.QUEUED) else 0
        fixed |= RESULT if self.entry.prototype.returns != "void" else 0
        if self.completion is Completion.QUEUED:
            return f"{fixed} if _cur.running.section else {fixed | SERIAL}"
        return str(SERIAL if isinstance(self.entry.effect, Section) else fixed)

    def named(self, pipe: str, case: Case | None) -> tuple[int, int]:
        """The numbers in the log of the instruction, in a case of its selecting argument, and of the pipe."""
        entry, overload, recorder = self.entry, self.port.overload, self.port.execution.recorder
        op = Op(
            entry.name,
            case.label if case else overload.dtypes,
            tuple(p.name for p in self.port.memory),
            tuple(p.writes for p in self.port.memory),
            "" if isinstance(entry.effect, Section) else overload.engine or pipe,
            entry.waits,
            entry.effect.scope if isinstance(entry.effect, Barrier) else "",
            overload.provenance,
            queues=self.queues,
            message=("send" if entry.effect.sends else "wait") if isinstance(entry.effect, Signal) else "",
        )
        return recorder.op(op), recorder.pipe(pipe)

    def prepare(self) -> None:
        """What has to happen before memory may be used: earlier effects on the same pipe, or on all queues."""
        queues = self.port.execution.dialect.queues
        if self.completion is Completion.BLOCKING:
            self.port.line(f"if _cur.pending: _settle({self.port.pipe}, ({self._extents()}))")
        elif isinstance(self.entry.effect, Atomic):
            self.port.line(f"if _cur.pending: _drain(({self.port.pipe},))")
        elif self.completion is Completion.QUEUED:
            self.port.line("if _cur.pending and not _cur.running.section: _turn()")
        elif isinstance(self.entry.effect, Section):
            self._section(self.entry.effect)
        elif self.entry.waits:
            if queues:
                self.port.bind("_check_closed", self._check_closed)
                self.port.line("if _cur.running.section: _check_closed(_pc)")
            self.port.line(f"if _cur.pending: _finish({self.entry.waits!r})")

    def before_measuring(self) -> None:
        """What has to happen before extents follow from contents: earlier commands that may write them."""
        if self.completion is Completion.QUEUED:
            queues = self.port.execution.dialect.queues
            which = f"({self.port.pipe},) if _cur.running.section else {queues!r}"
            self.port.line(f"if _cur.pending: _finish({which})")

    def _extents(self) -> str:
        return "".join(f"{operand.extent()}, " for operand in self.operands)

    def write(self) -> None:
        """The effect itself, now or (deferred) when a wait asks for it."""
        effect = self.entry.effect
        if isinstance(effect, Barrier):
            self.port.bind("_meet", self.port.execution.barriers.meet)
            self.port.bind("_BARRIER", effect)
            self.port.line("_number = _meet(_BARRIER, _pc)")
        if self.entry.counts:
            self.port.line(f"_cur.running.counted[{self.entry.pipe!r}] = {self.entry.counts}")
        if isinstance(effect, Wait) and self.entry.prototype.returns != "void":
            self.port.line(f"_result = _cur.running.counted.get({effect.pipes[0]!r}, 0)")
        if isinstance(effect, Signal):
            self._message(effect)
        if isinstance(effect, (Wait, Barrier, Cache, Section, Signal)):
            return
        for operand in self.operands:
            if operand.parameter.clobbered:
                self.port.line(f"{operand.view()}.forget()")
        if isinstance(effect, Copy):
            self._note_slices(self.by_name[self.entry.written[0].name])
        statements = list(self._statements())
        later = self.completion in (Completion.DEFERRED, Completion.QUEUED)
        with ExitStack() as around:
            if later:
                around.enter_context(self.port.block("def _later():"))
            for check in self.checks:
                around.enter_context(check.around_effect(self.port, self.operands))
            if later:  # not inside of the port's own handlers any more
                with self.port.block("try:"):
                    for statement in statements:
                        self.port.line(statement)
                self.port.bad_values("")
            else:
                for statement in statements:
                    self.port.line(statement)
        overruns = self.port.bind("_overruns", self.port.execution.map.overruns)
        if not later:
            self.port.line(f"if {overruns}: {overruns}.finish()")
            return
        self.port.line(f"if {overruns}: _later = {overruns}.after(_later)")
        defer = f"_defer({self.port.pipe}, _later, ({self._extents()}))"
        in_order = self.port.execution.dialect.in_order
        if in_order and self.completion is Completion.DEFERRED:
            defer = f"_later() if {self.port.pipe} in {in_order!r} else {defer}"
        self.port.line(defer)

    def _statements(self) -> Iterator[str]:
        if isinstance(self.entry.effect, Copy):
            dst, src = (self.by_name[p.name] for p in (*self.entry.written, *self.entry.read))
            yield dst.copy(src)
        elif isinstance(self.entry.semantics, np.ufunc):
            ufunc = self.port.bind("_ufunc", self.entry.semantics)
            yield self.written[0].apply(ufunc, self._inputs.of_ufunc())
        else:
            yield from self._body()
        if self.entry.overlap == "ascending":
            yield from self._overwritten(self.written[0])
        for operand in self.written:
            if operand.parameter.defined:
                yield f"{operand.view()}.entry.undefine(_rest_{operand.name})"

    def _overwritten(self, target: Operand) -> Iterator[str]:
        """What comes of elements that an output of wider ones has overwritten before they were read is undefined."""
        for source in self.operands:
            if source.reads and source.element.size < target.element.size:
                shifted = f"{target.name} < {source.name} < {target.end} > {source.end}"
                yield f"if {shifted}: {target.view()}.lose({lost(target, source)})"

    def _note_slices(self, target: Operand) -> None:
        """Keep in mind behind which addresses rows lie that a copy has put into the slices of a memory."""
        select, memories = self.entry.select, self.port.execution.map
        if select is None or memories.slices.keys().isdisjoint(c.spaces[target.name] for c in select.cases.values()):
            return
        if target.footprint:
            note = self.port.bind("_note_slices", memories.note_slices)
            self.port.line(f"{note}({target.view()}.entry.space, {target.name}, {target.footprint}.strides)")
        else:
            self.port.line(f"if {self.port.bind('_sliced', memories.sliced)}: _sliced.discard({target.name})")

    def _body(self) -> Iterator[str]:
        self.port.bind("_body", self.entry.semantics)
        assert self.entry.semantics is not None
        call = f"_body({self.call(self.entry.semantics)})"
        returns = self.entry.prototype.returns != "void"
        results = [f"_y{number}" for number in range(len(self.written))]
        if isinstance(self.entry.effect, Compute) and self.entry.effect.partial:
            yield f"_part = {call}"
            yield f"{self.written[0].view()}.write_rows(_part.rows, _part.values)"
            self.port.bind("_doubt", self.port.execution.collector.doubtful_value)
            yield "if _part.doubt: _doubt(_part.doubt, _pc, _OVERLOAD.name)"
        elif len(results) + returns == 1:
            yield f"_result = {call}" if returns else self.written[0].store(call)
        else:
            yield f"{', '.join([*results, *(['_result'] if returns else [])])} = {call}"
            for operand, result in zip(self.written, results, strict=True):
                yield operand.store(result)

    def call(self, function: Callable[..., object], instead: Mapping[Operand, str] = MappingProxyType({})) -> str:
        """The arguments of a function that takes operands and values by name, something else ``instead`` of some."""
        contents = {operand: operand.contents() for operand in self.operands} | dict(instead)
        return Inputs(self.port, self.operands, contents.__getitem__, held=Operand.held).of(function)

    def _message(self, message: Signal) -> None:
        command = self.port.bind("_command", self.port.execution.messages.command)
        number, count = (p.name for p in self.entry.prototype.parameters)
        self.port.line(f"_later = {command}({message.sends}, {number}, {count}, _pc, {self.entry.name!r})")
        self.port.line(f"_defer({self.port.pipe}, _later, ())")

    def _section(self, section: Section) -> None:
        self.port.bind("_move_section", self._move_section)
        self.port.line(f"_move_section({section.opens}, _pc)")
        self.port.line("if _cur.pending: _turn()")

    def _move_section(self, opens: bool, pc: int) -> None:
        execution = self.port.execution
        task = execution.current.running
        if task.section == opens:
            execution.collector.report(rules.section.moved_twice(opens, self.entry.name), pc)
        task.section, task.moved_section = opens, (self.entry.name, pc)

    def _check_closed(self, pc: int) -> None:
        self.port.execution.collector.report(rules.section.inside(self.entry.name), pc)
        raise Squashed


def undefined_rest(port: PortSource, operand: Operand) -> None:
    """Of an output that gets values in part: the rest of every row becomes uninitialized, and the array is cut."""
    name, defined = operand.name, port.expression(operand.parameter.defined)
    port.line(f"_rest_{name} = {operand.view()}.undefine({defined}); _x_{name} = _x_{name}[..., :{defined}]")


def lost(target: Operand, source: Operand) -> str:
    """Expression: elements at the end of a source that an output of wider ones, which begins before it, overwrites.

    One after the other is read and written: element i is lost when those before it reach behind its beginning.
    """
    wider = target.element.size - source.element.size
    return f"(count_{source.name} - 1 - ({source.name} - {target.name}) // {wider})"
