"""A launch compared with its variants: what they break, and where they leave something else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..checks.after_run import Given, dispensable, needed_waits
from ..checks.results import Left, Numbered, References, disagreements, of_grids, of_locals, rooms_for
from ..findings import ADVICE, ERROR, WARNING, Finding, failed, merged, rules, spoiled
from ..flow import Accesses, Ranges, ThreadHistory
from ..log import Location, Log
from .elements import LEFT_OUT, with_other_inputs
from .named import as_named
from .poisons import with_poisons
from .repeatable import RepeatableLaunch
from .variants import Variant, Variants, Varied


def in_variants(launched: RepeatableLaunch, variants: Variants) -> tuple[list[Finding], Variants]:
    """The findings of a launch with those of variants: what only these break, and where they leave something else.

    Also the variants, with what came of trying them. Their logs are not examined.
    """
    log, arrays, reruns = launched.log, launched.arrays, launched.reruns

    def made_of(variant: Variant) -> Callable[[int], Ranges] | None:
        def of_byte(key: int) -> Ranges:
            threads = ThreadHistory(launched.followed(variant, key))
            return threads.read_of_device(threads.part(key, 1))

        return of_byte if log.kind.transactions else None

    def sides(variant: Variant, other: Log) -> tuple[Left, Left]:
        theirs = [_held(array, copied=log.kind.transactions) for array in arrays]
        return (
            Left(accesses, held, variant.base, made_of(launched.itself), reruns.before.of),
            Left(Accesses(other), theirs, variant.said, made_of(variant), reruns.before.of),
        )

    unfit: dict[str, str] = {}
    needed, numbered = _Needed(log, bool(variants.chosen)), Numbered()
    accesses, places, elements = Accesses(log), False, False
    held = [reruns.after.of(array) if array.output else None for array in arrays]
    found: list[Finding] = []
    with reruns:
        references = _beside_references(launched, variants, sides, unfit)
        for variant in variants.chosen:
            if variant.reference:
                continue
            other, findings = launched.run(variant)
            of_threads = log.kind.transactions and not variant.poisoned
            if of_threads and any(finding.severity != ADVICE for finding in findings):
                unfit[variant.said] = "it breaks rules then, and may be written for one grid"
                if not (variant.grid and variant.asked and failed(findings)):
                    continue
            if failed(findings):
                found += _breaking(launched, variant, findings)
            if spoiled(findings):
                continue
            needed.seen(other)
            both = sides(variant, other)
            others = _differences(variant, both, arrays)
            found += others if variant.asked else numbered.seen(others, both, arrays)
        found = [
            *numbered.weighed(found),
            *variants.static,
            *references.weighed(),
            *_ignored(launched, variants.varied),
        ]
        if variants.elements:
            more, places, elements = with_other_inputs(launched)
            found += more
        said = with_poisons(launched) if variants.poison else None
    tried = replace(
        variants, unfit=unfit, poison=said is not None, elements=elements, places=places, needed=needed.lines,
        equal=references.equal, runs=reruns.runs,
    )  # fmt: skip
    return _beside_its_name(launched, said or launched.findings, found, tried, references.right)


def _beside_references(
    launched: RepeatableLaunch, variants: Variants, sides: Callable[[Variant, Log], tuple[Left, Left]],
    unfit: dict[str, str],
) -> References:  # fmt: skip
    """How a launch compares with other functions of the source in the kernel's place; ``unfit`` gets why not."""
    found = References()
    for variant in variants.chosen:
        if variant.reference:
            log, findings = launched.run(variant)
            if failed(findings) or spoiled(findings):
                unfit[variant.said] = "it breaks rules"
            elif not found.seen(variant.reference, *sides(variant, log), launched.arrays):
                unfit[variant.said] = "it writes other arrays"
    return found


class _Needed:
    """The lines of waits that wait for something in a further run; looked for if some do not in the launch itself."""

    def __init__(self, log: Log, compared: bool) -> None:
        self.lines: frozenset[Location] = frozenset()
        self._idle = compared and any(one.rule == rules.waits.REDUNDANT_SYNC for one in dispensable(log))

    def seen(self, other: Log) -> None:
        """The log of another launch."""
        if self._idle:
            self.lines |= needed_waits(other)


