"""Executes calls of the table's rows in the simulator, as a kernel would make them, and tells what they did."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

import numpy as np
from mlusim.isa import DIALECTS, Instruction
from mlusim.simulator import Device, Finding, Log, launch

from tests.isa.facts.call import ORIGIN, Call
from tests.isa.facts.fact import REGISTER, Form, Operand, exists, value_of

#: The rule of a read of uninitialized bytes; probes of other rules do not look at it.
UNINITIALIZED = "uninitialized"
#: Rules that say something of memory beyond one instruction, or of a name.
_OTHERS = (UNINITIALIZED, "meaning", "unread", "unused", "unwritten")
#: The name under which the log knows a load by the core's own scalar unit.
SCALAR_LOAD = "scalar.load"
#: What outputs hold before a call; inputs hold zeros, which are legal values of every input, or what changes a sum.
STALE, ZERO, ADDEND = 0x5A, 0, 0x3C
#: An address that belongs to no memory.
NOWHERE = 64
#: The chips that have a device file, by dialect; other architectures borrow the file of the next older one.
CHIPS = {
    "bang": {0: "mlu270", 372: "mlu370-x4", 592: "mlu590"},
    "tpu": {0: "bm1684x", 1688: "bm1688", 1690: "bm1690"},
}
#: Architectures that exist (bang_isa.md, sizes; tpu_isa.md (a)).
ARCHS = {"bang": (220, 270, 290, 322, 372, 392, 520, 592, 613), "tpu": (1684, 1688, 1690)}
#: The architectures of the device files, the newest first.
MAIN = {"bang": (592, 372, 270), "tpu": (1690, 1688, 1684)}
_DRAIN = {"bang": "__sync", "tpu": "tpu_poll"}
OFF_CHIP = ("gdram", "global", "system")
#: The source in which each call of a launch stands on a line of its own, so that findings say which one they are of.
CALLS = "<calls>"
#: Spaces of which a core has all and declares nothing in it.
_WHOLE = ("local", "static", "l2")

#: A call, and lists of rules and operands: its findings are one of them.
Expected = tuple[Call, Sequence[list[tuple[str, str]]]]
#: Something that a kernel does beside the call, with its context and an array off the chip.
Step = Callable[[Any, Any], None]


def dialect_of(form: Form) -> str:
    """The dialect that a row belongs to."""
    return "tpu" if form.fact.name.startswith("tpu_") else "bang"


@cache
def device(dialect: str, arch: int) -> Device:
    """A device of an architecture, made once."""
    chips = CHIPS[dialect]
    found = Device.load(chips[max(number for number in chips if number <= arch)])
    return found if found.shape.arch == arch else found.replace({"shape.arch": arch})


@cache
def alone(dialect: str, arch: int) -> Device:
    """The same for one instruction, which has none to be in order with."""
    return device(dialect, arch).checked("fast")


@cache
def _arrays(on: Device, size: int) -> list[Any]:
    """Off-chip memory, enough for every operand of a call in each space."""
    return [on.array(np.zeros(size, np.uint8)) for _ in range(9)]


def newest(form: Form) -> int:
    """The newest architecture of a device file that has a form; else the newest that exists."""
    dialect = dialect_of(form)
    return next(arch for arch in (*MAIN[dialect], *reversed(ARCHS[dialect])) if form.exists_on(arch))


def declared(form: Form) -> list[Instruction]:
    """The declarations of a row: those of its name and parameters."""
    return [
        entry
        for entry in DIALECTS[dialect_of(form)].named(form.fact.name)
        if tuple(parameter.name for parameter in entry.prototype.parameters) == form.fact.names
        and entry.prototype.returns == form.fact.returns
    ]


def declaration(form: Form) -> int:
    """The number, among those of its row, of the declaration that has the types of a form; -1 where none has."""
    types = {operand.name: form.type_of(operand) for operand in form.fact.operands if operand.type != "any"}
    for number, entry in enumerate(declared(form)):
        parameters = [parameter for parameter in entry.prototype.memory if parameter.name in types]
        for overload in entry.overloads():
            if all(overload.element(parameter).name == types[parameter.name] for parameter in parameters):
                return number
    return -1


@dataclass(frozen=True)
class Row:
    """What the log says of one execution; ``regions`` is (space, offset, bytes, first lane, lanes) by operand."""

    op: Any
    pipe: str
    core: int
    work: int
    waited: bool  # the core went on when it was done
    serial: bool  # it began when the queues were empty
    late: bool  # its effect is complete after a wait
    regions: Mapping[str, tuple[str, int, int, int, int]]


@dataclass
class Outcome:
    """What the calls of a launch did. Addresses and bytes of a tensor across lanes are those of its first lane."""

    findings: list[Finding]
    rows: list[Row]
    addresses: list[dict[str, int]]
    contents: list[dict[str, tuple[int, bytes]]]  # address and bytes of each operand's memory: as issued, after a wait
    results: list[Any]

    def broken(self) -> list[tuple[str, str]]:
        """Rule and operand of every finding but uninitialized reads, and bytes that one call leaves out."""
        return _broken(self.findings)

    def uninitialized(self, instruction: str) -> set[str]:
        """The operands that an instruction read uninitialized."""
        found = self.findings
        return {f.operand for f in found if f.rule == UNINITIALIZED and f.instruction == instruction}


def _broken(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    return [(finding.rule, finding.operand) for finding in findings if finding.rule not in _OTHERS]


def content(form: Form, operand: Operand) -> int:
    """What every byte of an operand's memory is before a call."""
    updates = any(o.direction == "inout" for o in form.fact.operands)
    usual = STALE if not operand.reads else ADDEND if updates and not operand.writes else ZERO
    return form.fact.holds.get(operand.name, usual)


