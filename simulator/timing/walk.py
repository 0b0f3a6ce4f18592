"""The clocked walk through a log, by native code that is built once for a machine."""

from __future__ import annotations

import ctypes
from enum import IntEnum
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from ..structures import address, header
from .built import library
from .plan import Times, WalkPlan, stuck

if TYPE_CHECKING:
    import numpy.typing as npt

_HEADER = header("passes/timing/walk.h")
_REASONS = _HEADER.enumeration("mlusim_reason", "MLUSIM_")
_NO_MEMORY = 1


class Reason(IntEnum):
    """Why an instruction did not start earlier."""

    LAUNCH = _REASONS.LAUNCH  # the task began here
    ISSUE = _REASONS.ISSUE  # program order: the core's front end got here only now
    PIPE = _REASONS.PIPE  # its own pipe was busy with the record named as cause
    WAIT = _REASONS.WAIT  # a blocking instruction or a sync waited for the record named as cause
    BARRIER = _REASONS.BARRIER  # the last task to arrive was the record named as cause


class _Walk(ctypes.Structure):
    _fields_ = _HEADER.fields("mlusim_walk")


def walk(plan: WalkPlan) -> Times:
    """Start, end, reason and cause of every record.

    ValueError for a log whose barriers cannot be met, BuildError without a compiler that builds the walk.
    """
    count, lengths = len(plan.log), [len(queue) for _, queue, _ in plan.cores]
    index = np.zeros(plan.log.shape.owners("core"), np.int64)
    index[[core for core, _, _ in plan.cores]] = np.arange(len(plan.cores))
    moved = (ctypes.c_void_p * len(plan.servers))(*(address(bytes_) for _, _, bytes_ in plan.servers))
    start, end, reason = np.zeros(count), np.zeros(count), np.zeros(count, np.uint8)
    cause = np.full(count, -1, np.int64)
    columns = {
        "records": np.ascontiguousarray(plan.log.records), "order": _numbers(plan.order), "core_index": index,
        "core_numbers": _numbers([core for core, _, _ in plan.cores]),
        "core_records": _places(lengths),
        "core_servers": _places([len(servers) for _, _, servers in plan.cores]),
        "server_list": _numbers([server for _, _, servers in plan.cores for server in servers]),
        "shared": plan.shared.view(np.uint8), "alone": plan.costs.alone, "latency": plan.costs.latency,
        "message": plan.log.message_kinds,
        "mark": np.array(plan.mark, np.uint8), "meets": np.array(plan.barrier, np.uint8),
        "wait_places": _places([len(pipes) for pipes in plan.waits]), "wait_pipes": _flat(plan.waits),
        "queue_places": _places([len(pipes) for pipes in plan.queues]), "queue_pipes": _flat(plan.queues),
        "barrier_numbers": np.array(list(plan.members), np.uint64), "members": _numbers(list(plan.members.values())),
        "rate": np.array([rate for rate, _, _ in plan.servers], float),
        "core_rate": np.array([rate for _, rate, _ in plan.servers], float),
        "start": start, "end": end, "reason": reason, "cause": cause,
    }  # fmt: skip
    given = _Walk(
        cores=len(plan.cores), pipes=len(plan.log.pipes), servers=len(plan.servers), barriers=len(plan.members),
        count=count, issue_us=plan.issue_us, task_us=plan.task_us, moved=ctypes.addressof(moved),
        **{name: address(column) for name, column in columns.items()},
    )  # fmt: skip
    result = library().mlusim_walk_log(ctypes.byref(given))
    if result == _NO_MEMORY:
        raise MemoryError(f"not enough memory to time {count} records")
    if result:
        raise stuck(result - _NO_MEMORY - 1)
    return start, end, reason, cause


def _numbers(values: npt.ArrayLike) -> np.ndarray:
    return np.ascontiguousarray(values, np.int64)


def _places(lengths: list[int]) -> np.ndarray:
    """Where each of some lists begins that stand one behind the other, and where the last one ends."""
    return _numbers([0, *accumulate(lengths)])


def _flat(lists: list[tuple[int, ...]]) -> np.ndarray:
    return _numbers(list(chain.from_iterable(lists)))
