"""A launch as it goes to the process that runs it."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ...checks.at_issue import Checking
from ...chip import Shape
from ...core.execution import Launch
from ...core.memory import Allocation
from .frames import Buffer


class Target(NamedTuple):
    """What a launch runs on: a device, as far as engines know it."""

    shape: Shape
    device: str
    checking: Checking


class LaunchRequest(NamedTuple):
    """A launch of a compiled kernel, and on what."""

    target: Target
    launch: Launch


class Order(NamedTuple):
    """What a worker is sent: device memories to forget, the one to use, and the launch.

    ``attach`` is the address and the space of a memory that the worker has not seen, its descriptor comes along;
    ``image`` says that another one is that of the image.
    """

    dropped: tuple[int, ...]
    serial: int
    attach: tuple[int, str] | None
    image: bool
    allocations: tuple[Allocation, ...]
    request: LaunchRequest
    wants_progress: bool


def encode_order(order: Order) -> bytes:
    """The message: plain values, which take a third of the time of the objects."""
    *rest, entries, request, progress = order
    rows = [
        (e.start, e.end, e.space, e.owner, e.key, e.name, e.uninitialized if e.uninitialized.hi else None)
        for e in entries
    ]
    target, launch = request
    plain = tuple(target), tuple(launch._replace(library=str(launch.library)))  # type: ignore[arg-type]
    return pickle.dumps((*rest, rows, plain, progress))


def decode_order(body: Buffer) -> Order:
    """The order in a message of the parent."""
    dropped, serial, attach, image, rows, plain, progress = pickle.loads(body)
    target, launch = Target(*plain[0]), Launch(*plain[1])
    request = LaunchRequest(target, launch._replace(library=_path(str(launch.library))))
    entries = tuple([Allocation(*row) for row in rows])
    return Order(dropped, serial, attach, image, entries, request, progress)


_path = lru_cache(maxsize=256)(Path)


@dataclass(frozen=True)
class Question:
    """What is in an image? Its descriptor comes along."""

    library: Path
    kernels: int
    time_limit: float
