"""One cause, one finding: what follows from another finding of a launch is left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..findings import ADVICE, ERROR, Finding, merged_by, rules, spoiled
from ..log import Location
from .one_slip import OTHER_RUNS, trail_of, with_one_slip

_OF_ORDER = (rules.waits.ORDER, rules.race.RACE)
_OF_RESULTS = (rules.results.WRONG_RESULT, rules.results.SPLIT_DEPENDENT)
#: Errors that no instruction makes by itself, and which leave none out.
_OF_SEVERAL = (*_OF_ORDER, *_OF_RESULTS, rules.barrier.BARRIER)
_SCALAR = "scalar."
#: Lines of which an instruction says the same, at least, where that has one cause: a macro, or a number that all take.
_MANY_LINES = 4
#: A place of an operand in a message.
_PLACE = re.compile(r"\d+ bytes at [^()]+")
_LOST = (rules.tiles.UNUSED, rules.left_out.UNWRITTEN)
#: Missing bytes, which are reported once.
_MISSING = (rules.uninitialized.UNINITIALIZED, rules.left_out.UNWRITTEN)
#: What nothing uses, waits for or reads, perhaps since something else went wrong before.
_LATER = (rules.tiles.UNUSED, rules.waits.UNWAITED, rules.left_out.UNREAD)
#: Advice that missing bytes give rise to wherever it is.
_FOR_NOTHING = (rules.tiles.UNUSED, rules.waits.REDUNDANT_SYNC, rules.numbers.NUMBER, rules.results.IGNORED)


def without_consequences(findings: Iterable[Finding]) -> list[Finding]:
    """Findings but for those that follow from others of the launch, in their order.

    Where an instruction was left out, or carried out in part, its results are unknown: uninitialized
    memory is told of where it was read before, and advice not at all. All accesses that pass the end of one variable
    are one finding, and so are races of threads that one barrier would end, and the errors of an instruction at a line,
    whatever comes of them in other tasks or runs.
    """
    found = list(findings)
    if len(found) < 2:
        return found
    races = [f for f in found if f.rule == rules.race.RACE and f.severity == ERROR]
    found = _with_one_barrier(_with_the_same_words(_with_one_end(found)))
    skipped = next((at for at, f in enumerate(found) if _is_alone(f) and not f.carried_out), len(found))
    broken = spoiled(one for one in found if one.rule not in _OF_RESULTS)
    kept: list[Finding] = []
    for at, one in enumerate(found):
        if broken and _gives_way(one):
            continue
        if one.rule == rules.uninitialized.UNINITIALIZED and (
            at > skipped or _reaches_too_far(one, found) or _lies_beside(one, found) or _comes_too_early(one, races)
        ):
            continue
        if not _follows(one, found, at):
            kept.append(_with_its_maker(one, found))
    return with_one_slip(kept)


def _with_its_maker(one: Finding, found: Sequence[Finding]) -> Finding:
    """A finding; of an array that is never written, with the line of the result that is never used."""
    lost = next((f for f in found if f.rule == rules.tiles.UNUSED), None)
    if lost is None or one.rule != rules.left_out.UNWRITTEN or one.location.line or one.severity == ADVICE:
        return one
    return replace(one, related=lost.related or lost.location)


def _gives_way(finding: Finding) -> bool:
    """Whether others may explain a finding: advice, what is not used, waited for or read, a result without a number."""
    odd = rules.left_out.is_untouched(finding) or rules.numbers.is_none_finite(finding)
    return finding.severity == ADVICE or finding.rule in _LATER or odd


def _is_alone(finding: Finding) -> bool:
    """Whether an instruction, or a variable, breaks a rule by itself."""
    return finding.severity == ERROR and finding.rule not in _OF_SEVERAL


def _with_one_end(known: Sequence[Finding]) -> list[Finding]:
    """Findings, those that name one variable's end as one."""
    return merged_by(known, [(f.rule, f.kernel, f.origin, f.limit) if _passes_an_end(f) else f.cause for f in known])


def _with_the_same_words(known: Sequence[Finding]) -> list[Finding]:
    """Findings, errors of instructions that say the same at many lines as one: all have the number from one place."""
    words = [_words(f) if _is_alone(f) else None for f in known]
    often = {said for said, times in Counter(words).items() if said and times >= _MANY_LINES}
    return merged_by(known, [said if said in often else f.cause for said, f in zip(words, known, strict=True)])


