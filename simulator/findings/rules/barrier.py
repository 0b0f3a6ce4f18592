"""Every task of its scope, and every thread of a block, reaches a barrier."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..finding import Finding
from ..rule import declare_rule

BARRIER = declare_rule(
    "barrier", "every task of its scope reaches a barrier, and a message is sent as often as awaited"
)
_EVERY = "every thread of the block reaches it (CUDA C++ Programming Guide)"
#: Tasks that are waited for at one barrier and that a finding names at most.
_NAMED = 8


@dataclass(frozen=True)
class Party:
    """A task, or the memory core of a cluster: the scope of the barrier that it waits at, and whether it has ended."""

    task: int
    cluster: int
    memory_core: bool
    scope: str
    done: bool

    def __str__(self) -> str:
        return f"the memory core of cluster {self.cluster}" if self.memory_core else f"task {self.task}"

    @property
    def state(self) -> str:
        """What it does, in words."""
        waits = f"waits in {self.scope}" if self.scope else "runs"
        return f"{self} ({'has ended' if self.done else waits})"


def deadlock(chain: Sequence[tuple[Party, Sequence[Party]]], stuck: int) -> Finding:
    """``stuck`` tasks wait forever; each of the chain for those behind it, up to one that waits for none of them."""
    links = []
    for party, missing in chain:
        whom, more = ", ".join(other.state for other in missing[:_NAMED]), " and more" if len(missing) > _NAMED else ""
        links.append(f"{party} waits in a {party.scope} barrier for {whom}{more}")
    return Finding(
        BARRIER,
        f"{', and '.join(links)}; {stuck} tasks wait forever",
        instruction=chain[0][0].scope,
        suggestion="let every task of the scope reach the barrier",
    )


def unsent(name: str, number: int, count: int, sent: int) -> Finding:
    """A queue waits for ever for a message that was sent so often."""
    often = "" if count == 1 else f" to be sent {count} times"
    times = {0: "never sent", 1: "sent once"}.get(sent, f"sent {sent} times")
    return Finding(
        BARRIER,
        f"{name} waits for message {number}{often}, which is {times}; its queue is blocked forever",
        instruction=name,
        suggestion=f"send message {number} as often as it counts, from queues that do not wait for it before",
    )


def skipped(who: str, ended: int, first: str) -> Finding:
    """A thread waits for threads of its block that have ended."""
    return Finding(
        BARRIER,
        f"{who} waits at a barrier that {ended} threads of its block skip, {first} first: they have ended",
        instruction="__syncthreads",
        limit=_EVERY,
        suggestion="let the threads that have no element go on to the barrier, and test again after it",
    )


def apart(who: str, other: str) -> Finding:
    """Threads of a block wait at different barriers."""
    return Finding(
        BARRIER,
        f"{who} waits at one barrier, {other} at another",
        instruction="__syncthreads",
        limit=_EVERY,
        suggestion="move the barrier out of the condition",
    )


def apart_in_warp(who: str, function: str, mask: int, other: str) -> Finding:
    """A thread waits for another one of its warp, which is elsewhere; "": its mask leaves out the thread itself."""
    waits = f"waits in {function} for {other}, which the mask {mask:#x} names and which waits elsewhere"
    lacks = f"calls {function} with the mask {mask:#x}, which does not include the thread itself"
    return Finding(
        BARRIER,
        f"{who} {waits if other else lacks}",
        instruction=function,
        limit="every thread that the mask names calls the function with that mask (CUDA C++ Programming Guide)",
        suggestion="move the call out of the condition, or name only the threads that reach it in the mask "
        "(__ballot_sync of the condition before it)",
    )
