"""The order of a log's records, the slow way: a graph of all that comes before something, and all pairs of accesses."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
from mlusim.simulator import Log
from mlusim.simulator.log import ASYNC, ATOMIC, BLOCKING, RESULT, SERIAL

Pair = tuple[str, str, str]  # "order" or "race", name of the later instruction, name of the earlier one


def touched(log: Log, operand: int) -> set[int]:
    """Every byte of an operand, as a number."""
    row = log.operands[operand]
    key, size = int(row["key"]), int(row["bytes"])
    runs = log.runs[log.runs["operand"] == operand]
    if not len(runs):
        return set(range(key, key + size))
    found: set[int] = set()
    for run in runs:
        if not run["run"]:
            return {key, key + size - 1}
        for index in product(*(range(int(count)) for count in run["count"])):
            at = key + int(run["start"]) + sum(i * int(s) for i, s in zip(index, run["stride"], strict=True))
            found |= set(range(at, at + int(run["run"])))
    return found


def unordered(log: Log, group_of: Any = lambda task: 0) -> set[Pair]:
    """The pairs of instructions that touch a byte in no order, of which one changes it."""
    count = len(log)
    before: list[int] = [0] * (3 * count + 1)  # sets of nodes as bits: front end, start and end of every record

    def front(i: int) -> int:
        return 3 * i

    accesses = []
    on_core: dict[tuple[int, int], list[int]] = defaultdict(list)
    meeting: dict[int, list[int]] = defaultdict(list)
    for i, record in enumerate(log.records):
        if log.ops[record["op"]].barrier:
            meeting[int(record["work"])].append(i)
    joined: dict[int, int] = {}

    def with_itself(node: int) -> int:
        return before[node] | 1 << node

    def arrival(i: int) -> int:
        """All that is done when a record's core is ready to issue it, its own waits included."""
        record = log.records[i]
        mine = on_core[int(record["core"]), group_of(int(record["task"]))]
        # The last record of the core before it, whether the log has it already or not.
        known = front_after[mine[-1]] if mine else 0
        for j in mine:
            if log.pipes[log.records["pipe"][j]] in log.ops[record["op"]].waits:
                known |= with_itself(3 * j + 2)
        return known

    front_after: dict[int, int] = {}
    for i, record in enumerate(log.records):
        op, flags, pipe = log.ops[record["op"]], int(record["flags"]), int(record["pipe"])
        group = group_of(int(record["task"]))
        mine = on_core[int(record["core"]), group]
        known = arrival(i)
        if op.barrier:
            number = int(record["work"])
            if number not in joined:  # everybody has arrived: what they know, they have in the log
                joined[number] = 0
                for member in meeting[number]:
                    joined[number] |= arrival(member)
            known |= joined[number]
        before[front(i)] = known
        begins = with_itself(front(i))
        for j in mine:
            same = int(log.records["pipe"][j]) == pipe
            queued = bool(flags & SERIAL) and log.pipes[log.records["pipe"][j]] in op.queues
            if same or queued:
                begins |= with_itself(3 * j + 2)
        before[3 * i + 1] = begins
        before[3 * i + 2] = with_itself(3 * i + 1)
        leaves = with_itself(front(i))
        if flags & (BLOCKING | RESULT) or op.waits:
            leaves |= with_itself(3 * i + 2)
        unseen = op.name in ("alloc", "free", "scalar.compute")
        operands = range(int(record["first"]), int(record["first"]) + len(op.operands))
        for written, operand in zip(op.writes, operands, strict=True):
            if unseen or not log.operands["bytes"][operand]:
                continue
            accesses.append((i, written, touched(log, operand), log.operand_spaces[operand] == 0))
        if flags & BLOCKING:
            uses = [(written, bytes_) for k, written, bytes_, _ in accesses if k == i]
            for k, written, bytes_, _ in accesses:
                waited = before[3 * i + 1] >> (3 * k + 2) & 1
                if k in mine and not waited and any((written or w) and bytes_ & b for w, b in uses):
                    for j in mine:
                        if log.records["pipe"][j] == log.records["pipe"][k]:
                            leaves |= with_itself(3 * j + 2)
        front_after[i] = leaves
        mine.append(i)
    found: set[Pair] = set()
    for number, (i, written, bytes_, on_device) in enumerate(accesses):
        for j, other_written, other_bytes, _ in accesses[:number]:
            if i == j or not (written or other_written) or not bytes_ & other_bytes:
                continue
            if before[3 * i + 1] >> (3 * j + 2) & 1:
                continue
            a, b = log.records[i], log.records[j]
            same_group = group_of(int(a["task"])) == group_of(int(b["task"]))
            both_atomic = bool(a["flags"] & b["flags"] & ATOMIC)
            if both_atomic and on_device:
                continue
            names = log.ops[a["op"]].name, log.ops[b["op"]].name
            if same_group and a["core"] == b["core"]:
                # A blocking instruction waits for what it needs; atomics and computation know of each other.
                late = b["flags"] & ASYNC
                settled = a["flags"] & BLOCKING or b["flags"] & ATOMIC or (a["flags"] & ATOMIC and not late)
                if not settled:
                    found.add(("order", *names))
            elif same_group or on_device:
                found.add(("race", *names))
    return found


def reported(run: Any) -> set[Pair]:
    """The same of the findings of a run; the earlier instruction by the lines."""
    return {(f.rule, f.instruction, "") for f in run.findings if f.rule in ("order", "race")}


def without_the_earlier(pairs: set[Pair]) -> set[Pair]:
    """Pairs by the rule and the later instruction alone."""
    return {(rule, later, "") for rule, later, _ in pairs}


def empty(size: int) -> np.ndarray:
    """An array of zeros."""
    return np.zeros(size, np.float32)
