"""Who is told of every launch of this process, whoever launches: checks of whole programs and of tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

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