class _Memory:
    """The memory of the operands of one form, as a kernel on one core takes it."""

    def __init__(
        self, context: Any, arrays: Sequence[Any], form: Form, fresh: Collection[str], look: bool, several: bool
    ) -> None:
        self._context, self._form, self._fresh, self._look = context, form, fresh, look
        self._several, self._all_written = several, False
        self.anchor, self._off_chip = arrays[0], list(arrays)
        self.kept: dict[str, tuple[int, int]] = {}  # address and bytes of every operand's memory
        self._taken: dict[tuple[str, str], Any] = {}

    def place(self, call: Call, operand: Operand) -> tuple[Any, int]:
        """What the call passes for an operand, and its address."""
        space = call.space(operand)
        if space == "local" and operand.is_local:
            address = call.address(operand)
            real = self._start(space) + address
            if operand.reads and operand.name not in self._fresh:
                self._write_lanes(address, call.span(operand)[1])
            if self._look:
                kept = self.kept[operand.name] = real - ORIGIN // 2, call.span(operand)[1] + ORIGIN
                ctypes.memset(kept[0], self._content(operand), kept[1])
            return address, real
        owner = next(o for o in self._form.fact.operands if o.name == call.buffers.get(operand.name, operand.name))
        memory, size = self._take(owner, space)
        offset = call.offsets.get(operand.name, 0)
        if space != "vreg":
            distance = call.before_end.get(operand.name)
            middle = -memory.address % ORIGIN + size // 4
            offset = size - distance if distance is not None else middle + offset
        if space == "nowhere":
            offset = NOWHERE
        kind = call.form.type_of(operand)
        found = (memory + offset).cast("uint8" if kind == "any" else kind)
        return (found.address if operand.is_local else found), found.address

    def byte(self, address: int) -> Any:
        """What the core's scalar unit loads a byte from."""
        return self.anchor + (address - self.anchor.address)

    def _content(self, operand: Operand) -> int:
        return content(self._form, operand)

    def _write_lanes(self, address: int, length: int) -> None:
        """Let the bytes of a tensor, as if in the first lane, be written in all of them."""
        lanes, start = self._context._machine.map.lanes, self._start("local")
        held = self._context._machine.map.memories["local"].find(start)
        if self._several:  # of one call alone it is asked what it reads uninitialized
            if not self._all_written:
                held.uninitialized.remove(start, start + lanes.count * lanes.size)
            self._all_written = True
            return
        for lane in range(lanes.count):
            place = start + lane * lanes.size + address % lanes.size
            held.uninitialized.remove(place, place + length)

    def _start(self, space: str) -> int:
        memory = self._context._machine.map.memories[space]
        found: int = next(memory.allocations(0)).start
        return found

    def _take(self, operand: Operand, space: str) -> tuple[Any, int]:
        size = REGISTER * 4 if space == "vreg" else self._form.fact.room
        if (operand.name, space) not in self._taken:
            if space in OFF_CHIP:
                made = self._off_chip.pop()
            elif space in (*_WHOLE, "nowhere"):
                made = self.anchor + ((space in _WHOLE and self._start(space)) - self.anchor.address)
            else:
                made = getattr(self._context, space)("uint8", size)
            if space == "nram" and operand.reads and operand.name not in self._fresh:
                getattr(self._context, "__memset_nram")(made, size, 0)
                getattr(self._context, "__sync_compute")()
            elif space in ("wram", "sram", "ldram", "vreg") and operand.reads and operand.name not in self._fresh:
                held = self._context._machine.map.memories[space].find(made.address)
                held.uninitialized.remove(made.address, made.address + size)
            if space not in ("static", "nowhere"):
                ctypes.memset(made.address, self._content(operand), size)
            self._taken[operand.name, space] = made
            self.kept[operand.name] = made.address, size
        return self._taken[operand.name, space], size


