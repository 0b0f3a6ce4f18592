"""What a fact of each kind can be mistaken for: functions from a declared value to the values that replace it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mlusim.isa import DOCUMENTED, INFERRED, TYPES, Align, Completion, Dialect, Instruction, Kind, Parameter, Require
from mlusim.isa.effects import Atomic, Compute
from mlusim.isa.instruction import Wider
from mlusim.isa.rules import Archs

from . import expressions

#: The architectures that device files or rules name, and for instructions that none of them has, a later one.
ARCHS = {"bang": (270, 290, 322, 372, 392, 520, 592), "tpu": (1684, 1688, 1690), "okk": (1684,)}
LATER = {"bang": 613, "tpu": 1700, "okk": 1685}


@dataclass(frozen=True)
class World:
    """The words that the declarations of a dialect use: what a fact can be mistaken for."""

    dialect: Dialect

    @cached_property
    def spaces(self) -> tuple[str, ...]:
        """Spaces with addresses of their own, the memories of a core first among equals."""
        return tuple(name for name, space in self.dialect.spaces.items() if not space.registers and not space.members)

    @cached_property
    def pipes(self) -> tuple[str, ...]:
        """Every pipe, that of the core's own front end included."""
        return (*self.dialect.pipes, "sync")

    @cached_property
    def types(self) -> tuple[str, ...]:
        """Element types that instructions are overloaded on."""
        return tuple(dict.fromkeys(t for e in self.dialect.instructions for b in e.bindings for t in b.values()))


@dataclass(frozen=True)
class Site:
    """Where a fact stands: its dialect, its instruction, and the object whose field it is."""

    world: World
    entry: Instruction
    owner: Any
    sizes: Sequence[Mapping[str, int]]  # of the elements of each overload, as expressions name them

    @classmethod
    def of(cls, world: World, entry: Instruction) -> Site:
        """The instruction itself."""
        memory = entry.prototype.memory
        found = [{f"sizeof_{p.name}": o.element(p).size for p in memory} for o in entry.overloads()]
        return cls(world, entry, entry, [sizes for at, sizes in enumerate(found) if sizes not in found[:at]])

    @property
    def known(self) -> tuple[int, ...]:
        """The architectures among which a boundary is moved."""
        archs = ARCHS[self.world.dialect.name]
        return archs if any(a in self.entry.archs for a in archs) else (*archs, LATER[self.world.dialect.name])

    @property
    def archs(self) -> frozenset[int]:
        """The known architectures on which the instruction exists and, if the fact is one of a rule, the rule holds."""
        rule = isinstance(self.owner, Align | Require)
        return frozenset(a for a in self.known if a in self.entry.archs and (not rule or a in self.owner.archs))


Operator = Callable[[Any, Site], Iterable[Any]]


def following(words: Iterable[str], word: str) -> Iterator[str]:
    """The word after this one, cyclically, if there is another."""
    others = sorted({*words, word})
    if len(others) > 1:
        yield others[(others.index(word) + 1) % len(others)]


def flip_provenance(old: str, site: Site) -> Iterator[str]:
    """Documented for inferred and the other way round."""
    if site.archs:
        yield INFERRED if old == DOCUMENTED else DOCUMENTED


def quantity(old: str, site: Site) -> Iterator[str]:
    """Another count, stride or amount of work; not of a tensor, where these are structures."""
    if old and old not in {p.name for p in site.entry.prototype.parameters if p.kind is Kind.STRUCT}:
        yield from (new for new in expressions.quantities(old) if expressions.differ(old, new, site.sizes))


def dropped(old: str, site: Site) -> Iterator[str]:
    """None."""
    if old:
        yield ""


def work(old: str, site: Site) -> Iterator[str]:
    """Another amount of work, or the default: the bytes of the first written operand."""
    yield from quantity(old, site)
    target = next(iter(site.entry.written), None)
    if old and target:
        default = " * ".join([*(f"({dim.count})" for dim in target.dims), f"sizeof_{target.name}"])
        if expressions.differ(old, default, site.sizes):
            yield ""


def condition(old: str, site: Site) -> Iterator[str]:
    """Another limit, of the overloads that the rule can be in force for."""
    if site.archs:
        when = site.owner.when or "True"
        sizes = [fixed for fixed in site.sizes if expressions.differ(when, "False", [fixed])]
        yield from (new for new in expressions.conditions(old) if expressions.differ(old, new, sizes))


