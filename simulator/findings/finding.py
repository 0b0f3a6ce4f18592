"""Findings: what a kernel did wrong, as data."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from ..log.region import NOWHERE, Location, Region
from ..text import listed, printable
from .rule import ADVICE, ERROR, RULES, WARNING

if TYPE_CHECKING:  # what only builds has no logs
    from ..log import Log

#: Ranges of cores or tasks, or other lines, and steps of a trail, that a text names at most.
_RANGES, _STEPS = 8, 12


@dataclass(frozen=True)
class Step:
    """An instruction that has had a part in a wrong result, the first time; ``taken``: elements of arrays that it read.

    They are elements that the launch had been given: no instruction before had written them.
    """

    instruction: str
    location: Location
    core: int
    task: int
    taken: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The file of its line."""
        return self.location.file

    @property
    def place(self) -> tuple[str, Location]:
        """The instruction at its line."""
        return self.instruction, self.location

    def __str__(self) -> str:
        return f"{self.instruction} at {self.location}" + (f", of {' and '.join(self.taken)}" if self.taken else "")


@dataclass(frozen=True)
class OtherRun:
    """How the same came about in another run of a launch, or what is right: which it is, its steps, the last first."""

    said: str
    steps: tuple[Step, ...]


class Differing(NamedTuple):
    """Elements of an array that are others in another run: how many, of how many, and the first with its two values."""

    array: str
    number: int
    size: int
    first: str
    here: str
    there: str