def _words(finding: Finding) -> tuple[str, str, str]:
    """What an error says, and of which rule and kernel.

    That a number is 0 is the same of any instruction; that two places overlap is the same of any operands.
    """
    zero = finding.rule == rules.declared.LENGTH and finding.message.endswith(" = 0")
    places = sorted(_PLACE.findall(finding.message)) if finding.rule == rules.declared.OVERLAP else ()
    return finding.rule, finding.kernel, "0" if zero else " ".join(places) or finding.message


def _with_one_barrier(findings: Sequence[Finding]) -> list[Finding]:
    """Findings, races of threads between whose lines one barrier could stand as one: that of the nearest lines."""
    races = [f for f in findings if f.rule == rules.race.RACE and f.instruction in rules.race.ACCESSES and f.related]
    groups: list[tuple[str, int, int, list[Finding]]] = []
    for race in sorted(races, key=lambda race: _lines_between(race)[1] - _lines_between(race)[0]):
        low, high = _lines_between(race)
        for at, (file, first, last, members) in enumerate(groups):
            if file == race.location.file and max(first, low) < min(last, high):
                groups[at] = file, max(first, low), min(last, high), [*members, race]
                break
        else:
            groups.append((race.location.file, low, high, [race]))
    apart = _joined([(file, members) for file, _, _, members in groups])
    told = {id(members[0]): merged_by(members, [None] * len(members))[0] for members in apart}
    others = {id(race) for race in races} - told.keys()
    return [told.get(id(one), one) for one in findings if id(one) not in others]


def _joined(groups: Sequence[tuple[str, list[Finding]]]) -> list[list[Finding]]:
    """Groups of races, those in one loop as one: one barrier in each round would end them.

    They are in one loop where they share a line that races with itself, in another round.
    """
    again = {(file, low) for file, races in groups for low, high in map(_lines_between, races) if low == high}
    found: list[tuple[set[tuple[str, int]], list[Finding]]] = []
    for file, races in groups:
        lines = {(file, line) for race in races for line in _lines_between(race)} & again
        others = [one for one in found if not lines.isdisjoint(one[0])]
        for one in others:
            found.remove(one)
            lines |= one[0]
        found.append((lines, [race for one in others for race in one[1]] + races))
    return [sorted(races, key=lambda race: race.location == race.related) for _, races in found]


def _lines_between(race: Finding) -> tuple[int, int]:
    lines = sorted(place.line for place in (race.location, race.related) if place)
    return lines[0], lines[-1]


def _passes_an_end(finding: Finding) -> bool:
    return finding.rule == rules.bounds.BOUNDS and bool(finding.limit) and finding.region is not None


def _follows(one: Finding, found: Sequence[Finding], at: int) -> bool:
    """Whether a finding follows from another one of the launch."""
    if one.rule == rules.declared.OVERLAP and any(_reaches_into(f, one) for f in found[:at]):
        return True
    if _is_alone(one):
        return any(_is_alone(f) and _same_instruction(f, one) and _one_slip(f, one) for f in found[:at])
    if one.rule in _OF_ORDER:
        return any(_reaches_beyond(f, one) for f in found if f.rule == rules.bounds.BOUNDS)
    if one.rule in OTHER_RUNS:
        return _shows_otherwise(one, found, at)
    if one.rule == rules.left_out.UNWRITTEN and any(
        _is_written_in(f, one) or _is_taken(f, one) or (rules.uninitialized.is_of_locals(f) and _share_a_line(f, one))
        for f in found
    ):
        return True
    if not _gives_way(one):
        return False
    if _is_unread(one) and any(f.rule == rules.loaded_twice.LOADED_TWICE for f in found):
        return True  # another one is loaded in its place
    if any(f.severity != ADVICE and f.rule in OTHER_RUNS and set(_lines(one)) & trail_of(f) for f in found):
        return True
    if one.rule == rules.results.IGNORED and any(f.rule in _LOST for f in found):
        return True  # what takes the number is lost, or is not left at all
    missing = [f for f in found if f.rule in _MISSING and f.severity != ADVICE]
    read = [f for f in missing if f.rule == rules.uninitialized.UNINITIALIZED]
    if one.rule == rules.left_out.UNREAD:  # what is not made needs nothing, what has not come has not been asked for
        others = (f for f in found if f.rule == rules.left_out.UNWRITTEN)
        made = any(one.severity == ADVICE or f.severity != ADVICE for f in others)
        nowhere = not one.location.line  # an array of which nothing has come
        return made or any(nowhere or f.related is None or _share_a_line(f, one) for f in read)
    if one.rule == rules.left_out.UNWRITTEN:
        return bool(read)
    return (bool(missing) and one.rule in _FOR_NOTHING) or any(_share_a_line(f, one) for f in read)


def _is_unread(one: Finding) -> bool:
    """Whether nothing reads an array, or part of it."""
    return one.rule == rules.left_out.UNREAD or rules.left_out.is_untouched(one)


