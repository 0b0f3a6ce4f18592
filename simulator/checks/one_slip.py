"""Findings that one slip makes: the same of several arrays, what misses the same bytes, results with a common trail."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from ..findings import ADVICE, ERROR, WARNING, Finding, merged_by, rules
from ..log import Location

#: What differs in another run of a launch.
OTHER_RUNS = (
    rules.results.SPLIT_DEPENDENT, rules.results.COUNT_DEPENDENT, rules.results.ORDER_DEPENDENT,
    rules.results.TILE_DEPENDENT, rules.results.PLACE_DEPENDENT,
)  # fmt: skip
_LEFT_OUT = (rules.left_out.UNWRITTEN, rules.left_out.UNREAD)
_OF_TILES = (rules.tiles.PARTIAL, rules.tiles.LEFTOVER, rules.tiles.SHIFTED, rules.tiles.OVERRUN)


def with_one_slip(findings: Iterable[Finding]) -> list[Finding]:
    """Findings in their order, those that one slip makes as the first of them, with the lines of the others."""
    known = sorted(findings, key=lambda one: one.severity == ADVICE)
    one_of_each = merged_by(known, [_slip(one) for one in known])
    return merged_by(one_of_each, _trails(one_of_each))


def _slip(one: Finding) -> Hashable:
    """What findings of one slip have in common; their own cause where nothing is known of it."""
    slip: Hashable = one.slip
    if one.rule == rules.uninitialized.UNINITIALIZED:
        slip = slip or one.related or one.region
    elif one.rule in _LEFT_OUT:
        return one.rule, one.kernel, slip or one.message
    elif one.rule == rules.waits.ORDER:  # one wait behind the other instruction is missing
        slip = one.related and (one.related, slip)
    elif one.rule in _OF_TILES:
        slip = one.related
    elif one.rule == rules.tiles.UNUSED:  # a line overwrites what several have written
        slip = one.related and (one.location, one.message)
    return (one.rule, one.severity, one.kernel, slip) if slip else one.cause


def _trails(found: Sequence[Finding]) -> Iterator[Hashable]:
    """A number for each finding: that of the first before it which differs in other runs by steps that it has, too."""
    known: list[tuple[int, set[Location]]] = []
    for at, one in enumerate(found):
        steps = trail_of(one) if one.rule in OTHER_RUNS else set()
        before = next((k for k in known if k[1] & steps and _as_bad(found[k[0]], one)), None)
        if before:
            before[1].update(steps)
        elif steps:
            known.append((at, steps))
        yield before[0] if before else at


def _as_bad(first: Finding, one: Finding) -> bool:
    order = (ERROR, WARNING, ADVICE)
    return order.index(first.severity) <= order.index(one.severity)


def trail_of(one: Finding) -> set[Location]:
    """The lines that a finding names of how a result came about."""
    places = [one.location, one.related, *(step.location for step in one.trail)]
    return {place for place in places if place is not None and place.line}
