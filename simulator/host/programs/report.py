"""What a host program has done on its devices: launches in order, and findings at its lines."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...engines.tasks.lines import LineTable
from ...findings import ERROR, Finding, merged_by, rules
from ...log import NOWHERE, Location, Log
from .messages import Place


@dataclass(frozen=True)
class Launched:
    """A launch of a program: which queue of which device it ran on, and when (microseconds of simulated time)."""

    kernel: str
    queue: int
    device: int
    place: Place
    dim: tuple[int, int, int]
    type: str
    start: float
    end: float
    log: Log | None = None  # where it is asked for
    cut: bool = False  # its log has not all of it, so that it took longer


@dataclass(frozen=True)
class LibraryCall:
    """A function of the operator library in a queue; its time is assumed (microseconds)."""

    function: str
    queue: int
    device: int
    place: Place
    start: float
    end: float


@dataclass(frozen=True)
class Death:
    """A signal that has ended a program; where that was in the code, as a module and an offset, as far as it is known.

    Of a fault: the address that was used (2**64 - 1: unknown), and whether it is of device memory.
    """

    signal: int
    address: int
    on_device: bool
    module: str
    offset: int


@dataclass(frozen=True)
class CutOff:
    """A launch that had not come to its end when its program did."""

    kernel: str
    place: Place


@dataclass
class ProgramReport:
    """What there is to say of a program when it has ended."""

    program: str = ""  # as it was called
    command: str = ""  # with its words
    launches: list[Launched] = field(default_factory=list)
    operations: list[LibraryCall] = field(default_factory=list)
    copies: int = 0
    copied_bytes: int = 0
    time_us: float = 0.0
    modules: dict[int, str] = field(default_factory=dict)
    ended: bool = False  # by itself; else it crashed or was killed
    death: Death | None = None  # as far as it could tell
    cut_off: CutOff | None = None
    tried: dict[str, str] = field(default_factory=dict)  # what launches of a kernel were compared with, if with any
    _found: list[tuple[Finding, Place, Place]] = field(default_factory=list)
    _tables: dict[int, LineTable] = field(default_factory=dict)

    def add(self, finding: Finding, place: Place = Place(), related: Place = Place()) -> None:  # noqa: B008 - frozen
        """Keep a finding; a place, where there is one, is where it is, and else it says that itself."""
        self._found.append((finding, place, related))

    def mark(self) -> tuple[int, int, int]:
        """Where it has come to, for `since`."""
        return len(self._found), len(self.launches), len(self.operations)

    def since(self, mark: tuple[int, int, int]) -> ProgramReport:
        """What has been added after a mark."""
        found, launches, operations = mark
        launched = self.launches[launches:]
        kernels = {one.kernel for one in launched}
        tried = {kernel: said for kernel, said in self.tried.items() if kernel in kernels}
        return replace(
            self, launches=launched, operations=self.operations[operations:], tried=tried, _found=self._found[found:]
        )

    @property
    def findings(self) -> list[Finding]:
        """The findings in order, equal ones of one line merged."""
        found = []
        for finding, place, related in self._found:
            if place.module:
                beside = self.location(related) if related.module else finding.related
                finding = replace(finding, location=self.location(place), related=beside)
                if not finding.location.line:
                    where = f"{Path(self.modules.get(place.module, '?')).name}+{place.offset:#x}"
                    message = f"{finding.message} ({where}, built without -g)"
                    finding = replace(finding, message=message, operand=finding.operand or where)  # a place of its own
            found.append(finding)
        return merged_by(found, [_cause(one) for one in found])

    @property
    def is_used(self) -> bool:
        """Whether the program has done anything with its devices."""
        return bool(self.launches or self.operations or self.copies or self._found or self.death or self.cut_off)

    @property
    def errors(self) -> list[Finding]:
        """The findings that are errors, not warnings."""
        return [finding for finding in self.findings if finding.severity == ERROR]

    def location(self, place: Place) -> Location:
        """The line of a place; NOWHERE where the program was built without debug information."""
        if place.module not in self.modules:
            return NOWHERE
        table = self._tables.setdefault(place.module, LineTable(Path(self.modules[place.module]), ()))
        return table.lines([place.offset])[0]

    @property
    def death_place(self) -> Location | None:
        """The line where a signal came that has ended it, where that is known."""
        if not self.death or not self.death.module:
            return None
        return LineTable(Path(self.death.module), ()).lines([self.death.offset])[0]

    def leaks(self, places: Sequence[tuple[Place, int]]) -> None:
        """Memory that was never freed: one finding for each line that allocated it."""
        found: dict[Location | Place, tuple[Place, list[int]]] = {}
        for place, bytes in places:
            where = self.location(place)
            found.setdefault(where if where.line else place, (place, []))[1].append(bytes)
        for place, sizes in found.values():
            self.add(rules.freed.never(len(sizes), sum(sizes)), place)


def _cause(finding: Finding) -> Hashable:
    """What findings of one cause have in common: all that passes the end of one array is one."""
    of_array = finding.rule == rules.bounds.BOUNDS and not finding.kernel and finding.related is not None
    return (finding.rule, finding.related, finding.slip) if of_array else finding.cause
