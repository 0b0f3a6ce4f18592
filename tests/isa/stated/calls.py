"""What a declaration says of a call: the rules that it breaks, its work, and shape and strides of its operands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mlusim.isa import FUNCTIONS, STRUCTS, Instruction, Require, names_of
from mlusim.isa.rules import Rule

from tests.support.expressions import compiled

#: Architecture -> lanes, bytes of a lane, bytes that a lane computes in a cycle (tpu_api.md, 1).
TPU_CHIPS = {1684: (64, 256 << 10, 64), 1688: (32, 128 << 10, 16), 1690: (64, 256 << 10, 64)}
OKK_CHIPS = {1684: (64, 512 << 10, 128)}
_NAMES = ("lanes", "lane_bytes", "eu_bytes")

#: A rule's id, whether it is inferred, and whether nothing can be done without it.
Broken = tuple[str, bool, bool]


def chips_of(entry: Instruction) -> Mapping[int, tuple[int, int, int]]:
    """The chips of an instruction's dialect."""
    return OKK_CHIPS if entry.name.startswith("okk_") else TPU_CHIPS


@dataclass(frozen=True)
class Call:
    """An instruction on an architecture, with types and arguments: of an operand its address, of a structure fields."""

    entry: Instruction
    arch: int
    binding: Mapping[str, str]
    values: Mapping[str, Any]

    def having(self, **changes: Any) -> Call:
        """The same call with arguments changed; ``shape_c`` is a field of ``shape``."""
        values = dict(self.values)
        for name, new in changes.items():
            if name in values:
                values[name] = new
                continue
            struct, _, field = name.rpartition("_")
            if values.get(struct) is not None:
                values[struct] = values[struct]._replace(**{field: new})
        return replace(self, values=values)

    @property
    def names(self) -> dict[str, Any]:
        """What expressions of the declaration may name."""
        chip = dict(zip(_NAMES, chips_of(self.entry)[self.arch], strict=True))
        found: dict[str, Any] = {**FUNCTIONS, **self.entry.labels, **chip, "arch": self.arch, **self.values}
        for p in self.entry.prototype.memory:
            found[f"sizeof_{p.name}"] = p.element(self.binding).size
            found[f"lane_{p.name}"] = self.values[p.name] // chip["lane_bytes"]
            found[f"placed_{p.name}"] = found.get(f"placed_{p.name}", True)
        for name, text in self.entry.let.items():
            found[name] = eval(compiled(text), {}, found)
        for name in self.entry.measured:
            found[name] = 11
        return found

    def broken(self, changed: str = "") -> Counter[Broken]:
        """The rules of the declaration that do not hold; with ``changed``, of those that this argument decides."""
        names, found = self.names, Counter[Broken]()
        rules = deciding(self.entry, self.arch)
        for rule in rules.get(changed, ()) if changed else self.entry.rules_for(self.arch):
            assert isinstance(rule, Require)
            in_force = not rule.when or eval(compiled(rule.when), {}, names)
            if in_force and not eval(compiled(rule.condition), {}, names):
                found[rule.rule, rule.provenance == "inferred", rule.needed] += 1
        return found

    def extents(self) -> dict[str, tuple[Any, ...]]:
        """Shape and strides of every operand, and the work."""
        names, found = self.names, {}
        for p in self.entry.prototype.memory:
            (dim,) = p.dims
            shape = eval(compiled(dim.count), {}, names)
            found[p.name] = tuple(shape), tuple(eval(compiled(dim.stride), {}, names) or ()) if dim.stride else ()
        counts = {
            f"count_{name}": n * h * ((c - 1) * w + (last[0] if last else w))  # the last channel may be narrower
            for name, ((n, c, h, w, *last), _) in found.items()
        }
        sizes = {f"bytes_{n}": counts[f"count_{n}"] * names[f"sizeof_{n}"] for n in found}
        found["work"] = (eval(compiled(self.entry.work_expression), {}, {**names, **counts, **sizes}),)
        return found


_DECIDING: dict[tuple[int, int], dict[str, list[Rule]]] = {}


def deciding(entry: Instruction, arch: int) -> dict[str, list[Rule]]:
    """Argument -> the rules that name it, or what follows from it."""
    found = _DECIDING.get((id(entry), arch))
    if found is not None:
        return found
    found = _DECIDING[id(entry), arch] = {}
    for rule in entry.rules_for(arch):
        assert isinstance(rule, Require)
        named = names_of(rule.condition) | (names_of(rule.when) if rule.when else set())
        for name, text in reversed(entry.let.items()):
            named |= names_of(text) if name in named else set()
        for p in entry.prototype.parameters:
            if {p.name, f"lane_{p.name}"} & named:
                found.setdefault(p.name, []).append(rule)
    return found


def struct(kind: str, *fields: int) -> Any:
    return STRUCTS[kind].make(*fields)
