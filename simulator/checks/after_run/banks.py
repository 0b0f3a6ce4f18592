"""Banks of local memory that two engines use side by side in a section."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...findings import Finding, merged_by, rules
from ...log import SERIAL, Log
from ...log.region import offset_numbers


class _Use(NamedTuple):
    """What the commands of a line use of a bank in a section, int64 [uses].

    They have one engine (``pipe``) and use the same lanes. ``first`` is a row of the operand table, ``beats`` the
    cycles in which a lane moves the bytes.
    """

    section: np.ndarray
    bank: np.ndarray
    pipe: np.ndarray
    line: np.ndarray
    lane: np.ndarray
    lanes: np.ndarray
    first: np.ndarray
    beats: np.ndarray


def shared_banks(log: Log) -> list[Finding]:
    """Two lines whose commands run side by side and use a bank both: of each bank those that cost most.

    The other lines are named with them. The cycles are those of the section in which the two could cost each other
    most: an access of one takes a cycle from the other (inferred). No public source says what a conflict costs.
    """
    found = sorted(_conflicts(log), key=lambda conflict: -conflict.cycles)
    return merged_by([conflict.finding for conflict in found], [conflict.bank for conflict in found])


class _Conflict(NamedTuple):
    """Two lines that use a bank side by side, and the cycles that it costs at most."""

    bank: int
    cycles: int
    finding: Finding


def _conflicts(log: Log) -> Iterator[_Conflict]:
    """Of each two lines one, for all sections in which they use a bank both."""
    uses = _uses(log)
    if uses is None:
        return
    one, other = _pairs(uses, log.shape.lanes or 1)
    if not len(one):
        return
    beats = np.minimum(uses.beats[one], uses.beats[other])
    lines = np.stack([uses.line[one], uses.line[other], uses.section[one]], axis=1)
    places, at, each = np.unique(lines, axis=0, return_index=True, return_inverse=True)
    cycles = np.bincount(each.ravel(), beats).astype(np.int64)
    pairs, mine, count = np.unique(places[:, :2], axis=0, return_inverse=True, return_counts=True)
    size = _bank_bytes(log)
    for number in range(len(pairs)):
        sections = np.flatnonzero(mine.ravel() == number)
        worst = sections[np.argmax(cycles[sections])]
        pair = at[worst]
        rows = sorted((int(uses.first[one[pair]]), int(uses.first[other[pair]])))
        earlier, later = (int(log.owners[row]) for row in rows)
        name, before = log.op(later).name, log.op(earlier).name
        bank, most = int(uses.bank[one[pair]]), int(cycles[worst])
        finding = rules.bank.shared(name, before, bank, size, most).at(
            log, later, related=log.location(earlier), count=int(count[number]),
            region=log.region(*log.operands[rows[1]].tolist()),
        )  # fmt: skip
        yield _Conflict(bank, most, finding)


def _bank_bytes(log: Log) -> int:
    shape = log.shape
    return shape.spaces["local"].bytes // (shape.lanes or 1) // (shape.banks or 1)


def _uses(log: Log) -> _Use | None:
    """What commands in sections use, added up; None where there is nothing to tell."""
    if not (len(log) and log.shape.banks and log.shape.lanes and log.shape.eu_bytes):
        return None
    queued = log.which(lambda op: len(op.queues) > 1)
    serial = (log.records["flags"] & SERIAL) != 0
    rows = np.flatnonzero((queued & ~serial)[log.owners] & (log.operands["lanes"] > 0))
    if not len(rows):
        return None
    order = np.argsort(log.records["core"], kind="stable")
    section = np.empty(len(log), np.int64)
    section[order] = np.cumsum((queued & serial)[order])
    section = section * log.shape.cores + log.records["core"]

    rows, start, length, across = _parts(log, rows)
    size, record = _bank_bytes(log), log.owners[rows]
    begin = offset_numbers(log.operands["key"][rows]) % (size * log.shape.banks) + start
    end = begin + np.maximum(length, 1)
    first = begin // size
    counts = (end - 1) // size - first + 1
    of = np.repeat(np.arange(len(rows)), counts)
    bank = first[of] + np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    inside = np.minimum(end[of], (bank + 1) * size) - np.maximum(begin[of], bank * size)
    beats = -(-inside // log.shape.eu_bytes)

    record = record[of]
    line = log.records["loc"][record].astype(np.int64) << 16 | log.records["op"][record]
    pipe = log.records["pipe"][record].astype(np.int64)
    keys = np.stack([section[record], bank, pipe, line, *across[:, of]], axis=1)
    told, at, each = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    columns = [*told.T, rows[of[at]], np.bincount(each.ravel(), beats).astype(np.int64)]
    return _Use(*columns)


def _parts(log: Log, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What operands across lanes are of, each part the same in all of its lanes.

    The row of its operand, its first byte and its bytes with all that lies between, first lane and lanes.
    """
    whole = rows[~np.isin(rows, log.runs["operand"])]
    runs = log.runs[np.isin(log.runs["operand"], rows)]
    reach = ((runs["count"].astype(np.int64) - 1) * runs["stride"].astype(np.int64)).sum(axis=1)
    row = np.concatenate([whole, runs["operand"].astype(np.int64)])
    start = np.concatenate([np.zeros(len(whole), np.int64), runs["start"].astype(np.int64)])
    length = np.concatenate([log.operands["bytes"][whole].astype(np.int64), reach + runs["run"]])
    across = [np.concatenate([log.operands[n][whole], runs[n]]).astype(np.int64) for n in ("lane", "lanes")]
    return row, start, length, np.stack(across)


def _pairs(uses: _Use, lanes: int) -> tuple[np.ndarray, np.ndarray]:
    """Uses of a bank of the same lanes in one section by two engines, each pair once: two arrays of positions."""
    place = (
        uses.section * (int(uses.bank.max()) + 1) + uses.bank
    )  # in order: section and bank are the first of the keys
    last = np.searchsorted(place, place, side="right")
    counts = last - np.arange(len(place)) - 1
    one = np.repeat(np.arange(len(place)), counts)
    other = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(counts) - counts, counts)
    behind = (uses.lane[other] - uses.lane[one]) % lanes  # lanes are counted round
    meet = (behind < uses.lanes[one]) | ((lanes - behind) % lanes < uses.lanes[other])
    chosen = meet & (uses.pipe[one] != uses.pipe[other])
    return one[chosen], other[chosen]
