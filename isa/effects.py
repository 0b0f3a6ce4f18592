"""What an instruction does to the machine: each has exactly one effect.

    Compute    new contents of its written operands, from a function of the read ones
    Copy       bytes move as they are, segment after segment
    Atomic     like Compute, and nothing can come between its read and its write
    Wait       the core goes on when some pipes are idle
    Barrier    the core goes on when others have arrived
    Cache      the scalar unit's cache of a range is written back or dropped
    Section    queues run side by side from here on, or again one after the other
    Signal    a queue tells others how far it has come, or waits until they have told

An effect on memory is complete at one of four times (`Completion`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Completion(StrEnum):
    """When the core and the other pipes may rely on an effect."""

    IN_ORDER = "in order"  # later instructions of its pipe, blocking ones and the core see it; others need a wait
    BLOCKING = "blocking"  # the core waits for its end
    DEFERRED = "deferred"  # not before a wait on its pipe
    QUEUED = "queued"  # after all earlier commands of the queues, unless a section is open; the core has to wait itself


@dataclass(frozen=True)
class Compute:
    """The semantics gives new contents to the written operands; ``partial``: to the rows that it returns."""

    completion: Completion = Completion.IN_ORDER
    partial: bool = False


@dataclass(frozen=True)
class Copy:
    """The first operand becomes the second. Where both overlap, segments move one after the other (inferred).

    ``cluster`` is the argument that names a cluster of the union: the first operand lies in that one's memory, where
    its address points to in the own one's.
    """

    completion: Completion = Completion.BLOCKING
    cluster: str = ""


@dataclass(frozen=True)
class Atomic:
    """Reads and writes its ``inout`` operand in one step."""

    completion: Completion = Completion.IN_ORDER


@dataclass(frozen=True)
class Wait:
    """The core's front end waits until ``pipes`` are idle.

    One that returns a number gives what the last instruction on the core has counted; see `Instruction.counts`.
    """

    pipes: tuple[str, ...]


@dataclass(frozen=True)
class Barrier:
    """Tasks wait for each other; before that, the core waits for its own ``pipes``."""

    reach: str  # "cluster" or "union"
    pipes: tuple[str, ...]
    members: str = ""  # "" = all, "ipu" = cores but no memory cores, "mpu" = memory cores alone

    @property
    def scope(self) -> str:
        """Its name in logs and messages: ``cluster``, ``union_ipu``."""
        return f"{self.reach}_{self.members}" if self.members else self.reach


@dataclass(frozen=True)
class Cache:
    """``flush``: scalar stores to the range reach memory. ``invalidate``: scalar loads come from memory."""

    action: str


@dataclass(frozen=True)
class Section:
    """Opens or closes the section in which queues run side by side."""

    opens: bool


@dataclass(frozen=True)
class Signal:
    """A command that sends a message, or one that holds its queue until a message has been sent often enough.

    Its arguments are the number of the message and a count: of a send, how many commands wait for it; of a wait, how
    many send it. When all have waited the number is free for another message.
    """

    sends: bool
    completion: Completion = Completion.QUEUED


Effect = Compute | Copy | Atomic | Wait | Barrier | Cache | Section | Signal
#: Effects whose function is given by the declaration.
WITH_SEMANTICS = (Compute, Atomic)
