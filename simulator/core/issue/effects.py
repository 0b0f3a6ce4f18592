"""The lines of a port that carry out its effect, one writer for each kind; and what they call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import numpy as np

from ....isa import Atomic, Barrier, Cache, Completion, Compute, Copy, Partial, Section, Wait
from ...findings import Squashed, rules
from ...log import ASYNC, ATOMIC, BLOCKING, RESULT, SERIAL
from ..memory import POISON, Allocation
from .check import Check
from .inputs import Inputs
from .operands import Lanes, Operand, Strided
from .sliced import slice_bytes
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
        port.bind("_settle", deferrals.settle)
        port.bind("_defer", deferrals.defer)

    @property
    def completion(self) -> Completion | None:
        """When the effect is complete, None where it is not one on memory."""
        effect = self.entry.effect
        return effect.completion if isinstance(effect, (Compute, Copy, Atomic)) else None

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

    def prepare(self) -> None:
        """What has to happen before memory may be used: earlier effects on the same pipe, or on all queues."""
        queues = self.port.execution.dialect.queues
        if self.completion is Completion.BLOCKING:
            self.port.line(f"if _cur.pending: _settle({self.port.pipe}, ({self._extents()}))")
        elif isinstance(self.entry.effect, Atomic):
            self.port.line(f"if _cur.pending: _drain(({self.port.pipe},))")
        elif self.completion is Completion.QUEUED:
            self.port.line(f"if _cur.pending and not _cur.running.section: _drain({queues!r})")
        elif isinstance(self.entry.effect, Section):
            self._section(self.entry.effect, queues)
        elif self.entry.waits:
            if queues:
                self.port.bind("_check_closed", self._check_closed)
                self.port.line("if _cur.running.section: _check_closed(_pc)")
            self.port.line(f"if _cur.pending: _drain({self.entry.waits!r})")

    def _extents(self) -> str:
        return "".join(f"{operand.extent()}, " for operand in self.operands)

    def write(self) -> None:
        """The effect itself, now or (deferred) when a wait asks for it."""
        effect = self.entry.effect
        if isinstance(effect, Barrier):
            self.port.bind("_meet", self.port.execution.barriers.meet)
            self.port.bind("_BARRIER", effect)
            self.port.line("_number = _meet(_BARRIER, _pc)")
        if isinstance(effect, (Wait, Barrier, Cache, Section)):
            return
        for operand in self.operands:
            if operand.parameter.clobbered:
                self._clobber(operand)
        if isinstance(effect, Copy):
            self._note_slices(self.by_name[self.entry.written[0].name])
        statements = list(self._statements())
        later = self.completion in (Completion.DEFERRED, Completion.QUEUED)
        with ExitStack() as around:
            if later:
                around.enter_context(self.port.block("def _later():"))
            for check in self.checks:
                around.enter_context(check.around_effect(self.port, self.operands))
            for statement in statements:
                self.port.line(statement)
        if not later:
            return
        defer = f"_defer({self.port.pipe}, _later, _pc, {self.entry.name!r}, ({self._extents()}))"
        in_order = self.port.execution.dialect.in_order
        if in_order and self.completion is Completion.DEFERRED:
            defer = f"_later() if {self.port.pipe} in {in_order!r} else {defer}"
        self.port.line(defer)

    def _statements(self) -> Iterator[str]:
        if isinstance(self.entry.effect, Copy):
            yield self._copy()
        elif isinstance(self.entry.semantics, np.ufunc):
            ufunc = self.port.bind("_ufunc", self.entry.semantics)
            yield self.written[0].apply(ufunc, self._inputs.of_ufunc())
        else:
            yield from self._body()
        if self.entry.overlap == "ascending":
            yield from self._overwritten(self.written[0])
        for operand in self.written:
            if operand.parameter.defined:
                yield f"_poison(_rest_{operand.name})"

    def _overwritten(self, target: Operand) -> Iterator[str]:
        """What comes of elements that an output of wider ones has overwritten before they were read is undefined."""
        for source in self.operands:
            if source.reads and source.element.size < target.element.size:
                self.port.bind("_lose", lose)
                place = f"_a_{target.name}, {target.end}, _x_{target.name}, {lost(target, source)}"
                yield f"if {target.name} < {source.name} < {target.end} > {source.end}: _lose({place})"

    def _note_slices(self, target: Operand) -> None:
        """Keep in mind behind which addresses rows lie that a copy has put into the slices of a memory."""
        select, slices = self.entry.select, slice_bytes(self.port)
        if select is None or slices.keys().isdisjoint(case.spaces[target.name] for case in select.cases.values()):
            return
        name = target.name
        self.port.bind("_sliced", self.port.execution.map.sliced)
        if isinstance(target, Strided):
            self.port.bind("_SLICES", slices)
            with self.port.block(f"if _a_{name}.space in _SLICES:"):
                by_slice = f"_SLICES[_a_{name}.space] in _strides_{name}[:-1]"
                self.port.line(f"(_sliced.add if {by_slice} else _sliced.discard)({name})")
        else:
            self.port.line(f"if _sliced: _sliced.discard({name})")

    def _copy(self) -> str:
        dst, src = (self.by_name[p.name] for p in (*self.entry.written, *self.entry.read))
        if isinstance(dst, Lanes):
            return dst.store(src.contents()) if dst.parameter.is_lanes else dst.store_in_order(src.contents())
        if not isinstance(dst, Strided):
            return f"_x_{dst.name}[...] = _x_{src.name}"
        self.port.bind("_copy_segments", copy_segments)
        return f"_copy_segments(_x_{dst.name}, _x_{src.name}, ({dst.apart_from(src)}) and {dst.unfolded()})"

    def _body(self) -> Iterator[str]:
        self.port.bind("_body", self.entry.semantics)
        assert self.entry.semantics is not None
        call = f"_body({self.call(self.entry.semantics)})"
        returns = self.entry.prototype.returns != "void"
        results = [f"_y{number}" for number in range(len(self.written))]
        if isinstance(self.entry.effect, Compute) and self.entry.effect.partial:
            out = self.written[0].name
            self.port.bind("_write_rows", write_rows)
            yield f"_part = {call}"
            yield f"_write_rows(_a_{out}, {out}, _x_{out}, _part)"
            self.port.bind("_doubt", self.port.execution.collector.doubtful_value)
            yield "if _part.doubt: _doubt(_part.doubt, _pc, _OVERLOAD.name)"
        elif len(results) + returns == 1:
            yield f"_result = {call}" if returns else self.written[0].store(call)
        else:
            yield f"{', '.join([*results, *(['_result'] if returns else [])])} = {call}"
            for operand, result in zip(self.written, results, strict=True):
                yield operand.store(result)

    def call(self, function: Callable[..., object]) -> str:
        """The arguments of a function that takes operands and values by name."""
        return self._inputs.of(function)

    def _clobber(self, operand: Operand) -> None:
        """A work operand: it may not be relied on afterwards."""
        if isinstance(operand, Lanes):
            operand.forget()
            return
        self.port.bind("_poison", poison)
        self.port.line(f"_a_{operand.name}.uninitialized.add({operand.low}, {operand.end}); _poison(_x_{operand.name})")

    def _section(self, section: Section, queues: tuple[str, ...]) -> None:
        self.port.bind("_move_section", self._move_section)
        self.port.line(f"_move_section({section.opens}, _pc)")
        self.port.line(f"if _cur.pending: _drain({queues!r})")

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
    p, name = operand.parameter, operand.name
    size, defined = operand.element.size, port.expression(p.defined)
    row = f"({port.expression(p.dims[-1].count)}) * {size}"
    rows = " * ".join(f"({port.expression(d.count)})" for d in p.dims[:-1]) or "1"
    port.bind("_poison", poison)
    port.bind("_forget", forget)
    with port.block(f"for _first in _range({name}, {name} + ({rows}) * {row}, max({row}, 1)):"):
        port.line(f"_forget(_a_{name}, _first + ({defined}) * {size}, _first + {row})")
    port.line(f"_rest_{name} = _x_{name}[..., {defined}:]; _x_{name} = _x_{name}[..., :{defined}]")


def forget(entry: Allocation, start: int, end: int) -> None:
    """Nobody may rely on the bytes of [start, end) any more."""
    if end > start:
        entry.uninitialized.add(start, end)


def lost(target: Operand, source: Operand) -> str:
    """Expression: elements at the end of a source that an output of wider ones, which begins before it, overwrites.

    One after the other is read and written: element i is lost when those before it reach behind its beginning.
    """
    wider = target.element.size - source.element.size
    return f"(count_{source.name} - 1 - ({source.name} - {target.name}) // {wider})"


def lose(entry: Allocation, end: int, target: np.ndarray, count: int) -> None:
    """Make the last elements of an output, which ends at ``end``, undefined."""
    if count > 0:
        entry.uninitialized.add(end - count * target.itemsize, end)
        poison(target[-count:])


def poison(rest: np.ndarray) -> None:
    """Overwrite what an instruction leaves undefined, so that a result that rests on it is wrong."""
    if rest.size:
        rest.view(np.uint8)[...] = POISON


def write_rows(entry: Allocation, address: int, target: np.ndarray, result: Partial) -> None:
    """Write the rows of an output that an instruction produced; only they become initialized."""
    target[result.rows] = result.values[result.rows]
    if entry.uninitialized.hi:
        size = target.strides[0]
        ends = np.flatnonzero(np.diff(np.concatenate(([0], result.rows.view(np.int8), [0]))))
        for first, last in ends.reshape(-1, 2).tolist():
            entry.uninitialized.remove(address + first * size, address + last * size)


def copy_segments(target: np.ndarray, source: np.ndarray, apart: bool) -> None:
    """Copy a segment (the last axis of both) after the other (inferred), at once where the order makes no difference.

    ``apart``: neither source and target nor segments of the target have a byte in common.
    """
    if apart:
        target[...] = source if source.shape == target.shape else source.reshape(target.shape)
        return
    places = (itertools.product(*map(range, array.shape[:-1])) for array in (target, source))
    for to, from_ in zip(*places, strict=True):
        target[to] = source[from_]
