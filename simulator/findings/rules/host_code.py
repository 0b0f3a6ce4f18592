"""Host code takes a pointer for what it is, and work of queues that shares memory has an order."""

from dataclasses import replace

from ...log.region import Location
from ..finding import Finding
from ..rule import WARNING, declare_rule

HOST_POINTER = declare_rule(
    "host-pointer", "host code uses each pointer as what it is, and leaves device memory to the runtime"
)
QUEUE_ORDER = declare_rule(
    "queue-order", "work that shares memory has an order: of a queue, a notifier, a host that waits"
)

HOST_FUNCTION = declare_rule("host-function", "a function that a queue calls does not call the runtime")
FAILED_CALL = declare_rule("failed-call", "calls of the runtime succeed", WARNING)
_SYNC = "cnrtQueueSync, cudaStreamSynchronize, tpuRtStreamSynchronize or bm_thread_sync"
_ALLOCATE = "cnrtMalloc, cudaMalloc, tpuRtMalloc or bm_malloc_device_byte"
_COPY = "cnrtMemcpy, cudaMemcpy, tpuRtMemcpyS2D or bm_memcpy_s2d"
_WAIT = f"wait for its queue before, with {_SYNC}"


def failed_call(what: str) -> Finding:
    """A call of the runtime fails; ``what`` says which one, how and why."""
    return Finding(FAILED_CALL, what)


def called_by_host_function(function: str) -> Finding:
    """A function that a queue calls calls the runtime."""
    message = f"{function} is called from a function of cnrtInvokeHostFunc, and fails"
    return Finding(HOST_FUNCTION, message, suggestion="let it signal a thread of the program, which calls the runtime")


def unordered(what: str, other: str, other_queue: int, queue: int | None) -> Finding:
    """Work of a queue, or of the host (None), shares memory with other work, and nothing orders them."""
    host = queue is None
    behind = "the host has not waited for" if host else f"queue {queue} is not ordered with"
    return Finding(
        QUEUE_ORDER,
        f"{what} shares memory with {other} in queue {other_queue}, which {behind}",
        suggestion=f"wait with {_SYNC}" if host else "let one queue wait for a notifier of the other",
    )


def not_waited_for(what: str) -> Finding:
    """A program ends before some work."""
    message = f"the program ends and has not waited for {what}"
    return Finding(QUEUE_ORDER, message, suggestion=f"wait with {_SYNC} before the end")


def target_used(address: int) -> Finding:
    """The host uses the target of a queued copy."""
    message = f"the host uses {address:#x}, the target of a copy that it has not waited for"
    return Finding(QUEUE_ORDER, message, suggestion=_WAIT)


def target_changed(address: int, size: int) -> Finding:
    """The host has written to the target of a queued copy before it waited, or has given the memory back."""
    message = (
        f"{size} bytes at {address:#x}, the target of a queued copy, have changed before the host has waited, "
        "and are left as they are"
    )
    return Finding(QUEUE_ORDER, message, suggestion=_WAIT)


def source_changed(address: int, size: int, changed: int, first: int) -> Finding:
    """The host has written to the source of a queued copy before it waited.

    So many bytes of it are others, the ``first`` of them so far behind its beginning; none, where that is unknown.
    """
    how_many = f"{changed} of the {size} bytes" if changed else f"{size} bytes"
    message = f"{how_many} at {address:#x}, the source of a queued copy, have changed between the copy and the wait"
    message += f"; the first is byte {first}" if changed else ""
    return Finding(QUEUE_ORDER, message, suggestion=_WAIT)


def source_written(address: int) -> Finding:
    """The host writes to the source of a queued copy."""
    message = f"the host writes to {address:#x}, the source of a copy that it has not waited for"
    return Finding(QUEUE_ORDER, message, suggestion=_WAIT)


def freed_early(address: int, side: str) -> Finding:
    """The host frees a ``side`` of a queued copy."""
    message = f"the host frees {address:#x}, the {side} of a copy that it has not waited for"
    return Finding(QUEUE_ORDER, message, suggestion=_WAIT)


def freed_by_host(address: int) -> Finding:
    """Device memory is given to free() or realloc()."""
    message = f"device memory at {address:#x} is freed as memory of the host"
    return Finding(HOST_POINTER, message, suggestion="free it with cnrtFree")


def followed(address: int) -> Finding:
    """The host follows a device pointer."""
    message = f"the host uses device memory at {address:#x} through a device pointer"
    return Finding(HOST_POINTER, message, suggestion="copy with cnrtMemcpy")


def freed_inside(address: int, offset: int) -> Finding:
    """A pointer is freed that is ``offset`` bytes behind the one that was allocated."""
    message = f"{address:#x} lies {offset} byte{'s' * (offset != 1)} inside an allocation, and is freed"
    return Finding(HOST_POINTER, message, suggestion="free the pointer that the allocation returned")


def not_allocated(address: int, pinned: bool) -> Finding:
    """A pointer is freed that was not allocated as device memory, or as ``pinned`` host memory."""
    advice = "free what cnrtMalloc gave with cnrtFree, and host memory as it was allocated"
    if pinned:
        advice = "free with cnrtFreeHost what cnrtHostMalloc gave"
    message = f"{_at(address)} is not {'pinned host' if pinned else 'device'} memory, but is freed as such"
    return Finding(HOST_POINTER, message, suggestion=advice)


def not_on_device(what: str, address: int) -> Finding:
    """What has to be device memory is none."""
    message = f"{what} at {_at(address)} is {'not device memory' if address else 'null'}"
    advice = f"pass a pointer from {_ALLOCATE}, or the intended direction"
    return Finding(HOST_POINTER, message, suggestion=advice)


def not_on_host(address: int) -> Finding:
    """A pointer of a copy that has to be the host's is not."""
    what = "is device memory" if address else "is null"
    message = f"{_at(address)} {what}, and the direction of the copy says that it is the host's"
    return Finding(HOST_POINTER, message, suggestion="pass the intended direction")


def no_device_memory(access: Finding, launched: Location) -> Finding:
    """A kernel uses what is no device memory, and was launched from there."""
    advice = f"pass a pointer that {_ALLOCATE} gave; memory of the host is copied first, with {_COPY}"
    return replace(access, suggestion=advice, related=launched)


def never_written(access: Finding, argument: int, name: str, allocated: Location) -> Finding:
    """A kernel reads uninitialized bytes, and an argument is an array of which that is true as a whole."""
    advice = f"fill {name!r} before, which is argument {argument}: with cnrtMemcpy from the host, or cnrtMemset"
    return replace(access, suggestion=advice, related=allocated)


def _at(address: int) -> str:
    """An address as C prints it: null is 0."""
    return hex(address) if address else "0"
