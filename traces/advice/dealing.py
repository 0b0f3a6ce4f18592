"""Work that is dealt to more cores, or evenly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...simulator.timing import Costs
from .question import Advice, Question

#: Tasks whose work differs by less have the same.
_ALIKE = 1.05


def idle_cores(question: Question) -> Iterator[Advice]:
    """Cores without a task that get their part: time shrinks, what all share stays as busy.

    Where kernels run as blocks of threads, what counts are the multiprocessors without a block: a core is one of the
    places that they have for blocks. Clusters do not wait for each other at barriers of their own; how the work between
    other barriers would be dealt is unknown.
    """
    log, rates, shape = question.log, question.rates, question.log.shape
    cores = np.unique(log.records["core"][log.records["core"] < shape.cores])
    each = shape.cores_per_cluster if log.kind.transactions else 1
    used, there = len(np.unique(cores // each)), shape.cores // each
    met = question.ops(op.barrier not in ("", "cluster") for op in log.ops)
    if not used or used >= there or met.any():
        return
    share = used / there
    handed = rates.task_us * (used - 1), rates.task_us * (there - 1)  # when the last task starts
    after = max(question.kernel_us - handed[0], 0.0) * share + handed[1]
    if not log.kind.transactions:
        after = max(after, _one_turn(question, share))
    text = f"use all {there} cores: {there - used} have no task"
    if log.kind.transactions:
        text = f"launch more blocks: {there - used} of {there} multiprocessors have none"
    line = int(log.records["loc"][int(np.argmax(question.timeline.end))])
    least = question.least(log, cores=there) if not log.kind.transactions else question.overhead_us
    yield question.advice("idle cores", line, text, after + question.overhead_us, least)


def _one_turn(question: Question, share: float) -> float:
    """What a core has to do that cannot be dealt: of each line one instruction, with its start-up and its latency."""
    core = question.records["core"] == question.records["core"][int(np.argmax(question.timeline.end))]
    lines, turns = np.unique(question.records["loc"][core], return_counts=True)
    fixed = np.bincount(question.records["loc"][core], question.fixed_us[core], minlength=int(lines.max()) + 1)[lines]
    return float((fixed / np.minimum(turns, 1.0 / share)).sum())


def uneven_work(question: Question) -> Iterator[Advice]:
    """Tasks that have more work than others between two barriers, and cores that have more tasks than others."""
    log = question.log
    task, turn = question.records["task"].astype(np.int64), _turns(question)
    own = question.costs.alone + question.costs.latency
    own = np.where(question.syncs | question.barriers, 0.0, own)
    ours = question.records["core"] < log.shape.cores
    if log.kind.transactions or len(np.unique(task[ours])) < 2:
        return
    tasks, by_task = np.unique(task, return_inverse=True)
    work = np.zeros((int(turn.max(initial=0)) + 1, len(tasks)))
    np.add.at(work, (turn[ours], by_task[ours]), own[ours])
    mean = work.mean(axis=1)
    uneven = work.max(axis=1) > _ALIKE * mean
    if (mean * uneven).sum() > 0 and (work.max(axis=1) - mean)[uneven].sum() > 0:
        factor = np.where(work > 0, mean[:, None] / np.where(work > 0, work, 1.0), 1.0)[turn, by_task]
        factor[~ours] = 1.0
        worst = int(np.argmax((work.max(axis=1) - mean) * uneven))
        last = np.flatnonzero(ours & (turn == worst) & (by_task == int(np.argmax(work[worst]))))
        line = int(log.records["loc"][last[int(np.argmax(own[last]))]])
        text = (
            f"deal the work evenly: task {tasks[int(np.argmax(work[worst]))]} has "
            f"{work[worst].max() / mean[worst]:.2f} times the mean of {len(tasks)} tasks"
        )
        yield _scaled(question, "imbalance", line, text, factor)
    elif not question.barriers.any():
        yield from _rounds(question, len(tasks))


def _turns(question: Question) -> np.ndarray:
    """How many barriers a task has passed before each record, int64 [records]; 0 for all where tasks differ in that."""
    turn = np.zeros(len(question.log), np.int64)
    phase, task = question.phase, question.records["task"].astype(np.int64)
    core = question.records["core"].astype(np.int64)
    unit = np.unique(task << 20 | core, return_inverse=True)[1]
    first = np.full(int(unit.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, unit, phase)
    turn = phase - first[unit]
    count = np.zeros(len(first), np.int64)
    np.maximum.at(count, unit, turn)
    return turn if len(np.unique(count)) == 1 else np.zeros(len(turn), np.int64)


def _rounds(question: Question, tasks: int) -> Iterator[Advice]:
    """More tasks than cores, and no multiple of them: the last round leaves cores idle."""
    cores = question.log.shape.cores
    if tasks <= cores or not tasks % cores:
        return
    rounds = -(-tasks // cores)
    share = tasks / (rounds * cores)
    kernel = question.kernel_us - question.rates.task_us * (tasks - 1)
    after = max(kernel, 0.0) * share + question.rates.task_us * (cores - 1) + question.overhead_us
    line = int(question.log.records["loc"][int(np.argmax(question.timeline.end))])
    text = f"launch {cores} tasks, or a multiple: {tasks} take {rounds} rounds, and {tasks % cores} run in the last one"
    yield question.advice("rounds", line, text, after, question.least(question.log, cores=cores))


def _scaled(question: Question, kind: str, line: int, text: str, factor: np.ndarray) -> Advice:
    """Advice that makes every record last so many times as long."""
    costs: Costs = question.costs
    dealt = replace(costs, alone=costs.alone * factor, latency=costs.latency * factor, moved=costs.moved * factor)
    cores = len(np.unique(question.records["core"][question.records["core"] < question.log.shape.cores]))
    least = question.least(question.log, cores=cores)
    return question.advice(kind, line, text, question.after(question.log, dealt), least)
