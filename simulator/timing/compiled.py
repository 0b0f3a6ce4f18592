"""The walk for long logs, in C: built once for a machine by the compiler that builds kernels."""

from __future__ import annotations

import ctypes

import numpy as np

from .plan import Plan, Times, stuck

_NO_MEMORY = 1
#: Pipes that a set of bits has room for.
_PIPES = 64
#: Records that the links of a line reach.
_MOST = (1 << 31) - 1
_i64, _f64, _pointer = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p


class _Walk(ctypes.Structure):
    """``Walk`` of walk.c."""

    _fields_ = [
        *((name, _i64) for name in ("count", "cores", "pipes", "servers", "barriers")),
        *((name, _f64) for name in ("issue_us", "task_us")),
        *(
            (name, _pointer)
            for name in (
                "records", "order", "core_records", "core_numbers", "core_servers", "server_list", "core_index",
                "shared", "barrier_numbers", "members", "alone", "latency", "mark", "meets", "waits", "queues", "rate",
                "core_rate", "moved", "start", "end", "reason", "cause",
            )
        ),
    ]  # fmt: skip


def compiled_walk(plan: Plan) -> Times | None:
    """The same as `plain_walk`, equal to the last bit; None where it cannot be built."""
    library = _library()
    count = len(plan.log)
    if library is None or len(plan.log.pipes) > _PIPES or count > _MOST:
        return None
    lengths = [len(queue) for _, queue, _ in plan.cores]
    used = [place for _, _, servers in plan.cores for place in servers]
    index = np.zeros(plan.log.shape.owners("core"), np.int64)
    index[[core for core, _, _ in plan.cores]] = np.arange(len(plan.cores))
    numbers = sorted(plan.members)
    moved = (_pointer * max(len(plan.servers), 1))(*(bytes_.ctypes.data for _, _, bytes_ in plan.servers))
    start, end, reason, cause = (
        np.zeros(count),
        np.zeros(count),
        np.zeros(count, np.uint8),
        np.full(count, -1, np.int64),
    )
    columns = {
        "records": np.ascontiguousarray(plan.log.records), "order": _numbers(plan.order), "core_index": index,
        "core_records": _numbers(np.cumsum([0, *lengths])),
        "core_numbers": _numbers([core for core, _, _ in plan.cores]),
        "core_servers": _numbers(np.cumsum([0, *(len(servers) for _, _, servers in plan.cores)])),
        "server_list": _numbers(used),
        "shared": plan.shared.view(np.uint8),
        "barrier_numbers": np.array(numbers, np.uint64),
        "members": _numbers([plan.members[number] for number in numbers]),
        "alone": plan.costs.alone, "latency": plan.costs.latency,
        "mark": np.array(plan.mark, np.uint8), "meets": np.array(plan.barrier, np.uint8),
        "waits": _bits(plan.waits), "queues": _bits(plan.queues),
        "rate": np.array([rate for rate, _, _ in plan.servers], float),
        "core_rate": np.array([rate for _, rate, _ in plan.servers], float),
        "start": start, "end": end, "reason": reason, "cause": cause,
    }  # fmt: skip
    walk = _Walk(
        count, len(plan.cores), len(plan.log.pipes), len(plan.servers), len(numbers), plan.issue_us, plan.task_us,
        moved=ctypes.cast(moved, _pointer), **{name: column.ctypes.data for name, column in columns.items()},
    )  # fmt: skip
    result = library.mlusim_walk(ctypes.byref(walk))
    if result == _NO_MEMORY:
        raise MemoryError(f"not enough memory to time {count} records")
    if result:
        raise stuck(result - _NO_MEMORY - 1)
    return start, end, reason, cause


def _numbers(values: object) -> np.ndarray:
    return np.ascontiguousarray(np.asarray(values, np.int64))


def _bits(sets: list[tuple[int, ...]]) -> np.ndarray:
    return np.array([sum(1 << pipe for pipe in set(pipes)) for pipes in sets], np.uint64)


def _library() -> ctypes.CDLL | None:
    """The compiled walk; None without a compiler that builds it."""
    from ..native import PASSES
    from ..native.library import built_library  # few logs are long, and all that is imported here takes its time

    headers = PASSES / "walk.h", PASSES / "walk_heap.h", PASSES / "record.h"
    library = built_library(PASSES / "walk.c", *headers)
    if library is not None:
        library.mlusim_walk.restype = _i64
    return library
