"""Calls on both sides of every limit of a row, and what the row says about each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.isa.facts.call import Call, typical
from tests.isa.facts.fact import SIZES, Aligned, Form, Holds, Limit, Multiple, Within, boundaries, value_of
from tests.isa.facts.probe import MAIN, declaration, declared, dialect_of, in_force, newest

#: A count that is no multiple of anything, and a distance that aligns nothing.
ODD_COUNT, ODD_BYTES = 3, 1


@dataclass(frozen=True)
class Broken:
    """A limit that a call breaks, the operands that a finding may name, and the number that its text must state."""

    rule: str
    operands: tuple[str, ...] = ("",)
    number: str = ""
    inferred: bool = False


def broken(call: Call) -> list[Broken]:
    """The limits of the row that a call breaks, and where its tensors lie as they must not.

    Past the range of a length nothing else is looked at, and past the end of memory no overlap.
    """
    found = [entry for limit in call.form.limits if in_force(limit, call.arch) for entry in _broken(limit, call)]
    lengths = [entry for entry in found if entry.rule == "length" and not entry.number]
    if lengths:
        return lengths[:1]
    beyond = call.beyond()
    return found + ([Broken("bounds", beyond)] if beyond else [Broken("overlap", (o,)) for o in call.overlaps()])


def _broken(limit: Limit, call: Call) -> Iterator[Broken]:
    names = call.names
    if isinstance(limit, Aligned):
        for operand in _addresses(limit, call.form):
            if call.offsets.get(operand, 0) % value_of(limit.bytes, names):
                # What holds for one case alone may be stated of the whole instruction.
                number = str(limit.bytes) if isinstance(limit.bytes, int) else ""
                yield Broken(limit.rule, (operand, "") if call.form.case else (operand,), number, limit.inferred)
    elif isinstance(limit, Multiple):
        if value_of(limit.of, names) % limit.number:
            yield Broken(limit.rule, number=str(limit.number), inferred=limit.inferred)
    elif isinstance(limit, Within):
        if _is_given(limit, call):
            value = value_of(limit.argument, names)
            high = limit.high is None or value <= value_of(limit.high, names)
            if not (value_of(limit.low, names) <= value and high):
                yield Broken(limit.rule, inferred=limit.inferred)
    elif not value_of(limit.relation, names):
        yield Broken(limit.rule, inferred=limit.inferred)


def _addresses(limit: Aligned, form: Form) -> list[str]:
    return [o.name for o in form.fact.operands if not o.is_register and limit.of in ("", o.name)]


def _is_given(limit: Within, call: Call) -> bool:
    """Whether the struct that an argument is part of is not null."""
    return call.values[limit.argument.split(".")[0]] is not None


def architectures(form: Form, edges: bool) -> list[int]:
    """Where limits are tried: with ``edges`` on a chip of every class, and next to every number in a limit's archs.

    Of those that are alike, on the newest.

    Without, further types are tried on the newest chip that each set of limits holds on (that the same rules are in
    force on two chips is another test's part), and of a function that C does not overload on the newest alone.
    """
    if form.fact.codes and not edges:
        return [newest(form)]
    tried = {*MAIN[dialect_of(form)]}.union(*(boundaries(limit.on) for limit in form.limits))
    if not edges:
        chips = sorted(arch for arch in MAIN[dialect_of(form)] if form.exists_on(arch))
        tried = {*{tuple(in_force(limit, arch) for limit in form.limits): arch for arch in chips}.values()}
    return unlike(form, (arch for arch in tried if form.exists_on(arch))) or [max(boundaries(form.fact.archs))]


def unlike(form: Form, archs: Iterable[int]) -> list[int]:
    """The newest of the architectures on which the same limits of the row and the same rules of its declarations hold.

    All that a call meets there is the same, but for the chips of a TPU, whose lanes the expressions of rules name.
    """
    found = {}
    for arch in sorted(archs):
        limits = (form.exists_on(arch), *(in_force(limit, arch) for limit in form.limits))
        rules = tuple(tuple(entry.rules_for(arch)) for entry in declared(form))
        found[limits, rules, dialect_of(form) == "tpu" and arch] = arch
    return list(found.values())


def by_size(forms: list[Form]) -> Iterator[tuple[Form, bool]]:
    """Forms, and whether one before it already stands for it: another declaration, or one of other sizes, does not.

    All that the expressions of a declaration can name of a type is the size of its elements, so that one type of each
    size shows what they say. That each type exists, and what it computes, is asked of all of them elsewhere.
    """
    seen = set()
    for form in forms:
        sizes = tuple(SIZES[kind] for kind in form.binding.types.values())
        key = declaration(form), sizes, form.binding.archs, str(form.case)
        yield form, key in seen
        seen.add(key)


def probes(form: Form, arch: int) -> list[tuple[Call, list[Broken]]]:
    """Calls next to a boundary, and the limits that each breaks, one at most; nothing is demanded beyond the row."""
    call = typical(form, arch)
    found = {}
    for base in (call, *(call.having(**changes) for changes in form.fact.variants)):
        found[str(base)] = base
        for limit in form.limits:
            found.update((str(probe), probe) for probe in _around(limit, base))
        for operand in form.fact.operands:
            if not operand.is_register:
                found.setdefault(str(moved := base.at(operand.name, ODD_BYTES)), moved)
    for limit in form.limits:
        if isinstance(limit, Within) and limit.low in (0, 1) and limit.rule == "length" and limit.high is None:
            found.setdefault(str(odd := call.having(**{limit.argument: ODD_COUNT})), odd)
    for changes in form.fact.probes:
        found.setdefault(str(changed := call.having(**changes)), changed)
    tried = [(probe, broken(probe)) for probe in found.values()]
    return [(probe, limits) for probe, limits in tried if len(limits) < 2]


def _around(limit: Limit, call: Call) -> Iterator[Call]:
    names = call.names
    if isinstance(limit, Aligned):
        for operand in _addresses(limit, call.form):
            multiple = value_of(limit.bytes, names)
            for offset in (multiple, multiple // 2, ODD_BYTES):
                yield call.at(operand, offset)
    elif isinstance(limit, Multiple):
        amounts = (limit.number // 2, limit.number, 2 * limit.number)
        step = value_of(limit.of, {**names, limit.argument: 1})
        now = value_of(limit.of, names)
        for amount in (*amounts, limit.number - step, limit.number + step, now + limit.number // 2, now + step):
            if amount > 0 and amount % step == 0:
                yield call.having(**{limit.argument: amount // step})
    elif isinstance(limit, Within) and _is_given(limit, call):
        ends = [value_of(limit.low, names)] + ([] if limit.high is None else [value_of(limit.high, names)])
        for value in (*ends, ends[0] - 1, ends[-1] + 1):
            yield call.having(**{limit.argument: value})
    elif isinstance(limit, Holds):
        for changes in limit.probes:
            yield call.having(**changes)