def _beside_its_name(
    launched: RepeatableLaunch, mine: Sequence[Finding], others: Sequence[Finding], tried: Variants, right: bool
) -> tuple[list[Finding], Variants]:
    """The findings of a launch and those of its variants, with what its results say of the name of the kernel.

    Nothing if they are ``right`` by a reference.
    """
    if tried.named is None:
        return [*mine, *merged(others)], tried
    unlike, equal, refuted = as_named(launched, tried.named)
    asked = bool(tried.named.function)
    mine = [one for one in mine if one not in refuted]
    others = [*others, *(unlike if asked else () if right else _untold(unlike, others, mine))]
    equal = (*tried.equal, *equal)
    return [*mine, *merged(others)], replace(tried, equal=equal)


def _untold(unlike: Sequence[Finding], of_variants: Sequence[Finding], known: Sequence[Finding]) -> Sequence[Finding]:
    """Findings of results that are not what they are named after, unless a warning says that something is wrong."""
    arrays = {one.operand for one in unlike}
    said = [*of_variants, *(one for one in known if one.operand in arrays or one.rule in LEFT_OUT)]
    return unlike if all(one.severity == ADVICE for one in said) else ()


def _held(array: Given, copied: bool) -> np.ndarray | None:
    """What an output holds; a copy of it where it is compared while others run."""
    if not array.output:
        return None
    return array.contents().copy() if copied else array.contents()


def _differences(variant: Variant, sides: tuple[Left, Left], arrays: Sequence[Given]) -> Iterator[Finding]:
    """Where a launch and a variant leave something else."""
    if variant.poisoned:
        yield from of_locals(*sides, arrays)
    elif variant.grid and not variant.asked:
        yield from of_grids(*sides, arrays, variant.grid.fewer, variant.grid.fixed)
    else:
        yield from disagreements(*sides, arrays, variant.count, variant.tile, variant.asked)


def _ignored(launched: RepeatableLaunch, varied: Iterable[Varied]) -> Iterator[Finding]:
    """The numbers that make no difference."""

    def leaves_the_same(variant: Variant) -> bool:
        _, findings = launched.run(variant)
        return not failed(findings) and launched.leaves_the_same()

    for one in varied:
        if all(leaves_the_same(variant) for variant in one.variants):
            said = rules.results.ignored(one.said, *(variant.said for variant in one.variants))
            yield replace(said, kernel=launched.log.kernel)


def _breaking(launched: RepeatableLaunch, variant: Variant, findings: Sequence[Finding]) -> Iterator[Finding]:
    """What there is to say of the error that a variant ends with; the kernel may not take smaller counts or tiles."""
    broken = next(finding for finding in findings if finding.severity == ERROR)
    if variant.poisoned:
        yield rules.uninitialized.breaking(broken, variant.said)
        return
    fits = not variant.count and not variant.tile
    if fits and (variant.asked or not _has_no_room(launched, variant, findings)):
        yield _elsewhere(broken, variant, launched.log.tasks > 1)


def _has_no_room(launched: RepeatableLaunch, variant: Variant, findings: Sequence[Finding]) -> bool:
    """Whether a number of tasks fails only because arrays have room for the parts of the launch's own tasks alone.

    All errors are then out of bounds, and lie where the parts of so many tasks would be.
    """
    room = list(rooms_for(math.prod(variant.launch.dim), launched.log, launched.arrays))
    return all(
        one.rule == rules.bounds.BOUNDS and one.region is not None and any(one.region.offset in there for there in room)
        for one in findings
        if one.severity == ERROR
    )


def _elsewhere(finding: Finding, variant: Variant, several: bool) -> Finding:
    """A finding of a variant: what the launch itself, which has ``several`` tasks or one, does not break."""
    advice = "if the kernel is written for one number of tasks, leave this one out of resplit"
    # All else may come of a number of tasks that the kernel is not written for.
    fits = variant.asked or finding.rule == rules.waits.ORDER or (several and finding.rule == rules.race.RACE)
    unfit = WARNING if finding.rule == rules.process.TIME else ADVICE  # to hang is no way to refuse a number
    return replace(
        finding,
        severity=finding.severity if fits else unfit,
        message=f"{variant.said}: {finding.message}",
        suggestion=f"{finding.suggestion}; {advice}" if finding.suggestion else advice,
    )