@dataclass(frozen=True)
class Finding:
    """One broken rule. Findings with one cause are one finding with a count."""

    rule: str  # its id, see `RULES`
    message: str  # what is wrong, with the value and the limit
    instruction: str = ""
    operand: str = ""
    region: Region | None = None
    limit: str = ""  # the limit and where it comes from
    suggestion: str = ""
    kernel: str = ""
    core: int = -1
    task: int = -1
    location: Location = NOWHERE
    related: Location | None = None  # the other instruction involved
    severity: str = ""  # that of the rule
    count: int = 1
    provenance: str = "documented"
    cores: tuple[int, ...] = ()  # all that it was seen on, sorted; `core` and `task` are those of the first time
    tasks: tuple[int, ...] = ()
    origin: Location | None = None  # where the memory was declared or allocated
    reason: str = ""  # why it may stay, where it is suppressed
    suppressed_at: Location | None = None  # where that is written
    trail: tuple[Step, ...] = ()  # how a wrong result came about, the last step first
    also: tuple[Location, ...] = ()  # where else the same mistake shows
    other: OtherRun | None = None  # and in a run that it is compared with, or the steps that it lacks
    slip: str = ""  # what is the same of the findings that one slip makes of several arrays or instructions, in words
    carried_out: bool = False  # of an error: the kernel has gone on, and has done all that is written nevertheless

    def __post_init__(self) -> None:
        if not self.severity:
            object.__setattr__(self, "severity", RULES[self.rule].severity)
        if self.core >= 0 and not self.cores:
            object.__setattr__(self, "cores", (self.core,))
        if self.task >= 0 and not self.tasks:
            object.__setattr__(self, "tasks", (self.task,))

    def __str__(self) -> str:
        head = f"{self.severity}: {self.rule}: {self.message}"
        if self.provenance == "inferred":
            head += " (inferred rule)"
        where = []
        if self.region:
            where.append(f"operand {self.operand} = {self.region}" if self.operand else str(self.region))
        elif self.instruction and self.operand not in self.message:
            where.append(f"operand {self.operand}")
        if self.origin and self.origin.line:
            where.append(f"allocated at {self.origin}")
        if self.limit:
            where.append(f"limit: {self.limit}")
        who = [self.instruction or "", f"kernel {self.kernel}" if self.kernel else ""]
        if self.core >= 0:
            who.append(f"core {self.core}, task {self.task}")
        lines = [head, *where, ", ".join(part for part in who if part)]
        if self.location.line:
            lines.append(f"at {self.location}" + (f", with {self.related}" if self.related else ""))
        if self.also:
            more = f" and {len(self.also) - _RANGES} more" if len(self.also) > _RANGES else ""
            lines.append(f"also at {', '.join(map(str, self.also[:_RANGES]))}{more}")
        lines += _steps("from", self.trail)
        if self.other:
            lines += _steps(f"{self.other.said}:", self.other.steps[:1]) + _steps("  from", self.other.steps[1:])
        if self.suggestion:
            lines.append(f"fix: {self.suggestion}")
        if self.count > 1:
            several = len(self.cores) > 1 or len(self.tasks) > 1
            who_all = f", on {_listed('core', self.cores)} by {_listed('task', self.tasks)}" if several else ""
            lines.append(f"seen {self.count} times{who_all}")
        return "\n  ".join(printable(line) for line in lines if line)

    def but(self, **changes: Any) -> Finding:
        """The finding with some fields changed: `dataclasses.replace`, which takes ten times as long."""
        made = object.__new__(Finding)
        made.__dict__.update(self.__dict__, **changes)
        made.__post_init__()
        return made

    def at(self, log: Log, record: int, **changes: Any) -> Finding:
        """The finding with the kernel, the core, the task and the line of a record of a log, and further changes."""
        row = log.records[record]
        where = {"core": int(row["core"]), "task": int(row["task"]), "location": log.location(record)}
        return self.but(**{"kernel": log.kernel, **where, **changes})

    def at_all(self, log: Log, records: Sequence[int], **changes: Any) -> Finding:
        """The finding with the count, the cores and the tasks of several records, and where the first of them is."""
        rows = log.records[records]
        cores, tasks = (tuple(sorted({*rows[name].tolist()})) for name in ("core", "task"))
        return self.at(log, int(records[0]), count=len(records), cores=cores, tasks=tasks, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Finding:
        """A finding that has come as data; its rule is one of `RULES`."""
        return cls(**fields)

    @property
    def places(self) -> list[Location]:
        """The lines that it names: its own, that of the other instruction, where memory was declared or allocated."""
        return [place for place in (self.location, self.related, self.origin) if place]

    @property
    def cause(self) -> tuple[object, ...]:
        """What findings of one cause have in common: rule and lines; where one line alone is at fault, its operand."""
        alone = self.related is None or not self.location.line
        return (
            self.rule, self.severity, self.kernel, self.location, self.related,
            (self.instruction, self.operand) if alone else None,
        )  # fmt: skip


def _steps(said: str, trail: Sequence[Step]) -> list[str]:
    """The lines of a trail; steps of one kind in one file that have taken nothing share one, if they are neighbours."""
    groups = [list(of) for _, of in groupby(trail, lambda step: step if step.taken else (step.instruction, step.file))]
    lines = []
    for first, *others in groups[:_STEPS]:
        left = len(others) + 1 - _STEPS
        numbers = "".join(f", {step.location.line}" for step in others[: _STEPS - 1])
        lines.append(f"{said} {first}{numbers}" + (f" and {left} more" if left > 0 else ""))
    return lines + ([f"and {len(groups) - _STEPS} more"] if len(groups) > _STEPS else [])


def failed(findings: Iterable[Finding]) -> bool:
    """Whether an error is among findings."""
    return any(finding.severity == ERROR for finding in findings)


def spoiled(findings: Iterable[Finding]) -> bool:
    """Whether an error is among findings that leaves the results of a launch without a meaning."""
    return any(finding.severity == ERROR and not finding.carried_out for finding in findings)


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Findings with those of one cause as one: the first, with all counts, cores and tasks."""
    known = list(findings)
    return known if len(known) < 2 else merged_by(known, [finding.cause for finding in known])


def merged_by(findings: Iterable[Finding], causes: Iterable[Hashable]) -> list[Finding]:
    """Findings with those of one cause as one; ``causes`` has one for each."""
    groups: dict[Hashable, list[Finding]] = {}
    for finding, cause in zip(findings, causes, strict=True):
        groups.setdefault(cause, []).append(finding)
    return [group[0] if len(group) == 1 else _joined(group) for group in groups.values()]


#: How reports call findings, one and several.
_NOUNS = {
    ERROR: ("error", "errors"), WARNING: ("warning", "warnings"), ADVICE: ("piece of advice", "pieces of advice"),
}  # fmt: skip


def counted(findings: Sequence[Finding], suppressed: int = 0) -> str:
    """How many findings there are of each severity, and how many are suppressed; "" where there are none."""
    counts = [(sum(f.severity == severity for f in findings), nouns) for severity, nouns in _NOUNS.items()]
    parts = [f"{count} {nouns[count > 1]}" for count, nouns in counts if count]
    parts += [f"{suppressed} suppressed"] if suppressed else []
    return listed(parts)


def _joined(group: list[Finding]) -> Finding:
    first = group[0]
    own = (one.related if one.location == first.location else one.location for one in group)
    places = dict.fromkeys([*own, *(place for one in group for place in one.also)])
    return first.but(
        also=tuple(place for place in places if place and place.line and place not in (first.location, first.related)),
        carried_out=all(finding.carried_out for finding in group),
        count=sum(finding.count for finding in group),
        cores=tuple(sorted({core for finding in group for core in finding.cores})),
        tasks=tuple(sorted({task for finding in group for task in finding.tasks})),
    )


def _listed(what: str, numbers: tuple[int, ...]) -> str:
    """Sorted numbers, those that follow one another as one: "cores 0 to 3, 5 and 8"."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    shown = [f"{low} to {high}" if high > low else str(low) for low, high in ranges[:_RANGES]]
    more = sum(high - low + 1 for low, high in ranges[_RANGES:])
    shown += [f"{more} more"] if more else []
    return f"{what}{'s' if len(numbers) > 1 else ''} {listed(shown)}"
