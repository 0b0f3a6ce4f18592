"""Who is told of every launch of this process, whoever launches: checks of whole programs and of tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from ..reports import Checked
from .run import Run

#: Told of a run, and whether the launch has raised its first error.
Watcher = Callable[[Run, bool], None]


class _Watchers:
    """The watchers of one process; threads may launch while others come and go."""

    def __init__(self) -> None:
        self._all: tuple[Watcher, ...] = ()

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

    def __init__(self, *, raised: bool = True) -> None:
        """``raised``: whether it keeps launches that have raised their first error, too."""
        self._raised = raised
        self._checked: dict[str, Checked] = {}

    def __call__(self, run: Run, raised: bool) -> None:
        if raised and not self._raised:
            return
        new = checked(run)
        old = self._checked.get(new.name)
        if old is not None:
            new = Checked(new.name, (*old.findings, *new.findings), old.ran | new.ran, new.kernel)
        self._checked[new.name] = new

    @property
    def checked(self) -> list[Checked]:
        """The kernels that were launched, with their findings."""
        return list(self._checked.values())


def checked(run: Run) -> Checked:
    """What a report says of a run."""
    kernel = str(run.log.launch.get("kernel", ""))
    ran = frozenset(place for place in run.log.locations if place.line)
    return Checked(f"kernel {kernel}", (*run.findings, *run.suppressed), ran, kernel)