def when(old: str, site: Site) -> Iterator[str]:
    """Another case in which a rule asks for its limit."""
    if old and site.archs:
        yield from (new for new in expressions.conditions(old) if expressions.differ(old, new, site.sizes))


def let(old: Mapping[str, str], site: Site) -> Iterator[Mapping[str, str]]:
    """Another meaning of a name that extents, rules, work and semantics share."""
    for name, text in old.items():
        yield from ({**old, name: new} for new in quantity(text, site))


def half_or_double(old: int, site: Site) -> Iterator[int]:
    """A factor of two."""
    if site.archs:
        yield from (old // 2, old * 2)


def archs(old: Archs, site: Site) -> Iterator[Archs]:
    """One architecture more or less at either end, or all."""
    known = [a for a in site.known if site.owner is site.entry or a in site.entry.archs]
    has = [a for a in known if a in old]
    if not has:  # a rule that is never in force
        return
    first, last = known.index(has[0]), known.index(has[-1])
    sets = [known, has[1:], has[:-1], known[max(first - 1, 0) : first] + has, has + known[last + 1 : last + 2]]
    for wanted in dict.fromkeys(tuple(s) for s in sets if s and s != has):
        holes = [a for a in known if wanted[0] < a < wanted[-1] and a not in wanted]
        yield Archs(" ".join([f">={wanted[0]} <={wanted[-1]}", *(f"!={hole}" for hole in holes)]))


def less_one(old: tuple[Any, ...], site: Site) -> Iterator[tuple[Any, ...]]:
    """A list without one of its entries, if it has several."""
    for at in range(len(old) if len(old) > 1 else 0):
        yield (*old[:at], *old[at + 1 :])


def rules(old: tuple[Any, ...], site: Site) -> Iterator[tuple[Any, ...]]:
    """One rule less, of those that are in force somewhere."""
    for at, rule in enumerate(old):
        if replace(site, owner=rule).archs:
            yield (*old[:at], *old[at + 1 :])


def rule_id(old: str, site: Site) -> Iterator[str]:
    """Another kind of finding."""
    if site.archs:
        yield from following(("alignment", "argument", "length", "overlap"), old)


def space(old: str, site: Site) -> Iterator[str]:
    """Another memory space; the instruction's own counts where an operand has none of its own."""
    default = site.owner is site.entry
    entry = site.entry
    if default and (entry.select or all(p.space for p in entry.prototype.memory)):
        return
    if old in site.world.spaces:
        yield from following(site.world.spaces, old)


def spaces(old: Mapping[str, str], site: Site) -> Iterator[Mapping[str, str]]:
    """One operand in another memory."""
    for operand, place in old.items():
        yield from ({**old, operand: new} for new in following(site.world.spaces, place))


def pipe(old: str, site: Site) -> Iterator[str]:
    """Another pipe; a selecting argument decides it in the instruction's place."""
    if site.owner is not site.entry or not site.entry.select:
        yield from following(site.world.pipes, old)


def engine(old: str, site: Site) -> Iterator[str]:
    """The cost of the pipe in place of the engine's, or that of another pipe."""
    yield "" if old else next(following(site.world.pipes, site.entry.pipe))


def waits(old: tuple[str, ...], site: Site) -> Iterator[tuple[str, ...]]:
    """One pipe less, or one more."""
    yield from ((*old[:at], *old[at + 1 :]) for at in range(len(old)))
    missing = [pipe for pipe in site.world.dialect.pipes if pipe not in old]
    yield from ((*old, pipe) for pipe in missing[:1])


def another(*words: str) -> Operator:
    """The next of a few words."""
    return lambda old, site: following(words, old)


def completion(old: Completion, site: Site) -> Iterator[Completion]:
    """When the core goes on and when others see the effect; only some dialects have queues."""
    yield from (c for c in Completion if c != old and (c != Completion.QUEUED or site.world.dialect.queues))


def moves(old: str, site: Site) -> Iterator[str]:
    """No operand that is moved or that looks up, or another one that is read."""
    if old:
        yield from ("", *(p.name for p in site.entry.read if p.name != old))


def wider(old: Wider, site: Site) -> Iterator[Wider]:
    """Another way with float64, where there are results that it can be carried out for."""
    entry = site.entry
    written = any(o.element(p).is_float for o in entry.overloads() for p in entry.written)
    if isinstance(entry.effect, Compute | Atomic) and entry.semantics is not None:
        if written:
            yield from (kind for kind in Wider if kind is not old)
        elif entry.prototype.returns != "void":  # a value that scalar code gets is looked at, and decides nothing
            yield Wider.RUNS if old is Wider.BITS else Wider.BITS


def divisor(old: str, site: Site) -> Iterator[str]:
    """No operand that is divided by, or the other one."""
    if old:
        prototype = site.entry.prototype
        others = [
            *(p.name for p in site.entry.read),
            *(p.name for p in prototype.parameters if p.kind is Kind.VARIABLE),
        ]
        yield from ("", *(name for name in others if name != old))


def overlap(old: str, site: Site) -> Iterator[str]:
    """Another rule, where a written operand and another can share bytes."""
    memory = site.entry.prototype.memory
    select = site.entry.select
    written = [(target, other) for target in memory if target.writes for other in memory if other is not target]
    if select:
        shared = [case.spaces[t.name] == case.spaces[o.name] for t, o in written for case in select.cases.values()]
    else:
        shared = [site.entry.space_of(target) == site.entry.space_of(other) for target, other in written]
    if any(shared):
        # Two registers coincide or lie apart, so that nothing tells "same" from "any".
        registers = all(target.register for target, _ in written)
        yield from (
            kind for kind in ("any", "none", "same") if kind != old and not (registers and "none" not in (kind, old))
        )


def less(old: bool, site: Site) -> Iterator[bool]:
    """The fact denied; the other way round, no body would fit it."""
    if old:
        yield False


def flip(old: bool, site: Site) -> Iterator[bool]:
    """The contrary."""
    yield not old


def nullable(old: bool, site: Site) -> Iterator[bool]:
    """A structure that may be null, or may not."""
    if site.owner.pointer:
        yield not old


def elements(old: Mapping[int, str], site: Site) -> Iterator[Mapping[int, str]]:
    """A code that means another type, or nothing; of the types that the instruction has."""
    has = {name for binding in site.entry.bindings for name in binding.values()}
    for code, name in old.items():
        if name in has:
            yield from ({**old, code: new} for new in following(has, name))
            yield {key: value for key, value in old.items() if key != code}


def by_memory_core(old: bool, site: Site) -> Iterator[bool]:
    """The contrary; a memory core has no memories of the cores, and executes nothing that needs them."""
    if not any(not site.world.dialect.spaces[name].memory_core for name in site.owner.spaces.values()):
        yield not old


def operand_type(old: str, site: Site) -> Iterator[str]:
    """Another type of a memory operand that is no type variable."""
    if site.owner.is_memory and old in TYPES and old != "void":
        yield from following(("float", "half", "int16", "int32", "int8"), old)


def directions(old: Parameter, site: Site) -> Iterator[dict[str, Any]]:
    """An operand that is read as well, or written as well, or only one of both."""
    if old.is_memory and not old.clobbered:
        states = [(True, False), (False, True)] if old.reads and old.writes else [(True, True)]
        yield from ({"reads": reads, "writes": writes} for reads, writes in states)


def type_lists(old: Instruction, site: Site) -> Iterator[dict[str, Any]]:
    """A type less, a type more, a type known from another source."""
    for binding in old.bindings if len(old.bindings) > 1 else ():
        yield {"bindings": tuple(b for b in old.bindings if b is not binding)}
    if not all(len(binding) == 1 for binding in old.bindings):
        return
    (variable,) = old.bindings[0]
    has = [binding[variable] for binding in old.bindings]
    everywhere = {t for e in site.world.dialect.named(old.name) for binding in e.bindings for t in binding.values()}
    other = [t for t in site.world.types if t not in everywhere]
    for name in other[: 1 if old.provenance == INFERRED else 2]:
        inferred = {name} if name != other[0] else set()
        yield {"bindings": (*old.bindings, {variable: name}), "inferred_types": old.inferred_types | inferred}
    if old.provenance == DOCUMENTED:  # of an inferred instruction every type is inferred
        yield from ({"inferred_types": old.inferred_types ^ {name}} for name in has)
