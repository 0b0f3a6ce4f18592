"""Copies that run beside the computation, and waits that are not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...simulator.log import BLOCKING, SERIAL, Log
from .question import Advice, Question


def overlaps(question: Question) -> Iterator[Advice]:
    """Copies that nothing waits for, with as many buffers as that takes; of copies that a task repeats."""
    repeated = question.repeated(question.copies)
    held = repeated & ((question.records["flags"] & (BLOCKING | SERIAL)) != 0)
    chosen = list(question.lines(held))
    for line, mine in chosen:
        yield from _overlap(question, [line], _freed(question.log, mine), 1)
    everything = list(question.lines(repeated))
    held_by = len(chosen) + len(list(question.lines(question.spare_syncs)))
    if everything and held_by > 1:
        free = _freed(question.log, question.copies)
        yield from _overlap(
            question, [line for line, _ in everything], question.without(question.spare_syncs, free), held_by
        )


def _freed(log: Log, mine: np.ndarray) -> Log:
    records = log.records.copy()
    records["flags"][mine] &= ~np.uint8(BLOCKING | SERIAL)
    return replace(log, records=records)


def _overlap(question: Question, lines: list[int], log: Log, changed: int) -> Iterator[Advice]:
    beside = question.longest(~question.copies)
    what = "the copy" if len(lines) == 1 else "the copies"
    text = f"overlap {what} at {question.names(lines)} with the computation" + (f" at line {beside}" if beside else "")
    after = max(question.after(log), question.in_free_order_us)
    yield question.advice("overlap", lines[0], text, after, question.least(log), changed)


def waits(question: Question) -> Iterator[Advice]:
    """A sync that is not there: what it orders would have to be in different buffers."""
    for line, mine in question.lines(question.spare_syncs):
        text = f"double-buffer the data around line {question.name(line)}"
        log = question.without(mine)
        after = max(question.after(log), question.in_free_order_us)
        yield question.advice("wait", line, text, after, question.least(log))
