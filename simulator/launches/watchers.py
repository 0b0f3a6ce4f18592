"""Who is told of every launch of this process, whoever launches: checks of whole programs and of tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache

from ..findings import Finding
from ..findings.reports import Checked, Report, report_of
from ..log import Location, Log
from .repeats import NONE, Repeats
from .run import Run

#: Told of a run, and whether the launch has raised its first error.
Watcher = Callable[[Run, bool], None]


class _Watchers:
    """The watchers of one process; threads may launch while others come and go."""

    def __init__(self) -> None:
        self._all: tuple[Watcher, ...] = ()

    def repeats(self) -> Repeats:
        """What launches are compared with if they ask for nothing themselves: the first watcher that asks decides."""
        asked = (getattr(watcher, "repeats", None) for watcher in self._all)
        return next((repeats for repeats in asked if repeats), NONE)

    def tell(self, run: Run, raised: bool) -> None:
        """A launch has ended."""
        for watcher in self._all:
            watcher(run, raised)

    @contextmanager
    def watching(self, watcher: Watcher) -> Iterator[None]:
        """Tell ``watcher`` of the launches that end meanwhile, in all threads."""
        self._all = (*self._all, watcher)
        try:
            yield
        finally:
            self._all = tuple(other for other in self._all if other is not watcher)


@lru_cache(maxsize=1)
def watchers(process: int) -> _Watchers:
    """The watchers of a process; a forked child begins without any."""
    del process
    return _Watchers()


class Launches:
    """A watcher that keeps what reports say of launches, those of one kernel together."""

    def __init__(self, *, raised: bool = True, advice: bool = False, repeats: Repeats = NONE) -> None:
        """``raised``: keep launches that have raised their first error, too; ``advice``: keep the advice on launches.

        ``repeats`` is what launches are compared with that ask for nothing themselves.
        """
        self.repeats = repeats
        self._raised, self._advice = raised, advice
        self._checked: dict[str, Checked] = {}

    def __call__(self, run: Run, raised: bool) -> None:
        if raised and not self._raised:
            return
        new = checked(run, advice=self._advice)
        if self.repeats:
            new = replace(new, tried=run.variants.tried)
        old = self._checked.get(new.name)
        if old is not None:
            new = replace(new, findings=(*old.findings, *new.findings), ran=old.ran | new.ran)
        self._checked[new.name] = new

    @property
    def checked(self) -> list[Checked]:
        """The kernels that were launched, with their findings."""
        return list(self._checked.values())

    @property
    def tried(self) -> dict[str, str]:
        """What the last launch of each kernel was compared with."""
        return {one.name: one.tried for one in self.checked if one.tried}


def checked(run: Run, *, advice: bool = False) -> Checked:
    """What a report says of a run."""
    found = (*run.findings, *run.suppressed, *(run.advice if advice else ()))
    return checked_log(run.log, f"kernel {run.log.kernel}", found)


def report(*runs: Run, advice: bool = True) -> Report:
    """All that is to be said of runs, with advice if it is wanted; comments in their sources suppress findings."""
    return report_of(checked(run, advice=advice) for run in runs)


def checked_log(log: Log, name: str, findings: Sequence[Finding]) -> Checked:
    """What a report says of a log and its findings."""
    return Checked(name, tuple(findings), ran_in(log), log.kernel)


def ran_in(*logs: Log) -> frozenset[Location]:
    """The source lines of logs."""
    return frozenset(place for log in logs for place in log.locations if place.line)
