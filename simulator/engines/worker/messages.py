"""What the two processes say to each other: the parent, and the worker that runs C kernels.

What a worker sends is the word of a process that runs native code of strangers: the parent takes nothing from it but
numbers and text, checks all of it, and gives memory only to bytes that have come.
"""

from __future__ import annotations

from typing import NamedTuple

from ...frames import Protocol

#: Borrowed arrays that a device memory may have: each comes as a descriptor.
MOST_PARTS = 60


class Start(NamedTuple):
    """To the worker: where modules are found, those to import besides its own, and the runtime to load."""

    places: str
    modules: tuple[str, ...]
    runtime: str


class MissingLayer(NamedTuple):
    """A layer of the sandbox that a host lacks, and why, in words."""

    name: str
    why: str


class Ready(NamedTuple):
    """From the worker: it is in its sandbox, of which this is missing."""

    missing: tuple[MissingLayer, ...]


class BorrowedPart(NamedTuple):
    """Pages of a device memory that another file backs, from ``offset`` on."""

    address: int
    bytes: int
    offset: int


class LaunchOrder(NamedTuple):
    """Run a kernel on a device memory; the body (see `request`) says which, and what is allocated.

    ``dropped`` are memories to forget. ``attach``: the memory, which begins at ``address`` and is of ``space``, comes
    as a descriptor, and those of its ``parts`` behind it: the launch before was on another one, or on other parts.
    ``image``: the worker has not seen the image, which comes, too.
    """

    serial: int
    dropped: tuple[int, ...]
    attach: bool
    address: int
    space: str
    parts: tuple[BorrowedPart, ...]
    image: bool
    wants_progress: bool


class Describe(NamedTuple):
    """What is in an image of so many kernels? Its descriptor comes along; seconds are the limit."""

    library: str
    kernels: int
    time_limit: float


class Progress(NamedTuple):
    """Of a launch: tasks that are done, and all."""

    done: int
    total: int


class Answered(NamedTuple):
    """The body is what a launch gave, see `answer`."""


class Described(NamedTuple):
    """The body is the description of an image, see `answer`."""


class Failed(NamedTuple):
    """The body is what went wrong in the simulator, or in the loading of an image, see `answer`."""


PROTOCOL = Protocol(Start, Ready, LaunchOrder, Describe, Progress, Answered, Described, Failed)
#: What a worker may send, and the bytes of the body at most. An answer holds the log of a launch.
FROM_WORKER = {Ready: 0, Progress: 0, Answered: 1 << 34, Described: 1 << 24, Failed: 1 << 20}
#: What it takes.
TO_WORKER = {Start: 0, LaunchOrder: 1 << 32, Describe: 0}
