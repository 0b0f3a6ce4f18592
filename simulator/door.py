"""The door: the one way by which an instruction reaches simulated memory and the log.

For every overload in use a Python function is generated from the declaration, as `dataclasses` does for
``__init__``: it computes what each operand spans, tests the guards, finds the memory, runs the semantics
and appends the record. What does not apply to an instruction on an architecture is not in its function.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..isa import Case, Overload, Parameter, Partial, ValueOutOfRange
from .guards import CHECKS, Guard, low_of
from .ledger import Skip
from .log import BLOCKING, Op, Region
from .recorder import PACK, ROW
from .tasks import MEMBER, MEMORY

if TYPE_CHECKING:
    from .machine import Machine

Door = Callable[..., int]


def issue(machine: Machine, overload: Overload) -> Door:
    """The function that executes an overload: ``door(pc, *arguments) -> int``; pointers are addresses."""
    return _Writer(machine, overload).door()


def dispatch(machine: Machine, overload: Overload) -> Door:
    """The door of an instruction whose element type is the value of an argument."""
    entry = overload.instruction
    at = [p.name for p in entry.prototype.parameters].index(entry.type_argument)
    doors = {value: issue(machine, Overload(entry, {"T": kind})) for value, kind in entry.type_values.items()}

    def door(pc: int, *arguments: Any) -> int:
        chosen = doors.get(arguments[at])
        if chosen is not None:
            return chosen(pc, *arguments)
        names = {value: name for name, value in machine.dialect.constants.items()}
        given = names.get(arguments[at], arguments[at])
        limit = ", ".join(str(names.get(value, value)) for value in doors)
        with contextlib.suppress(Skip):
            machine.ledger.broken(
                Guard(
                    "",
                    "dtype",
                    f"{entry.type_argument} is {given}",
                    limit=f"one of {limit}",
                    suggestion=f"pass one of {limit}",
                ),
                pc,
                overload,
                None,
            )
        return 0

    return door


class _Writer:
    """Writes the source of one door."""

    def __init__(self, machine: Machine, overload: Overload) -> None:
        self.machine, self.overload, self.entry = machine, overload, overload.instruction
        self.memory = self.entry.prototype.memory
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "machine": machine, "cur": machine.current, "rec": machine.recorder, "Skip": Skip, "fail": self._fail,
            "find": machine.map.find, "touch": machine.map.touch, "undefine": machine.map.undefine,
            "spoil": machine.map.spoil, "partial": machine.map.partial,
            "write_strided": machine.map.define_strided, "read_strided": machine.map.read_strided,
            "drain": machine.deferrals.drain, "defer": machine.deferrals.defer, "order": machine.deferrals.order,
            "coherent_read": machine.coherence.read, "coherent_write": machine.coherence.write,
            "ValueOutOfRange": ValueOutOfRange, "Partial": Partial, "pack": PACK[len(self.memory)], "prod": np.prod,
            "ordered_copy": _ordered_copy, "assign": _assign,
        }  # fmt: skip
        self.guards: list[Guard] = []

    def door(self) -> Door:
        """Generate, compile and return the function."""
        parameters = ", ".join(["pc", *(p.name for p in self.overload.parameters)])
        self._line(f"def door({parameters}):")
        self._line(" try:")
        self._spans()
        self._select()
        self._guard()
        self._find()
        self._effect()
        self._record()
        self._line("  return 0")
        self._line(" except Skip: return 0")
        self._line(" except ValueOutOfRange as error: return machine.ledger.bad_value(error, pc, OVERLOAD)")
        self._line(" except BaseException as error: return machine.ledger.crash(error)")
        self.names["OVERLOAD"] = self.overload
        code = compile("\n".join(self.lines), f"<door of {self.overload.name}>", "exec")
        exec(code, self.names)
        door: Door = self.names["door"]
        return door

    def _line(self, text: str) -> None:
        self.lines.append(text)

    def _in(self, text: str) -> None:
        self.lines.append("  " + text)

    def _spans(self) -> None:
        """Counts, shapes, strides and bytes of every memory operand."""
        for p in self.memory:
            size = self.overload.element(p).size
            self._in(f"sizeof_{p.name} = {size}")
            if len(p.dims) == 1:
                self._in(f"n_{p.name} = {p.dims[0].count}; b_{p.name} = n_{p.name} * {size}")
                self._in(f"z_{p.name} = {p.name} + b_{p.name}")
                continue
            strides: list[str] = []
            packed = str(size)
            for dim in reversed(p.dims):
                strides.insert(0, dim.stride or packed)
                packed = f"({dim.count}) * {packed}"
            self._in(f"shape_{p.name} = ({', '.join(d.count for d in p.dims)},)")
            self._in(f"strides_{p.name} = ({', '.join(strides)},)")
            self._in(f"n_{p.name} = int(prod(shape_{p.name})); b_{p.name} = 0; low_{p.name} = {p.name}")
            self._in(f"for count, stride in zip(shape_{p.name}, strides_{p.name}):")
            self._in(f" if stride < 0: low_{p.name} += (count - 1) * stride")
            self._in(f" b_{p.name} += (count - 1) * abs(stride)")
            self._in(f"b_{p.name} += {size}; z_{p.name} = low_{p.name} + b_{p.name}")

    def _select(self) -> None:
        """Which case of the selecting argument holds, and whether this kind of core executes it."""
        private = {p.space or self.entry.space for p in self.memory} & self.machine.private_spaces
        if self.entry.select is None:
            if private:
                self._in(f"if cur.kind == {MEMORY}: return 0")
            self.names["CASE"] = self._case(self.entry.pipe, None)
            self._in("OP, PIPE = CASE")
            return
        select = self.entry.select
        self.names["CASES"] = {
            value: (*self._case(case.pipe, case), case.spaces, self._skipped_kind(case), case.pipe)
            for value, case in select.cases.items()
            if set(case.spaces.values()) <= set(self.machine.map.memories)
        }
        labels = ", ".join(case.label for case in select.cases.values())
        self._in(f"case = CASES.get({select.argument})")
        bad = Guard("", "argument", f"{select.argument} is {{{select.argument}}}", limit=f"one of {labels}", fatal=True)
        self._in(f"if case is None: fail({self._add(bad)}, pc, locals())")
        self._in("OP, PIPE, spaces, skipped, pipe = case")
        self._in("if cur.kind and cur.kind == skipped: return 0")

    def _skipped_kind(self, case: Case) -> int:
        """The kind of core that ignores a case; 0 = none."""
        if set(case.spaces.values()) & self.machine.private_spaces:
            return MEMORY
        return MEMBER if case.by_memory_core else 0

    def _case(self, pipe: str, case: Case | None) -> tuple[int, int]:
        recorder, entry = self.machine.recorder, self.entry
        op = Op(
            entry.name,
            case.label if case else self.overload.dtypes,
            tuple(p.name for p in self.memory),
            tuple(p.writes for p in self.memory),
            entry.engine or pipe,
            entry.waits,
            entry.barrier,
            self.overload.provenance,
        )
        return recorder.op(op), recorder.pipe(pipe)

    def _guard(self) -> None:
        for check in CHECKS:
            for guard in check(self.overload, self.machine.shape.arch):
                self._in(f"if not ({guard.expression}): fail({self._add(guard)}, pc, locals())")

    def _add(self, guard: Guard) -> int:
        self.guards.append(guard)
        return len(self.guards) - 1

    def _fail(self, number: int, pc: int, values: dict[str, Any]) -> None:
        guard, locate = self.guards[number], self.machine.map.region
        regions = {p.name: locate(values[p.name], values.get(f"b_{p.name}", 0)) for p in self.memory}
        where = {f"at_{name}": self._place(values[name], region) for name, region in regions.items()}
        shown = replace(guard, message=guard.message.format_map({**values, **where}))
        self.machine.ledger.broken(shown, pc, self.overload, regions.get(guard.operand))
        if guard.fatal:
            raise Skip

    def _place(self, address: int, region: Region | None) -> str:
        """An address as text: on-chip by its offset, which is the same in every run; others as the user passed them."""
        if region is None or self.machine.map.memories[region.space].space.scope == "device":
            return hex(address)
        return region.begin

    def _find(self) -> None:
        """The memory behind every operand, cached from call to call; a typed array of what it spans."""
        if self.memory:
            self._in("found = cur.found")
        for p in self.memory:
            name, element = p.name, self.overload.element(p)
            self.names[f"t_{name}"], self.names[f"P_{name}"] = element.dtype, p
            strided = len(p.dims) > 1
            low = low_of(p)
            space = f"spaces[{name!r}]" if self.entry.select else repr(p.space or self.entry.space)
            place, parts = self.machine.map.cache.new(), f"s_{name}, e_{name}, v_{name}, k_{name}, u_{name}, a_{name}"
            self._in(f"{parts} = found[{place}]")
            wrong = f" or a_{name}.space != {space}" if self.entry.select else ""
            span = "1" if self.entry.cache else f"b_{name}"  # a cache works in lines, which may reach past an array
            nothing = "" if self.entry.cache else f" or not b_{name}"  # must not depend on what was found before
            end = f"{low} + 1" if self.entry.cache else f"z_{name}"
            self._in(f"if {low} < s_{name} or {end} > e_{name}{wrong}{nothing}:")
            self._in(f" {parts} = find(pc, OVERLOAD, P_{name}, {low}, {span}, {space}, t_{name}, {place})")
            self._in(f"o_{name} = {low} - s_{name}")
            if strided:
                self._in(f"x_{name} = a_{name}.strided({name}, t_{name}, shape_{name}, strides_{name})")
            elif element.size == 1:
                self._in(f"x_{name} = v_{name}[o_{name}:o_{name} + n_{name}]")
            else:
                shift = element.size.bit_length() - 1
                self._in(f"if o_{name} & {element.size - 1}:")
                self._in(f" x_{name} = a_{name}.strided({name}, t_{name}, (n_{name},), ({element.size},))")
                self._in(f"else: i_{name} = o_{name} >> {shift}; x_{name} = v_{name}[i_{name}:i_{name} + n_{name}]")
        for p in self.memory:
            name, low = p.name, low_of(p)
            if p.reads and not self.entry.cache:
                self._in(f"if {low} < u_{name}.hi and z_{name} > u_{name}.lo:")
                if len(p.dims) > 1:
                    self._in(f" read_strided(pc, OVERLOAD, P_{name}, a_{name}, {name}, shape_{name}, strides_{name})")
                else:
                    self._in(f" touch(pc, OVERLOAD, P_{name}, a_{name}, {name}, b_{name})")
        for p in self.memory:
            name = p.name
            if p.writes and not self._partial:
                self._in(f"if {low_of(p)} < u_{name}.hi and z_{name} > u_{name}.lo:")
                if len(p.dims) > 1:
                    self._in(f" write_strided(a_{name}, {name}, shape_{name}, strides_{name})")
                else:
                    self._in(f" u_{name}.remove({name}, z_{name})")
            if p.writes and p.defined:
                row = f"({p.dims[-1].count}) * sizeof_{name}"
                rows = " * ".join(f"({d.count})" for d in p.dims[:-1]) or "1"
                self._in(f"for first in range({name}, {name} + ({rows}) * {row}, max({row}, 1)):")
                self._in(f" undefine(a_{name}, first + ({p.defined}) * sizeof_{name}, first + {row})")
                self._in(f"rest_{name} = x_{name}[..., {p.defined}:]; x_{name} = x_{name}[..., :{p.defined}]")

    def _effect(self) -> None:
        """The semantics, now or (for deferred instructions) when a wait asks for it."""
        entry = self.entry
        self._coherence()
        if not entry.waits and (entry.deferred or entry.blocking) and entry.engine != "scalar":
            pipe = "pipe" if entry.select else repr(entry.pipe)
            if not entry.deferred:
                self._in(f"if cur.pending: drain(({pipe},))")
        elif entry.waits:
            self.names["WAITS"] = entry.waits
            self._in("if cur.pending: drain(WAITS)")
        if self.memory and not entry.cache:
            pipe = "pipe" if entry.select else repr(entry.pipe)
            self._in(f"if cur.pending: order(pc, OVERLOAD, {pipe}, {entry.blocking}, {self._touched()})")
        out = [p.name for p in self.memory if p.writes]
        if entry.ordered:
            dst, src = (low_of(p) for p in self.memory)
            call = f"ordered_copy(x_dst, x_src, not (z_dst <= {src} or z_src <= {dst}))"
        elif entry.ufunc is not None:
            self.names["ufunc"] = entry.ufunc
            call = f"ufunc({', '.join([*self._inputs(), 'x_' + out[0]])})"
        elif entry.body is not None:
            self.names["body"] = entry.body
            call = f"x_{out[0]}[...] = body({', '.join(self._body_arguments())})"
            if self._partial:
                call = f"partial(a_{out[0]}, {out[0]}, x_{out[0]}, body({', '.join(self._body_arguments())}))"
            if len(out) > 1:
                call = f"assign(({', '.join('x_' + o for o in out)}), body({', '.join(self._body_arguments())}))"
        elif entry.barrier:
            self.names["SCOPE"] = entry.barrier
            self._in("meeting = machine.meet(SCOPE, pc)")
            return
        else:
            return
        call += "".join(f"; spoil(rest_{p.name})" for p in self.memory if p.defined)
        if entry.deferred:
            pipe = "pipe" if entry.select else repr(entry.pipe)
            arrays = ", ".join(f"x_{p.name}=x_{p.name}" for p in self.memory)
            self._in(f"def later({arrays}{self._captured()}): {call}")
            self._in(f"defer({pipe}, later, pc, OVERLOAD, {self._touched()})")
        else:
            self._in(call)

    @property
    def _partial(self) -> bool:
        """Whether the body says itself which elements it writes."""
        return self.entry.partial

    def _touched(self) -> str:
        """Source of a tuple of (start, end, written) for every operand."""
        return f"({', '.join(f'({low_of(p)}, z_{p.name}, {p.writes})' for p in self.memory)},)"

    def _coherence(self) -> None:
        """Engines do not see the scalar unit's cache, nor it their writes."""
        space = self.machine.dialect.cached_space
        for p in self.memory:
            if space and (p.space or self.entry.space) == space:
                if self.entry.cache:
                    self._in(f"machine.coherence.{self.entry.cache}({p.name}, {p.name} + b_{p.name})")
                elif p.writes:
                    self._in(f"coherent_write({p.name}, {p.name} + b_{p.name})")
                else:
                    self._in(f"coherent_read(pc, OVERLOAD, P_{p.name}, {p.name}, {p.name} + b_{p.name})")

    def _captured(self) -> str:
        scalars = [p.name for p in self.overload.parameters if not p.is_memory]
        if self._partial:
            scalars += [f"a_{p.name}" for p in self.memory]
        spans = [f"{k}_{p.name}" for p in self.memory for k in ("z", "low") if k == "z" or len(p.dims) > 1]
        pointers = [p.name for p in self.memory] + [f"rest_{p.name}" for p in self.memory if p.defined]
        return "".join(f", {n}={n}" for n in [*scalars, *pointers, *spans])

    def _inputs(self) -> Iterable[str]:
        for p in self.overload.parameters:
            if p.reads:
                yield f"x_{p.name}"
            elif not p.is_memory and p.type in self.overload.binding:
                yield self._scalar(p)

    def _scalar(self, p: Parameter) -> str:
        """A scalar argument as the element type's own scalar where NumPy does not take a Python number."""
        dtype = self.overload.element(p).dtype
        if dtype.kind != "V" and dtype.name != "bfloat16":
            return p.name
        self.names[f"S_{p.name}"] = dtype.type
        return f"S_{p.name}({p.name})"

    def _body_arguments(self) -> Iterable[str]:
        memory = {p.name for p in self.memory}
        for name in inspect.signature(self.entry.body).parameters:  # type: ignore[arg-type]
            if name in memory:
                yield f"x_{name}"
            else:
                yield f"n_{name[6:]}" if name.startswith("count_") and name[6:] in memory else name

    def _record(self) -> None:
        if self.entry.barrier:
            work = "meeting"
        elif self.entry.work:
            work = self.entry.work
        else:
            out = next((p.name for p in self.memory if p.writes), None)
            work = f"b_{out}" if out else "0"
        flags = BLOCKING if self.entry.blocking else 0
        operands = "".join(f", k_{p.name} + o_{p.name}, b_{p.name}" for p in self.memory)
        if self.entry.cache:
            work = "0"
        self._in("at = rec.at")
        self._in("if at == rec.limit: rec.grow()")
        self._in(f"pack(rec.buffer, at, OP, PIPE, {flags}, cur.core, cur.task, 0, pc, {work}{operands})")
        self._in(f"rec.at = at + {ROW}")


def _assign(targets: tuple[np.ndarray, ...], values: tuple[Any, ...]) -> None:
    """Write the results of an instruction with several outputs."""
    for target, value in zip(targets, values, strict=True):
        target[...] = value


def _ordered_copy(target: np.ndarray, source: np.ndarray, near: bool) -> None:
    """Copy segment by segment where the two may overlap, as the hardware does (inferred); at once elsewhere."""
    if source.shape != target.shape and source.ndim > 1:
        source = source.reshape(target.shape)
    if not near or target.ndim == 1:
        target[...] = source
        return
    for index in itertools.product(*(range(count) for count in target.shape[:-1])):
        target[index] = source[index]
