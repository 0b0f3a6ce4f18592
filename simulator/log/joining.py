"""The logs of launches that came one after the other, as one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from .log import Log
from .region import Location

Entry = TypeVar("Entry", bound=Hashable)


def joined(logs: Sequence[Log]) -> Log:
    """All records in order, with one table of instructions, of pipes and of lines; the rest is that of the last log."""
    if len(logs) == 1:
        return logs[0]
    ops = _numbered(op for log in logs for op in log.ops)
    pipes = _numbered(pipe for log in logs for pipe in log.pipes)
    locations = _numbered(place for log in logs for place in log.locations)
    records, operands, runs = (_end_to_end(rows) for rows in zip(*(log.rows for log in logs), strict=True))
    at = piece = first = 0
    for log in logs:
        mine, pieces = records[at : at + len(log)], runs[piece : piece + len(log.runs)]
        at, piece = at + len(log), piece + len(log.runs)
        if len(log):
            mine["op"] = _numbers(log.ops, ops)[mine["op"]]
            mine["pipe"] = _numbers(log.pipes, pipes)[mine["pipe"]]
            mine["loc"] = _numbers(log.locations, locations)[mine["loc"]]
        mine["first"] += first
        pieces["operand"] += first
        first += len(log.operands)
    return replace(
        logs[-1],
        records=records,
        operands=operands,
        runs=runs,
        ops=tuple(ops),
        pipes=tuple(pipes),
        locations=tuple(locations),
        digests=_digests(logs, locations),
    )


def _digests(logs: Sequence[Log], locations: Iterable[Location]) -> tuple[str, ...]:
    """What is known of the source lines of logs; nothing where all are new."""
    known = {place: digest for log in logs for place, digest in zip(log.locations, log.digests, strict=False)}
    return tuple(known.get(place, "") for place in locations) if known else ()


def _end_to_end(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Rows of one kind behind one another, copied as bytes: NumPy would copy one field after the other."""
    together: np.ndarray = np.concatenate([np.ascontiguousarray(part).view(np.uint8) for part in parts])
    return together.view(parts[0].dtype)


def _numbered(entries: Iterable[Entry]) -> dict[Entry, int]:
    return {entry: number for number, entry in enumerate(dict.fromkeys(entries))}


def _numbers(mine: Sequence[Entry], numbered: dict[Entry, int]) -> np.ndarray:
    return np.array([numbered[entry] for entry in mine])
