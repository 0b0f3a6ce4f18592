"""Where operands of every row may lie: space, end of the memory, overlap, and what is read and written there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from tests.isa.facts.boundary import by_size
from tests.isa.facts.call import Call, typical
from tests.isa.facts.fact import Aligned, Fact, Form, Operand, value_of
from tests.isa.facts.probe import OFF_CHIP, Expected, expect, in_force, newest, run, valueless
from tests.isa.facts.rows import of_rows

#: Where an operand may be passed instead, and the rule that says what is wrong, if anything.
_BANG = dict.fromkeys(("gdram", "ldram", "nram", "wram", "sram"), "space")
_ELSEWHERE = {
    **dict.fromkeys(_BANG, _BANG),
    "global": {"l2": "space", "local": "space", "static": "space", "nowhere": "bounds"},
    "system": {"l2": "", "local": "space", "static": "space", "nowhere": "bounds"},
    "local": {"global": "bounds"},  # addresses in it are small numbers
}


def _addressed(fact: Fact) -> list[Operand]:
    """The operands that have an address."""
    return [operand for operand in fact.operands if not operand.is_register]


def _with_memory(forms: list[Form]) -> Iterator[tuple[Form, Call, list[Operand]]]:
    for form in (form for form, is_known in by_size(forms) if not is_known):
        yield form, typical(form, newest(form)), _addressed(form.fact)


def _step(call: Call) -> int:
    """The smallest distance that keeps every operand aligned."""
    limits = [limit for limit in call.form.limits if isinstance(limit, Aligned) and in_force(limit, call.arch)]
    return max([value_of(limit.bytes, call.names) for limit in limits], default=1)


@of_rows(lambda fact: bool(_addressed(fact)))
def check_space_and_end_of_memory(forms: list[Form]) -> None:
    for _form, call, operands in _with_memory(forms):
        expect([case for operand in operands for case in _elsewhere(call, operand)], besides="lane")
        expect([case for operand in operands for case in _ends(call, operand)])


def _elsewhere(call: Call, operand: Operand) -> Iterator[Expected]:
    """The call with an operand in every other space."""
    own, name = call.space(operand), operand.name
    for space, rule in _ELSEWHERE[own].items():
        if space != own:
            yield replace(call, spaces={name: space}), [[(rule, name)] * bool(rule)]


def _ends(call: Call, operand: Operand) -> Iterator[Expected]:
    """The call with an operand that ends where its memory does, and one that ends behind it."""
    name, step = operand.name, _step(call)
    length = -(-call.span(operand)[1] // step) * step
    # A cache works in lines, which reach past an array.
    beyond = [] if call.form.fact.engine == "cache" else [("bounds", name)]
    yield replace(call, before_end={name: length}), [[]]
    yield replace(call, before_end={name: length - step}), [beyond]


def _pairs(call: Call, operands: list[Operand]) -> Iterator[tuple[Operand, Operand]]:
    """Every output with every input in the same space, and every work operand with every other one."""
    for target, source in itertools.permutations([o for o in operands if call.span(o)[1]], 2):
        once = not source.is_work or target.name < source.name
        if target.writes and (source.reads or target.is_work) and once and call.space(target) == call.space(source):
            yield target, source


@of_rows(lambda fact: {o.writes for o in _addressed(fact)} == {True, False})
def check_overlap(forms: list[Form]) -> None:
    for form, call, operands in _with_memory(forms):
        wanted = []
        for target, source in _pairs(call, operands):
            kind = "apart" if target.is_work else form.overlap
            step, broken = _step(call), [("overlap", target.name)]
            behind = -(-call.span(source)[1] // step) * step
            before = -(-call.span(target)[1] // step) * -step
            half = call.span(target)[1] - call.span(source)[1]
            tried = {
                0: kind in ("same", "any", "ahead"),
                step: kind == "any",
                -step: kind in ("any", "ahead") or (kind == "upper half" and half == step),
                behind: True,
                before: True,
            }
            if kind == "upper half":
                tried[-half] = True
            for distance, legal in tried.items():
                placed = call.at(target.name, distance, of=source.name)
                wanted.append((placed, [[] if legal else broken]))
        expect(wanted)


@of_rows(lambda fact: sum(o.reads for o in _addressed(fact)) > 1)
def check_inputs_may_overlap(forms: list[Form]) -> None:
    for _form, call, operands in _with_memory(forms):
        sources = [operand for operand in operands if not operand.writes]
        pairs = itertools.product(itertools.pairwise(sources), (0, _step(call)))
        expect([(call.at(second.name, distance, of=first.name), [[]]) for (first, second), distance in pairs])


@of_rows(lambda fact: bool(fact.operands))
def check_reads_exactly_its_inputs(forms: list[Form]) -> None:
    for form, call, operands in _with_memory(forms[:1] if not forms[0].case else forms):
        on_chip = [operand for operand in operands if call.space(operand) not in OFF_CHIP]
        # What follows uninitialized contents may lie anywhere.
        on_chip = [operand for operand in on_chip if operand.name not in form.fact.follows]
        wanted = {operand.name for operand in on_chip if operand.reads}
        names = {operand.name for operand in on_chip}
        if run(call, fresh=wanted).uninitialized(form.fact.name) & names == wanted:
            continue
        # It passes on some of what it reads: a load of its output finds each uninitialized input.
        (output,) = (operand for operand in operands if operand.writes and not operand.is_work)
        low, length = call.span(output)
        bytes_ = [low, *range(low, low + length, max(length // 8, 1))]  # the first may be a constant, others gaps
        for name in wanted:
            said = run(call, fresh={name}).uninitialized(form.fact.name) & names
            assert said in (set(), {name}), str(call)
            assert said or _finds(call, output, bytes_, name), f"{call}: {name}"


def _finds(call: Call, output: Operand, bytes_: list[int], name: str) -> bool:
    """Whether one of the bytes of an output has no value if an input is uninitialized, and one if it is not."""
    apart = [[byte] for byte in bytes_] if call.space(output) in OFF_CHIP else [bytes_]
    return any(valueless(call, output, some, fresh={name}) - valueless(call, output, some) for some in apart)


@of_rows(lambda fact: any(o.writes for o in fact.operands))
def check_defines_exactly_its_outputs(forms: list[Form]) -> None:
    for _form, call, operands in _with_memory(forms[:1] if not forms[0].case else forms):
        for operand in operands:
            if operand.writes:
                edges = {} if operand.is_work else _edges(call, operand)
                wanted = {byte for byte, defined in edges.items() if not defined}
                assert valueless(call, operand, edges) == wanted, f"{call}: {operand.name}"


def _edges(call: Call, operand: Operand) -> dict[int, bool]:
    """Bytes of and around an output, and whether they have a value after the call."""
    low, length = call.span(operand)
    edges = {low: True, low + length - 1: True}
    if operand.defined:
        count = call.values["topk" if "topk" in call.values else "K"] * call.size_of(operand)
        return {0: True, count - 1: True, count: False, length - 1: False}
    if call.space(operand) not in OFF_CHIP:  # off-chip buffers have contents from the start
        edges |= {low - 1: False, low + length: False}
        if operand.is_local:  # every channel begins at a multiple of what a lane computes in a cycle
            shape = operand.tensor(call.names)[0]
            edges |= {shape.h * shape.w * call.size_of(operand) + step: step < 0 for step in (-1, 0)}
        if operand.blocks.count(","):
            size = int(eval(operand.blocks.split(",")[0], {}, call.names))
            edges |= {size - 1: True, size: False}
    return edges
