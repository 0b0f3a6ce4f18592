"""A launch as it goes to the process that runs it."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ...checks.at_issue.checking import Checking
from ...chip import Shape
from ...core.execution import Launch
from ...core.memory import Allocation
from ...frames import Buffer


class LaunchTarget(NamedTuple):
    """What a launch runs on: a device, as far as engines know it."""

    shape: Shape
    device: str
    checking: Checking


class LaunchRequest(NamedTuple):
    """A launch of a compiled kernel, and on what."""

    target: LaunchTarget
    launch: Launch


def encode_request(request: LaunchRequest, allocations: Sequence[Allocation]) -> list[bytes]:
    """The body of a `LaunchOrder`: plain values, which take a third of the time of the objects."""
    rows = [
        (e.start, e.end, e.space, e.owner, e.key, e.name, e.uninitialized if e.uninitialized.hi else None)
        for e in allocations
    ]
    plain = _encoded(request)
    return [_LENGTH.pack(len(plain)), plain, pickle.dumps(rows)]


def decode_request(body: Buffer) -> tuple[LaunchRequest, bytes]:
    """What is in the body of an order of the parent: the same object for an equal request, and encoded allocations."""
    view = memoryview(body)
    end = _LENGTH.size + _LENGTH.unpack_from(view)[0]
    return _decoded(bytes(view[_LENGTH.size : end])), bytes(view[end:])


def decode_allocations(encoded: bytes) -> tuple[Allocation, ...]:
    """The allocations of a device's memory."""
    return tuple([Allocation(*row) for row in pickle.loads(encoded)])


@lru_cache(maxsize=64)
def _encoded(request: LaunchRequest) -> bytes:
    """A request as plain values: launch after launch is the same."""
    target, launch = request
    return pickle.dumps((tuple(target), tuple(launch._replace(library=str(launch.library)))))  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def _decoded(plain: bytes) -> LaunchRequest:
    target, launch = pickle.loads(plain)
    asked = Launch(*launch)
    return LaunchRequest(LaunchTarget(*target), asked._replace(library=_path(str(asked.library))))


_path = lru_cache(maxsize=256)(Path)
_LENGTH = struct.Struct("<Q")
