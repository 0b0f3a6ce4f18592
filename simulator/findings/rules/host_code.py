"""Host code takes a pointer for what it is, and work of queues that shares memory has an order."""

from ..finding import Finding
from ..rule import declare_rule

HOST_POINTER = declare_rule(
    "host-pointer", "host code takes a pointer for what it is, and device memory for the runtime's"
)
QUEUE_ORDER = declare_rule(
    "queue-order", "work that shares memory has an order: of a queue, a notifier, a host that waits"
)


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


def target_used(address: int) -> Finding:
    """The host uses the target of a queued copy."""
    message = f"the host uses {address:#x}, the target of a copy that it has not waited for"
    return Finding(QUEUE_ORDER, message, suggestion="wait with cnrtQueueSync before")


def followed(address: int) -> Finding:
    """The host follows a device pointer."""
    message = f"the host uses device memory at {address:#x} through a device pointer"
    return Finding(HOST_POINTER, message, suggestion="copy with cnrtMemcpy")


def freed_inside(address: int, offset: int) -> Finding:
    """A pointer is freed that is ``offset`` bytes behind the one that was allocated."""
    message = f"{address:#x} lies {offset} byte{'s' * (offset != 1)} inside of an allocation, and is freed"
    return Finding(HOST_POINTER, message, suggestion="free the pointer that the allocation gave")


def not_allocated(address: int, pinned: bool) -> Finding:
    """A pointer is freed that was not allocated as device memory, or as ``pinned`` host memory."""
    advice = "free what cnrtMalloc gave with cnrtFree, and host memory as it was allocated"
    if pinned:
        advice = "free with cnrtFreeHost what cnrtHostMalloc gave"
    message = f"{_at(address)} is no {'pinned host' if pinned else 'device'} memory, and is freed as such"
    return Finding(HOST_POINTER, message, suggestion=advice)


def not_on_device(what: str, address: int) -> Finding:
    """What has to be device memory is none."""
    message = f"{what} at {_at(address)} is {'no device memory' if address else 'null'}"
    advice = "pass a pointer that cnrtMalloc gave, or the direction that is meant"
    return Finding(HOST_POINTER, message, suggestion=advice)


def not_on_host(address: int) -> Finding:
    """A pointer of a copy that has to be the host's is not."""
    what = "is device memory" if address else "is null"
    message = f"{_at(address)} {what}, and the direction of the copy says that it is the host's"
    return Finding(HOST_POINTER, message, suggestion="pass the direction that is meant")


def _at(address: int) -> str:
    """An address as C prints it: null is 0."""
    return hex(address) if address else "0"