def run(
    *calls: Call, look: bool = False, fresh: Collection[str] = (), load: Sequence[tuple[str, int]] = (),
    union: bool = False, wait: bool = True, first: Step | None = None, last: Step | None = None,
    on: Device | None = None, apart: bool = False,
) -> Outcome:  # fmt: skip
    """Execute calls of one form in one launch on one core.

    ``look`` keeps the contents of memory, before and after a wait, ``fresh`` names inputs to leave uninitialized,
    ``load`` (operand, byte) makes the core load bytes of operands at the end, after a wait unless ``wait`` is
    false, and ``union`` runs on a cluster and its memory core. ``first`` and ``last`` are done before and after a call.
    ``on`` is another device than that of the architecture. With ``apart`` each call is on a line of `CALLS`.
    """
    form, arch, dialect = calls[0].form, calls[0].arch, dialect_of(calls[0].form)
    fact, on = form.fact, on or (device if first or last or load else alone)(dialect, arch)
    outcome = Outcome([], [], [], [], [])

    def kernel(context: Any, *arrays: Any) -> None:
        memory = _Memory(context, arrays, form, fresh, look, len(calls) > 1)
        call_it, drain = getattr(context, fact.asm or fact.name), getattr(context, _DRAIN[dialect])
        for number, call in enumerate(calls):
            if fact.before:
                getattr(context, fact.before)()
            placed = {operand.name: memory.place(call, operand) for operand in fact.operands}
            outcome.addresses.append({name: address for name, (_, address) in placed.items()})
            passed = {name: argument for name, (argument, _) in placed.items()}
            values = plain_values(context, call)
            if first:
                first(context, memory.anchor)
            given = [{**values, **passed}[argument] for argument in fact.names]
            line = _line(number if apart else 0)
            outcome.results.append(eval(line, {"call": call_it, "given": given}))
            if last:
                last(context, memory.anchor)
            if look:
                outcome.contents.append(_contents(memory.kept))
                drain()
                outcome.contents.append(_contents(memory.kept))
            if fact.after:
                getattr(context, fact.after)()
            if fact.effect == "deferred" or (fact.effect == "queued" and load and wait):
                drain()
            for place, (name, byte) in enumerate(load):
                eval(_line(place, "byte[0]"), {"byte": memory.byte(outcome.addresses[-1][name] + byte)})

    dim, kind = ((4, 1, 1), "union1") if union else ((1, 1, 1), None)
    off_chip = {(o.name, call.space(o)) for call in calls for o in fact.operands if call.space(o) in OFF_CHIP}
    arrays = _arrays(on, fact.room)[: len(off_chip) + 1]
    made = launch(kernel, dim, kind, arrays, device=on, on_finding="collect")
    names = (fact.name, SCALAR_LOAD) if load else (fact.name,)
    # That there is no wait for the instruction before its task ends is the probe's doing.
    outcome.findings = [f for f in made.findings if f.instruction in names and f.rule != "unwaited"]
    outcome.rows = rows(made.log, fact.name)
    return outcome