def _is_written_in(other: Finding, one: Finding) -> bool:
    """Whether another split has written what this finding says is never written."""
    there, here = other.region, one.region
    if other.rule != rules.results.SPLIT_DEPENDENT or other.trail or there is None or here is None:
        return False
    return here.space == there.space and here.offset <= there.offset < here.offset + here.bytes


def _is_taken(race: Finding, one: Finding) -> bool:
    """Whether the line that leaves bytes out writes those of another task: its part is at a wrong place."""
    own = race.location == race.related == one.location
    return race.rule == rules.race.RACE and own and bool(one.location.line)


def _one_slip(one: Finding, other: Finding) -> bool:
    """Whether one wrong address or count of an instruction breaks both rules."""
    scalar = one.instruction.startswith(_SCALAR)
    return one.rule == other.rule or scalar or {one.rule, other.rule} == {rules.bounds.BOUNDS, rules.declared.OVERLAP}


def _reaches_into(outside: Finding, one: Finding) -> bool:
    """Whether what passes the end of a variable reaches what another instruction, of the same count, lets overlap."""
    return outside.rule == rules.bounds.BOUNDS and _meet(outside, one)


def _reaches_beyond(outside: Finding, one: Finding) -> bool:
    """Whether what passes the end of an array is one of two instructions that have no order."""
    earlier = one.related == outside.location and outside.instruction in one.message
    return _same_instruction(outside, one) or (earlier and one.related is not None)


def _comes_too_early(one: Finding, races: Iterable[Finding]) -> bool:
    """Whether uninitialized bytes are taken, or were, by an instruction that races with the one that writes them."""
    lines = [(f, {*_lines(f), *f.also}) for f in races]
    return any(one.related in of or (_same_space(f, one) and not of.isdisjoint(_lines(one))) for f, of in lines)


def _same_space(one: Finding, other: Finding) -> bool:
    return one.region is not None and other.region is not None and one.region.space == other.region.space


def _reaches_too_far(one: Finding, found: Sequence[Finding]) -> bool:
    """Whether an operand with uninitialized bytes passes the end of an array as well.

    That another operand does later may follow from them: from uninitialized offsets.
    """
    return bool(one.operand) and any(
        _is_alone(f) and _same_instruction(f, one) and f.operand == one.operand for f in found
    )


def _lies_beside(one: Finding, found: Sequence[Finding]) -> bool:
    """Whether uninitialized bytes end or begin where an operand does that has a wrong address: it has missed them."""
    return any(f.rule == rules.declared.ALIGNMENT and _meet(f, one, 1) for f in found)


def _meet(one: Finding, other: Finding, apart: int = 0) -> bool:
    """Whether the bytes of two findings lie in each other; with 1, or side by side."""
    there, here = one.region, other.region
    if there is None or here is None or (there.space, there.owner) != (here.space, here.owner):
        return False
    return there.offset < here.offset + here.bytes + apart and here.offset < there.offset + there.bytes + apart


def _shows_otherwise(one: Finding, found: Sequence[Finding], at: int) -> bool:
    """Whether another run differs in what is missing, or has been told of."""
    places = {one.location, *(step.location for step in one.trail)}
    missing = [f for f in found if f.rule == rules.uninitialized.UNINITIALIZED and f.severity != ADVICE]
    if any(
        places.intersection(_lines(f)) or (rules.uninitialized.is_of_locals(f) and f.operand == one.operand)
        for f in missing
    ):
        return True
    others = [f for f in found if f.rule in OTHER_RUNS and f.operand == one.operand]
    telling = [f for f in others if not _is_rounding(f)]
    if _is_rounding(one):
        return bool(telling) or others[0] is not one
    return one.severity != ERROR and any(f.severity == ERROR or f in found[:at] for f in telling)


def _is_rounding(finding: Finding) -> bool:
    """Whether the order of tasks makes no more of a difference than rounding: that says nothing of other runs."""
    return finding.rule == rules.results.ORDER_DEPENDENT and finding.severity == ADVICE


def _same_instruction(one: Finding, other: Finding) -> bool:
    """Whether two findings are of an instruction at a line; all scalar accesses of a line are one."""
    return one.location == other.location and one.location.line > 0 and (
        one.instruction == other.instruction or all(f.instruction.startswith(_SCALAR) for f in (one, other))
    )  # fmt: skip


def _share_a_line(one: Finding, other: Finding) -> bool:
    return any(line in _lines(one) for line in _lines(other))


def _lines(finding: Finding) -> list[Location]:
    return [place for place in (finding.location, finding.related) if place is not None and place.line]
