"""What the simulator itself spends its time on, by phase: what `mlusim run --profile` shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from time import perf_counter
from types import TracebackType
from typing import Any

#: Phases by name, each with its seconds and how often it was entered.
Phases = dict[str, tuple[float, int]]


class Spent:
    """Where time goes while something runs. The time of a phase inside of another one is its own alone."""

    def __init__(self, rest: str) -> None:
        """``rest`` names what is in no phase."""
        self._seconds: dict[str, float] = {rest: 0.0}
        self._times: dict[str, int] = {}
        self._now, self._since = rest, perf_counter()

    def turn(self, name: str) -> str:
        """From here on time is that of another phase; the name of the phase until here."""
        before, now = self._now, perf_counter()
        self._seconds[before] = self._seconds.get(before, 0.0) + now - self._since
        self._now, self._since = name, now
        return before

    def count(self, name: str, times: int = 1) -> None:
        """A phase has been entered so many times more."""
        self._times[name] = self._times.get(name, 0) + times

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose calls are a phase."""

        def call(*args: Any) -> Any:
            before = self.turn(name)
            self.count(name)
            try:
                return function(*args)
            finally:
                self.turn(before)

        return call

    def absorb(self, phases: Iterable[tuple[str, float, int]]) -> None:
        """What another process has spent while this one waited for it in the phase that it is in."""
        self.turn(self._now)
        for name, seconds, times in phases:
            self._seconds[name] = self._seconds.get(name, 0.0) + seconds
            self._seconds[self._now] -= seconds
            self._times[name] = self._times.get(name, 0) + times

    @property
    def phases(self) -> Phases:
        """All phases until now, those that took longest first."""
        self.turn(self._now)
        ordered = sorted(self._seconds.items(), key=lambda entry: -entry[1])
        return {name: (max(seconds, 0.0), self._times.get(name, 1)) for name, seconds in ordered}


_current: ContextVar[Spent | None] = ContextVar("spent", default=None)
_NOTHING = nullcontext()


def current() -> Spent | None:
    """Where time is kept now, if it is."""
    return _current.get()


@contextmanager
def spending(rest: str) -> Iterator[Spent]:
    """Keep where time goes in this block."""
    spent = Spent(rest)
    token = _current.set(spent)
    try:
        yield spent
    finally:
        _current.reset(token)


def phase(name: str) -> AbstractContextManager[None]:
    """A phase of what runs in this block, where time is kept; else nothing."""
    spent = _current.get()
    return _NOTHING if spent is None else _Phase(spent, name)


class _Phase:
    def __init__(self, spent: Spent, name: str) -> None:
        self._spent, self._name = spent, name

    def __enter__(self) -> None:
        self._outer = self._spent.turn(self._name)
        self._spent.count(self._name)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._spent.turn(self._outer)
