"""Bandwidth that several cores share: everyone who draws from it at a moment gets the same share of it.

A server is one channel of one unit (the DRAM, the port of a cluster). Its users are served side by side at one speed,
an even share of all, at most what one core can draw. So it is enough to know how many bytes each user has had since the
beginning (`_Server.served`): a transfer is through when that has grown by its bytes. A free share is not passed on from
one channel to the other: who waits for the DRAM still counts at the port of its cluster.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

#: What a departure does: the record, and when its bytes were through.
Through = Callable[[int, float], None]


class Server:
    """One channel of one unit."""

    __slots__ = ("at", "core_rate", "moved", "rate", "served", "users", "version")

    def __init__(self, rate: float, core_rate: float, moved: memoryview) -> None:
        self.rate, self.core_rate = rate, core_rate  # bytes a microsecond
        self.moved = moved  # bytes of every record
        self.at = self.served = 0.0  # bytes that a user has got in all, up to a time
        self.users: list[tuple[float, int, int]] = []  # served when through, core, record
        self.version = 0  # of what was last said about the next departure

    def speed(self) -> float:
        """Bytes a microsecond that each user gets."""
        return min(self.core_rate, self.rate / len(self.users))

    def advance(self, time: float) -> None:
        """Serve everyone up to a time."""
        if self.users:
            self.served += (time - self.at) * self.speed()
        self.at = time


class Channels:
    """All servers that may have to be shared, and when the next transfer is through."""

    def __init__(self, through: Through) -> None:
        self.through = through
        self._next: list[tuple[float, int, int]] = []  # time, number of a server, version
        self._servers: list[Server] = []
        self._numbers: dict[int, int] = {}

    def add(self, server: Server) -> None:
        """A server of this log."""
        self._numbers[id(server)] = len(self._servers)
        self._servers.append(server)

    def next(self) -> float:
        """When the next transfer is through."""
        while self._next:
            time, number, version = self._next[0]
            if version == self._servers[number].version:
                return time
            heapq.heappop(self._next)
        return float("inf")

    def enter(self, server: Server, core: int, record: int, time: float) -> None:
        """A transfer begins."""
        server.advance(time)
        if not server.users:
            server.served = 0.0  # a fresh count keeps the sums exact
        heapq.heappush(server.users, (server.served + server.moved[record], core, record))
        self._announce(server)

    def leave(self) -> None:
        """The transfer that is through first, leaves."""
        time, number, _ = heapq.heappop(self._next)
        server = self._servers[number]
        served, _, record = heapq.heappop(server.users)
        server.served, server.at = served, time
        self._announce(server)
        self.through(record, time)

    def _announce(self, server: Server) -> None:
        server.version += 1
        if server.users:
            wait = max(server.users[0][0] - server.served, 0.0) / server.speed()
            heapq.heappush(self._next, (server.at + wait, self._numbers[id(server)], server.version))
