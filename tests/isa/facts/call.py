"""Calls made from the rows of the table: the values of their arguments, and where their operands lie."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tests.isa.facts.fact import NULLABLE, SIZES, TYPICAL, Form, Operand, value_of
from tests.isa.facts.tensor import CHIPS, Chip, lane_bytes_of, lane_span

#: Operands begin at multiples of it unless they are moved, and so many bytes at least lie between two tensors.
ORIGIN = 256


@dataclass(frozen=True)
class Call:
    """One call: values by name, and where operands lie.

    Every operand has memory of its own, ``room`` bytes, and begins at a quarter of them; a tensor across lanes lies in
    lane 0, the first operand last.
    """

    form: Form
    arch: int
    values: Mapping[str, Any]
    offsets: Mapping[str, int] = field(default_factory=dict)  # from where it lies by default
    before_end: Mapping[str, int] = field(default_factory=dict)  # bytes before the end of its memory, instead
    buffers: Mapping[str, str] = field(default_factory=dict)  # operand -> the operand in whose memory it lies
    spaces: Mapping[str, str] = field(default_factory=dict)  # operand -> a space that is not the row's

    def having(self, **changes: Any) -> Call:
        """The same call with arguments, or fields of them, changed, and operands moved."""
        values, offsets = dict(self.values), dict(self.offsets)
        for name, given in changes.items():
            struct, _, part = name.partition(".")
            if part:
                values[struct] = values[struct] and values[struct]._replace(**{part: given})
            elif name in values:
                values[name] = given
            else:
                offsets[name] = value_of(given, self._constants)
        return replace(self, values=values, offsets=offsets)

    def at(self, operand: str, offset: int, of: str = "") -> Call:
        """The same call with an operand moved, or laid into the memory of another."""
        buffers = {**self.buffers, operand: of} if of else self.buffers
        return replace(self, offsets={**self.offsets, operand: offset}, buffers=buffers)

    @property
    def chip(self) -> Chip | None:
        """The lanes of the architecture; None where the row has nothing to do with lanes."""
        return CHIPS[max(arch for arch in CHIPS if arch <= self.arch)] if self._locals else None

    @cached_property
    def _locals(self) -> list[Operand]:
        return [operand for operand in self.form.fact.operands if operand.is_local]

    @cached_property
    def _constants(self) -> dict[str, Any]:
        kinds = self.form.binding.types
        found = {**self.values, "arch": self.arch, "sizeof": SIZES[next(iter(kinds.values()))] if kinds else 0}
        found |= {f"sizeof_{operand.name}": self.size_of(operand) for operand in self.form.fact.operands}
        if self.chip:
            found |= {"chip": self.chip, **vars(self.chip)}
        return found

    @cached_property
    def names(self) -> dict[str, Any]:
        """What the formulas of the table may name."""
        if not self.chip:
            return self._constants
        lanes = {f"lane_{operand.name}": self.address(operand) // self.chip.lane_bytes for operand in self._locals}
        return {**self._constants, **lanes}

    def size_of(self, operand: Operand) -> int:
        """Bytes of one element."""
        return SIZES[self.form.type_of(operand)]

    def span(self, operand: Operand) -> tuple[int, int]:
        """Lowest byte from the address, and bytes, gaps included."""
        return operand.span(self.names, self.size_of(operand))

    def space(self, operand: Operand) -> str:
        """The space that the call passes an operand in."""
        return self.spaces.get(operand.name, self.form.space_of(operand))

    def address(self, operand: Operand) -> int:
        """The address of a tensor across lanes."""
        assert self.chip
        owner = self.buffers.get(operand.name, operand.name)
        distance = self.before_end.get(operand.name)
        start = self._places[owner] if distance is None else self.chip.lane_bytes - distance
        return start + self.offsets.get(operand.name, 0)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where tensors across lanes lie by default, with room for any start lane; what has none begins at the end."""
        assert self.chip
        found, free = {}, ORIGIN
        for operand in reversed(self._locals):
            found[operand.name] = min(free, self.chip.lane_bytes - ORIGIN)
            shape, strides = operand.tensor(self._constants)
            length = lane_span(shape, strides, self.size_of(operand), self.chip.lanes - 1, self.chip)
            free += -(-max(length, 0) // ORIGIN) * ORIGIN + ORIGIN
        return found

    def beyond(self) -> tuple[str, ...]:
        """The tensors that pass the end of a lane, or of their system memory; a finding names one of them."""
        found: list[str] = []
        for operand in self.form.fact.operands if self.chip else ():
            assert self.chip
            if operand.is_local:
                start, end = self.address(operand) % self.chip.lane_bytes, self.chip.lane_bytes
            else:
                start, end = self.form.fact.room // 4, self.form.fact.room
            if start + self.span(operand)[1] > end:
                found.append(operand.name)
        return tuple(found)

    def overlaps(self) -> list[str]:
        """For every two tensors across lanes that lie as they must not, the one that is written."""
        found = []
        for one, other in itertools.combinations(self._locals, 2):
            blamed = next((o for o in sorted((one, other), key=lambda o: not o.is_work) if o.writes), None)
            alone = one.is_work or other.is_work or self.form.overlap == "apart"
            coincide = self.address(one) == self.address(other) and not alone
            if blamed and not coincide and self._meet(one, other):
                found.append(blamed.name)
        return found

    def _meet(self, one: Operand, other: Operand) -> bool:
        chip, ends = self.chip, []
        assert chip
        for operand in (one, other):
            start = self.address(operand) % chip.lane_bytes
            ends.append((start, start + self.span(operand)[1]))
        if ends[0][0] >= ends[1][1] or ends[1][0] >= ends[0][1]:
            return False
        mine, theirs = (
            lane_bytes_of(*o.tensor(self.names), self.size_of(o), self.address(o), chip) for o in (one, other)
        )
        return bool(mine & theirs)

    def __str__(self) -> str:
        changed = {k: v for k, v in self.values.items() if {**TYPICAL, **self.form.fact.call}.get(k) != v}
        places = {
            **self.offsets,
            **{k: f"end - {v}" for k, v in self.before_end.items()},
            **self.buffers,
            **self.spaces,
        }
        return f"{self.form} on {self.arch} with {changed} {places}"


def typical(form: Form, arch: int) -> Call:
    """A legal call."""
    fact = form.fact
    operands = {operand.name for operand in fact.operands}
    values = {name: {**TYPICAL, **fact.call}.get(name) for name in fact.names if name not in operands}
    if fact.select and form.case:
        values[fact.select] = form.case.label
    values |= {codes.argument: codes.values[form.binding.types[codes.variable]] for codes in fact.codes}
    missing = [name for name, value in values.items() if value is None and name not in NULLABLE]
    assert not missing, f"no typical value for {missing} of {fact}"
    return Call(form, arch, values)