@cache
def _line(number: int, text: str = "call(*given)") -> CodeType:
    return compile("\n" * number + text, CALLS, "eval")


def expect(wanted: Sequence[Expected], besides: str = "") -> list[list[Finding]]:
    """Make calls that break what is wanted of each, and nothing else but the rule ``besides``; the findings of each.

    All are made in one launch. What does not come out as wanted there is made alone, since another call may have got
    in its way.
    """

    def is_wanted(findings: list[Finding], accepted: Sequence[list[tuple[str, str]]]) -> bool:
        return [entry for entry in _broken(findings) if entry[0] != besides] in accepted

    together = run(*(call for call, _ in wanted), apart=True).findings if wanted else []
    found = []
    for number, (call, accepted) in enumerate(wanted, 1):
        own = [f for f in together if f.location.file != CALLS or f.location.line == number]
        if not is_wanted(own, accepted):
            own = run(call).findings
            assert is_wanted(own, accepted), f"{call}: {_broken(own)}"
        found.append(own)
    return found


def _contents(kept: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, bytes]]:
    return {name: (address, ctypes.string_at(address, size)) for name, (address, size) in kept.items()}


def valueless(call: Call, operand: Operand, bytes_: Collection[int], fresh: Collection[str] = ()) -> set[int]:
    """The bytes of an operand at which a load finds no value after a call, where inputs are left uninitialized."""
    # Of memory behind a cache only the first load says so.
    groups = [[byte] for byte in bytes_] if call.space(operand) in OFF_CHIP else [list(bytes_)]
    found = set()
    for group in groups:
        outcome = run(call, fresh=fresh, load=[(operand.name, byte) for byte in group])
        loads = [f for f in outcome.findings if f.rule == UNINITIALIZED and f.instruction == SCALAR_LOAD]
        found |= {group[f.location.line - 1] for f in loads}
    return found


def rows(log: Log, name: str) -> list[Row]:
    """The records of an instruction."""
    found = []
    for index, record in enumerate(log.records):
        op = log.ops[record["op"]]
        if op.name == name:
            regions = {key: (at.space, at.offset, at.bytes, at.lane, at.lanes) for key, _, at in log.regions(index)}
            pipe, core, work, flags = (int(record[key]) for key in ("pipe", "core", "work", "flags"))
            found.append(
                Row(op, log.pipes[pipe], core, work, bool(flags & 1), bool(flags & 2), bool(flags & 8), regions)
            )
    return found


def in_force(limit: Any, arch: int) -> bool:
    """Whether a limit holds on an architecture."""
    return exists(limit.on, arch)


def work_of(call: Call) -> int:
    """The work that the row promises for a call."""
    return int(value_of(call.form.fact.work, call.names))


def verdict(calls: Sequence[Call]) -> str:
    """Which of several calls that should be silent are not, found one by one."""
    return "; ".join(f"{call}: {found}" for call in calls if (found := run(call).broken()))


def plain_values(context: Any, call: Call) -> dict[str, Any]:
    """The values of a call, with enumerators as the numbers that they are."""
    return {key: getattr(context, value) if isinstance(value, str) else value for key, value in call.values.items()}
