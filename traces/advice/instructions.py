"""Vector instructions that are too short, and scalar code that could be some."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ...simulator.log import ARITHMETIC
from .question import Advice, Question

#: Fewer short instructions in a row are not worth a word.
_FEW = 4
#: A line of scalar code with at least so many accesses in a run is a loop over elements.
_LOOP = 64
#: At least so many accesses of a task to the device's memory, between two barriers, are worth a copy.
_FAR = 8
#: Bytes of such an access.
_ELEMENT = 4
#: The copy may bring at most so many times the bytes that the accesses take.
_SPREAD = 16


def short_instructions(question: Question) -> Iterator[Advice]:
    """Instructions on elements that lie one behind the other: one of them for all."""
    vectors = question.of("compute", "compute_function") & question.lane_wise
    for line, mine in question.lines(vectors):
        follows, count = _adjoining(question, mine)
        if count < _FEW:
            continue
        alone = np.maximum(question.costs.alone - question.fixed_us - question.dependence_us, 0.0)
        loop = _scalar_code_between(question, follows)
        costs = question.costing(follows | loop, np.where(loop, 0.0, alone)[follows | loop])
        text = f"make one instruction of the {count:,} short ones at line {question.name(line)}"
        after, least = question.after(question.log, costs), question.least(question.log, costs)
        yield question.advice("short instructions", line, text, after, least)


def _adjoining(question: Question, mine: np.ndarray) -> tuple[np.ndarray, int]:
    """Of a line's instructions those whose operands begin where those of the one before end, and how many are one."""
    log, found = question.log, np.zeros(len(mine), bool)
    records = question.order[mine[question.order]]
    op = question.records["op"][records]
    held = np.array([len(op.operands) for op in log.ops])[op]
    if len(records) < 2 or not held.min():
        return found, 0
    joins = (np.diff(question.phase[records]) == 0) & (np.diff(op.astype(np.int64)) == 0)
    first = question.records["first"][records].astype(np.int64)
    columns = []
    for number in range(int(held.max())):
        rows = first + np.minimum(number, held - 1)
        begin, sizes = (log.operands[name][rows].astype(np.int64) for name in ("key", "bytes"))
        joins &= np.diff(begin) == sizes[:-1]
        columns.append((begin, log.operand_written[rows]))
    place = np.arange(len(joins)) + 1
    turn = place - np.maximum.accumulate(np.where(joins, 0, place))
    for (made, written), (taken, _) in product(columns, columns):  # what a later one takes is not made by the same
        ahead = np.where(written & (made >> 40 == taken >> 40), made - taken, 0)[1:]
        most = np.maximum(ahead // np.maximum(sizes[1:], 1), 1)
        joins &= (ahead <= 0) | (turn % most != 0)
    found[records[1:]] = joins
    begins = joins & ~np.append(False, joins[:-1])
    return found, int(joins.sum() // max(begins.sum(), 1)) + 1


def _scalar_code_between(question: Question, follows: np.ndarray) -> np.ndarray:
    """The arithmetic right before instructions that follow on others: of a loop that one instruction does without."""
    found, order = np.zeros(len(follows), bool), question.order
    arithmetic = question.ops(op.name == ARITHMETIC for op in question.log.ops)
    found[order[:-1]] = arithmetic[order[:-1]] & follows[order[1:]]
    return found


def scalar_code(question: Question) -> Iterator[Advice]:
    """Loops of scalar code over elements on the chip that become vector instructions."""
    ops = question.log.ops
    near = question.ops(op.engine.startswith("scalar_") and op.engine != "scalar_gdram" for op in ops)
    scalar = question.ops(op.engine.startswith("scalar") for op in ops)
    vector = question.rates.engines.get("compute")
    for line, mine in question.lines(near):
        if vector is None or question.records["work"][mine].max() < _LOOP:
            continue
        code = scalar & (question.records["loc"] == line)
        bytes_ = np.where(mine, question.records["work"].astype(float), 0.0) * _ELEMENT
        alone = np.where(mine, vector.startup_cycles + bytes_ / vector.rate, 0.0) / question.rates.clock_mhz
        after = question.after(question.log, question.costing(code, alone[code]))
        text = (
            f"use vector instructions for the scalar loop at line {question.name(line)}, if its turns are independent"
        )
        yield question.advice("scalar", line, text, after, question.least(question.without(code)))


def _near_each_other(question: Question, mine: np.ndarray) -> bool:
    """Whether what a line's accesses take lies together, of each task."""
    log, rows = question.log, question.far[mine]
    begin, phase = log.operands["key"][rows].astype(np.int64), question.phase[mine]
    end = begin + log.operands["bytes"][rows].astype(np.int64)
    most = int(phase.max()) + 1
    low, high = np.full(most, np.iinfo(np.int64).max), np.zeros(most, np.int64)
    np.minimum.at(low, phase, begin)
    np.maximum.at(high, phase, end)
    taken = np.bincount(phase, question.records["work"][mine].astype(float), most) * _ELEMENT
    return bool((high[phase] - low[phase] <= _SPREAD * taken[phase]).all())


def far_scalars(question: Question) -> Iterator[Advice]:
    """Scalar accesses to the memory of the device: one copy brings, or takes away, what they touch one by one."""
    rates = question.rates
    copy, near = rates.engines.get("io"), rates.engines.get("scalar_nram")
    if copy is None or near is None:
        return
    for line, mine in question.lines(question.of("scalar_gdram")):
        accesses = question.records["work"][mine].astype(float)
        phases = question.phase[mine]
        if np.bincount(phases, accesses).max() < _FAR or not _near_each_other(question, mine):
            continue
        channel = rates.channel_of("gdram")
        first = np.flatnonzero(mine)[np.unique(phases, return_index=True)[1]]
        cycles = near.startup_cycles + accesses * (near.part_cycles + 1 / near.rate)
        costs = question.costing(mine, cycles / rates.clock_mhz)
        bytes_ = np.bincount(phases, accesses)[question.phase[first]] * _ELEMENT
        costs.alone[first] += copy.startup_cycles / rates.clock_mhz + bytes_ / channel.core_rate
        costs.latency[first] += channel.latency_ns * 1e-3
        least = question.least(question.without(mine))
        text = f"copy what line {question.name(line)} takes one by one from the device's memory, and work on the copy"
        yield question.advice("far scalars", line, text, question.after(question.log, costs), least)
