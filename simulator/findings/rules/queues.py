"""Work of queues that shares memory has an order, and host code takes a pointer for what it is."""

from __future__ import annotations

from ..finding import Finding
from ..rule import declare

QUEUE_ORDER = declare("queue-order", "work that shares memory has an order: of a queue, a notifier, a host that waits")
HOST_POINTER = declare("host-pointer", "host code takes a pointer for what it is, and device memory for the runtime's")


def unordered(what: str, other: str, other_queue: int, queue: int | None) -> Finding:
    """Work of a queue, or of the host (None), shares memory with other work, and nothing orders them."""
    host = queue is None
    behind = "the host has not waited for" if host else f"queue {queue} is not ordered with"
    return Finding(
        QUEUE_ORDER,
        f"{what} shares memory with {other} in queue {other_queue}, which {behind}",
        suggestion="wait with cnrtQueueSync" if host else "let one queue wait for a notifier of the other",
    )


def not_waited_for(what: str) -> Finding:
    """A program ends before some work."""
    message = f"the program ends and has not waited for {what}"
    return Finding(QUEUE_ORDER, message, suggestion="wait with cnrtQueueSync before the end")
