"""Mutants tried one by one: which of them are faults at all, and what is found of these."""

from __future__ import annotations

import random
import re
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import BuildError, Device, Finding, KernelError, Log, Program, Run, load
from mlusim.simulator.findings import ADVICE, ERROR, WARNING

from tests.checks.after_run.happens_before import unordered

from .mutations import Mutant, mutants
from .source import Source, Span
from .subjects import Subject, Trial

#: Results differ where they are further apart than this, relative to the largest.
_TOLERANCE = 1e-4
#: Seconds that a launch may take; logs up to this length are asked for hazards.
_LIMIT, _RECORDS = 5.0, 150
#: What `mlusim check --deep` tries; less of it where a right kernel cannot be launched so.
_DEEP: Sequence[dict[str, Any]] = (
    {"orders": 2, "resplit": "few", "smaller": True, "retile": True, "vary": True, "poison": True},
    {"orders": 2, "resplit": "few", "retile": True, "vary": True, "poison": True},
    {"orders": 2, "smaller": True, "retile": True, "vary": True, "poison": True},
    {"orders": 2, "vary": True, "poison": True}, {},
)  # fmt: skip
#: Lines that an expected result shows first, of which it is counted whether they are the right ones.
_FIRST = (1, 3, 5, 8)
_SEVERITIES = (ERROR, WARNING, ADVICE)


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant that is a fault: what is found of it, by the first launch that finds anything."""

    subject: str
    mutant: Mutant
    hazard: bool  # its results are right here: it lacks an order
    findings: tuple[Finding, ...]
    trail: tuple[int, ...] | None = None  # the lines that an expected result shows, if it was asked

    @property
    def severity(self) -> str:
        """The highest of its findings; "" where there is none."""
        return next((s for s in _SEVERITIES if any(f.severity == s for f in self.findings)), "")

    @property
    def named(self) -> bool | None:
        """Whether an expected result shows the mutated line or its neighbour, if it was asked."""
        return None if self.trail is None else _near(self.mutant, self.trail)

    @property
    def at_line(self) -> bool:
        """Whether the first finding names the mutated line or its neighbour."""
        first = self.findings[0]
        return _near(self.mutant, [place.line for place in (first.location, first.related, first.origin) if place])


def _near(mutant: Mutant, lines: Sequence[int]) -> bool:
    return any(mutant.line - 1 <= line <= mutant.last_line + 1 for line in lines if line)


def built(text: str, work: Path, device: str, language: str = "mlu") -> Program:
    """A source built; BuildError where it does not compile."""
    path = work / f"mutant.{language}"
    path.write_text(text, encoding="utf-8")
    return load([path], device=Device.load(device))


@dataclass
class Right:
    """A kernel before a fault is seeded: what its launches leave, how they can be repeated, what is said of it anyway.

    One that is ``flawed`` may have errors and warnings of its own, and no more when it is repeated.
    """

    subject: Subject
    work: Path
    given: Program | None = None  # of its source, if it is built already; nothing is built anew for other tiles then
    results: list[list[np.ndarray]] = field(default_factory=list)
    flawed: bool = False
    repeats: list[dict[str, Any]] = field(default_factory=list)
    said: set[tuple[str, int]] = field(default_factory=set)
    logs: list[Log] = field(default_factory=list)

    def __post_init__(self) -> None:
        program = self.given or self.program(self.subject.source.text)
        for trial in self.subject.trials:
            own = _launch(program, self.subject, trial)[0].findings if self.flawed else ()
            known = {(f.rule, f.location.line) for f in own}
            for how in _DEEP:
                built_anew = self.given is None and self.subject.language != "cu"
                how = how if built_anew else {**how, "retile": False}
                try:
                    run, left = _launch(program, self.subject, trial, **how)
                except ValueError:  # no launch of this kind is compared so
                    if not how:
                        raise
                    continue
                more = [f for f in run.findings if f.severity != ADVICE and (f.rule, f.location.line) not in known]
                if not more:
                    break
            if more:
                raise ValueError(f"{self.subject.name} is not right: {more[0]}")
            self.results.append(left)
            self.repeats.append(how)
            self.said |= {(f.rule, f.location.line) for f in [*run.findings, *run.advice]}
            self.logs.append(run.log)

    def program(self, text: str) -> Program:
        """A source built; BuildError where it does not compile."""
        return built(text, self.work, self.subject.device, self.subject.language)

    def judged(self, mutant: Mutant, given: Program | None = None) -> Verdict | None:
        """What is found of a mutant, built if it is not; None where it does not compile or is as right as it was."""
        try:
            program = given or self.program(mutant.text)
        except BuildError:
            return None
        changed, logs = False, []
        trail: list[int] | None = None
        found: list[Finding] = []
        for trial, right, how in zip(self.subject.trials, self.results, self.repeats, strict=True):
            run, left = _launch(program, self.subject, trial, **how)
            differs = not _same(left, right)
            changed = changed or differs
            logs.append(run.log)
            if not found:
                found = [f for f in [*run.findings, *run.advice] if (f.rule, f.location.line) not in self.said]
            if differs and trail is None and mutant.after.strip(";\n "):
                expect = dict(_arrays(trial.arguments(), right))
                asked, _ = _launch(program, self.subject, trial, expect=expect)
                wrong = [f for f in asked.findings if f.rule == "wrong-result"]
                trail = [line for f in wrong[:1] for line in _lines(f)] if wrong else None
        if not changed and not any(map(_lacks_an_order, logs, self.logs)):
            return None
        return Verdict(self.subject.name, mutant, not changed, tuple(found), None if trail is None else tuple(trail))


def _lacks_an_order(log: Log, right: Log) -> bool:
    """Whether a log has accesses in no order, and that of the right kernel has none."""
    return max(len(log), len(right)) <= _RECORDS and bool(unordered(log)) and not unordered(right)


def _arrays(arguments: Any, right: Sequence[np.ndarray]) -> Iterator[tuple[int | str, np.ndarray]]:
    return zip(dict(_given(arguments)), right, strict=True)


def _given(arguments: Any) -> Iterator[tuple[int | str, np.ndarray]]:
    """The arrays among arguments, by their numbers or names."""
    pairs = arguments.items() if isinstance(arguments, dict) else enumerate(arguments)
    return ((name, value) for name, value in pairs if isinstance(value, np.ndarray))


def _lines(finding: Finding) -> list[int]:
    """The lines that the text of a finding shows, each once, in their order."""
    shown = (match[1].split(", ") for match in re.finditer(r"mutant\.\w+:(\d+(?:, \d+)*)", str(finding)))
    return list(dict.fromkeys(int(line) for lines in shown for line in lines))


def _launch(program: Program, subject: Subject, trial: Trial, **how: Any) -> tuple[Run, list[np.ndarray]]:
    arguments = trial.arguments()
    kind = {} if trial.kind == "grid" else {"type": trial.kind}
    more = {"on_finding": "collect", "time_limit": _LIMIT, **kind, **trial.how}
    try:
        run = program.launch(subject.name, trial.tasks, args=arguments, **more, **how)
    except KernelError as error:
        if error.run is None:
            raise
        run = error.run
    return run, [value for _, value in _given(arguments)]


def _same(left: Sequence[np.ndarray], right: Sequence[np.ndarray]) -> bool:
    """Whether arrays agree but for rounding."""
    for mine, other in zip(left, right, strict=True):
        a, b = mine.astype(np.float64), other.astype(np.float64)
        room = _TOLERANCE * np.max(np.abs(b), initial=0, where=np.isfinite(b)) if mine.dtype.kind not in "iub" else 0
        with np.errstate(invalid="ignore"):
            if not np.all((np.abs(a - b) <= room) | (a == b) | (np.isnan(a) & np.isnan(b))):
                return False
    return True


def breaking(subjects: Sequence[Subject], work: Path) -> Iterator[Subject]:
    """Those with an error, as they are; nothing of those that do not compile."""
    for subject in subjects:
        with suppress(BuildError):
            program = built(subject.source.text, work, subject.device, subject.language)
            if any(_launch(program, subject, trial)[0].errors for trial in subject.trials):
                yield subject


def with_a_fault(subjects: Sequence[Subject], rng: random.Random) -> Iterator[Subject]:
    """Each with a fault that is drawn, which may change nothing."""
    for subject in subjects:
        kinds = mutants(subject.source)
        text, within = rng.choice(kinds[rng.choice(sorted(kinds))]).text, subject.source.within
        longer = len(text) - len(subject.source.text)
        yield replace(subject, source=Source(text, Span(within.start, within.end + longer)))


def sample(
    subjects: Sequence[Subject], seed: int, count: int, work: Path, flawed: bool = False
) -> Iterator[Verdict]:  # fmt: skip
    """So many faults, drawn anew for each seed: a kernel in turn, then a kind, then a place, as likely as others."""
    rng = random.Random(seed)
    order = list(subjects)
    rng.shuffle(order)
    places = {id(subject): mutants(subject.source) for subject in order}
    rights: dict[int, Right] = {}
    made = 0
    while made < count and any(places.values()):
        for subject in order:
            kinds = places[id(subject)]
            while kinds and made < count:
                kind = rng.choice(sorted(kinds))
                mutant = kinds[kind].pop(rng.randrange(len(kinds[kind])))
                if not kinds[kind]:
                    del kinds[kind]
                if id(subject) not in rights:
                    rights[id(subject)] = Right(subject, work, flawed=flawed)
                verdict = rights[id(subject)].judged(mutant)
                if verdict:
                    made += 1
                    yield verdict
                    break


class Table:
    """The figures of a sample."""

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        self.verdicts = verdicts
        self.found = [v for v in verdicts if v.findings]

    def share(self, *severities: str) -> float:
        """The share of faults of which the worst finding has one of these severities."""
        return sum(v.severity in severities for v in self.verdicts) / max(1, len(self.verdicts))

    @property
    def detected(self) -> float:
        return len(self.found) / max(1, len(self.verdicts))

    def __str__(self) -> str:
        kinds: dict[str, list[Verdict]] = defaultdict(list)
        for verdict in self.verdicts:
            kinds[verdict.mutant.kind].append(verdict)
        lines = [f"{'KIND':<20} faults  error warning advice missed"]
        for kind, of in sorted(kinds.items()):
            counts = [sum(v.severity == s for v in of) for s in (*_SEVERITIES, "")]
            lines.append(f"{kind:<20} {len(of):>6} {counts[0]:>6} {counts[1]:>7} {counts[2]:>6} {counts[3]:>6}")
        counts = [len(v.findings) for v in self.found] or [0]
        asked = [v for v in self.verdicts if v.trail is not None]
        named = [sum(_near(v.mutant, (v.trail or ())[:most]) for v in asked) for most in (*_FIRST, None)]
        shown = [len(v.trail or ()) for v in asked] or [0]
        lines += [
            f"found: {len(self.found)} of {len(self.verdicts)}, {self.detected:.1%}; "
            f"as error or warning {self.share(ERROR, WARNING):.1%}",
            f"findings a fault that is found: median {statistics.median(counts):g}, "
            f"mean {statistics.mean(counts):.2f}, most {max(counts)}",
            *(
                f"first finding at the line or its neighbour, {s}: "
                f"{sum(v.at_line for v in self.found if v.severity == s)} of {sum(v.severity == s for v in self.found)}"
                for s in _SEVERITIES
            ),
            f"an expected result names the line or its neighbour: {named[-1]} of {len(asked)}; among the first "
            + ", ".join(f"{most}: {of}" for most, of in zip(_FIRST, named, strict=False))
            + f"; it shows {statistics.median(shown):g} lines in the median, {max(shown)} at most",
        ]
        return "\n".join(lines)
