"""Timing of logs written by hand: exact times with their reasons, and random logs against a plain walk."""

import math
from dataclasses import replace

import numpy as np
import pytest
from mlusim.simulator.timing import Reason, replay
from timing_logs import (
    ALONE,
    BARRIER,
    CHANNEL,
    ISSUE,
    LAUNCH,
    MEMORY_CORE,
    OPS,
    PIPE,
    PIPE_OF,
    PIPES,
    RATES,
    SHAPE,
    WAIT,
    Row,
    log_of,
    timed,
)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(
            [Row("add", 8), Row("add", 9), Row("load", 4)],
            [(0, 4, LAUNCH, -1), (4, 10, PIPE, 0), (2, 7, ISSUE, 1)],
            id="a pipe in order, another beside it; work in whole quanta",
        ),
        pytest.param(
            [Row("load", 4), Row("add", 8, blocking=True), Row("add", 8)],
            [(0, 5, LAUNCH, -1), (5, 9, WAIT, 0), (9, 13, WAIT, 1)],
            id="a blocking instruction waits for every pipe, and the front end for it",
        ),
        pytest.param(
            [Row("add", 8), Row("add", 8, blocking=True)],
            [(0, 4, LAUNCH, -1), (4, 8, PIPE, 0)],
            id="a blocking instruction behind its own pipe",
        ),
        pytest.param(
            [Row("add", 80), Row("load", 4), Row("sync_io"), Row("add", 8), Row("sync")],
            [(0, 22, LAUNCH, -1), (1, 6, ISSUE, 0), (6, 11, WAIT, 1), (22, 26, PIPE, 0), (26, 31, WAIT, 3)],
            id="a sync waits for its pipes alone",
        ),
        pytest.param(
            [Row("add", 8), Row("meet", 1), Row("add", 80, core=1), Row("meet", 1, core=1), Row("add", 8)],
            [(0, 4, LAUNCH, -1), (4, 27, BARRIER, 3), (0, 22, LAUNCH, -1), (22, 27, WAIT, 2), (27, 31, BARRIER, 3)],
            id="a barrier waits for the last; its work is a number, not a cost",
        ),
        pytest.param(
            [Row("meet", 1), Row("meet", 1, core=1)],
            [(0, 5, LAUNCH, -1), (0, 5, LAUNCH, -1)],
            id="a tie at a barrier holds nobody up",
        ),
        pytest.param(
            [Row("add", 8), Row("alloc"), Row("scalar", 2), Row("alloc")],
            [(0, 4, LAUNCH, -1), (1, 1, ISSUE, 0), (4, 8, WAIT, 0), (8, 8, WAIT, 2)],
            id="marks take no time; a scalar access waits for the compute pipe",
        ),
        pytest.param(
            [Row("add", 80, task=0), Row("add", 8, task=1)],
            [(0, 22, LAUNCH, -1), (22, 26, LAUNCH, 0)],
            id="a task begins when the one before has finished on its core",
        ),
    ],
)
def test_a_core(rows, expected):
    assert timed(ALONE, *rows) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # 10 bytes: engine 3 + 5, dram 10, port 20, so 20, then 7 of latency.
        pytest.param([Row("load", 10)], [(0, 27, LAUNCH, -1)], id="the slowest server, then the latency"),
        pytest.param(
            [Row("load", 10), Row("load", 10, core=1)],
            [(0, 27, LAUNCH, -1), (20, 47, CHANNEL, 0)],
            id="two cores share the port of their cluster",
        ),
        pytest.param(
            [Row("load", 10), Row("load", 10, core=4)],
            [(0, 27, LAUNCH, -1), (10, 37, CHANNEL, 0)],
            id="two clusters share the dram",
        ),
        pytest.param(
            [Row("load", 10), Row("load", 10, core=MEMORY_CORE), Row("load", 10, core=MEMORY_CORE + 1)],
            [(0, 27, LAUNCH, -1), (20, 47, CHANNEL, 0), (20, 47, CHANNEL, 1)],
            id="a memory core uses the port of its own cluster",
        ),
        pytest.param(
            [Row("load", 10), Row("load", 10, core=1), Row("load", 10, core=2), Row("load", 10, core=4)],
            [(0, 27, LAUNCH, -1), (20, 47, CHANNEL, 0), (40, 67, CHANNEL, 1), (30, 57, CHANNEL, 2)],
            id="a queue at one cluster's port does not idle the dram",
        ),
        pytest.param(
            [Row("load", 10), Row("load", 10), Row("add", 88, core=4, blocking=True), Row("load", 2, core=4)],
            [(0, 27, LAUNCH, -1), (27, 54, PIPE, 0), (0, 24, LAUNCH, -1), (24, 35, WAIT, 2)],
            id="a load behind another one asks for the dram when it is its turn, not when it is issued",
        ),
        pytest.param(
            [Row("load", 10, core=5), Row("load", 10, core=0)],
            [(10, 37, CHANNEL, 1), (0, 27, LAUNCH, -1)],
            id="of two requests at one time the lower core is served first",
        ),
        pytest.param(
            [Row("load", 4, bytes=4000)], [(0, 15, LAUNCH, -1)], id="the gaps of a strided operand are not moved"
        ),
        pytest.param(
            [Row("load", 10), Row("load", 10, core=4, blocking=True), Row("add", 8, core=4), Row("sync")],
            [(0, 27, LAUNCH, -1), (10, 37, CHANNEL, 0), (37, 41, WAIT, 1), (27, 32, WAIT, 0)],
            id="a blocking load that waits for a channel holds its front end",
        ),
    ],
)
def test_channels(rows, expected):
    assert timed(RATES, *rows) == expected


def test_total_is_the_last_end_and_the_launch():
    assert replay(log_of(Row("add", 80), Row("load", 4)), ALONE).total_us == 122
    assert replay(log_of(), ALONE).total_us == 100


def test_an_engine_without_a_cost_is_named():
    line = replay(log_of(Row("strange", 100), Row("add", 8)), ALONE)
    assert line.not_modelled == ("strange",)
    assert line.end.tolist() == [0, 5]


@pytest.mark.parametrize(
    ("known", "share"),
    [
        ((), 1.0),
        (("channels.dram.latency_ns",), 20 / 27),  # the port decides: 20 of 27 microseconds
        (("channels.cluster_port.gb_per_s",), 7 / 27),
        (("channels.cluster_port.gb_per_s", "channels.dram.latency_ns"), 0.0),
        (("channels.dram.gb_per_s", "engines.io.startup_cycles", "engines.io.per_cycle"), 1.0),
    ],
)
def test_assumed_share(known, share):
    """The numbers that decide count, and no others."""
    facts = {
        path: fact.model_copy(update={"kind": "documented" if path in known else "assumed"})
        for path, fact in RATES.facts.items()
    }
    assert replay(log_of(Row("load", 10)), replace(RATES, facts=facts)).assumed_share == pytest.approx(share)


# --- random logs -----------------------------------------------------------------------------------------------------


def plain(rows):
    """(start, end) of every row: of all that could happen next on any core the earliest does, until nothing is left."""
    queues = {
        core: [i for i, row in enumerate(rows) if row.core == core] for core in sorted({row.core for row in rows})
    }
    now, at = dict.fromkeys(queues, 0.0), dict.fromkeys(queues, 0)
    held = {}  # core: record that its front end waits for
    free = {(core, pipe): 0.0 for core in queues for pipe in PIPES}
    waiting = {key: [] for key in free}  # issued and not started: (record, time of issue)
    server_free, start, end, arrived = {}, {}, {}, {}

    def pipe_of(i):
        return PIPE_OF.get(rows[i].op, "compute")

    def sync(i):
        return bool(OPS[rows[i].op].waits)

    def servers(i):
        core = rows[i].core
        cluster = core // 4 if core < SHAPE.cores else core - SHAPE.cores
        return [("dram", rows[i].moved * 1.0), (("port", cluster), rows[i].moved * 2.0)] if rows[i].moved else []

    def length(i):
        engine = RATES.engines[OPS[rows[i].op].engine]
        work = 0 if rows[i].op == "meet" else rows[i].work
        busy = engine.startup_cycles + math.ceil(work / engine.quantum) * engine.quantum / engine.per_cycle
        return max([busy, *(time for _, time in servers(i))]) + (7 if rows[i].moved else 0)

    def begin(i, time):
        for server, busy in servers(i):
            start[i] = max(start.get(i, time), server_free.get(server, 0))
            server_free[server] = max(time, server_free.get(server, 0)) + busy
        start.setdefault(i, time)
        end[i] = start[i] + length(i)
        if not sync(i):
            free[rows[i].core, pipe_of(i)] = end[i]

    while True:
        possible = []
        for (core, pipe), line in waiting.items():
            if line:
                i, issued = line[0]
                possible.append((max(issued, free[core, pipe]), 1 if rows[i].moved else 0, core, i, "start"))
        for core, queue in queues.items():
            if at[core] == len(queue) or core in held:
                continue
            i = queue[at[core]]
            if rows[i].op == "alloc":
                possible.append((now[core], 0, core, i, "mark"))
            elif not rows[i].blocking and not sync(i):
                possible.append((now[core], 0, core, i, "issue"))
            else:
                gate = PIPES if rows[i].blocking else OPS[rows[i].op].waits
                if not any(waiting[core, pipe] for pipe in gate):
                    time = max([now[core], *(free[core, pipe] for pipe in gate)])
                    possible.append((time, 0, core, i, "hold"))
        if not possible:
            break
        time, _, core, i, what = min(possible)
        if what == "start":
            waiting[core, pipe_of(i)].pop(0)
            begin(i, time)
            if held.get(core) == i:
                now[core] = end[i]
                del held[core]
            continue
        at[core] += 1
        if what == "mark":
            start[i] = end[i] = time
        elif what == "issue":
            waiting[core, pipe_of(i)].append((i, time))
            now[core] = time + 1
        elif rows[i].op == "meet":
            start[i], held[core] = time, i
            arrived.setdefault(rows[i].work, []).append(i)
            if len(arrived[rows[i].work]) == sum(row.op == "meet" and row.work == rows[i].work for row in rows):
                for other in arrived[rows[i].work]:
                    end[other] = time + 5
                    now[rows[other].core] = time + 5
                    del held[rows[other].core]
        else:
            waiting[core, pipe_of(i)].append((i, time))
            held[core] = i
    return [(start[i], end[i]) for i in range(len(rows))]


def random_rows(seed):
    generator = np.random.default_rng(seed)
    cores = generator.choice([0, 1, 2, 4, 5, MEMORY_CORE, MEMORY_CORE + 1], 4, replace=False).tolist()
    rows = []
    for meeting in range(3):
        for _ in range(40):
            op = str(generator.choice(["alloc", "add", "load", "load", "sync_io", "sync", "scalar"]))
            blocking = op in ("add", "load") and generator.random() < 0.2
            rows.append(Row(op, int(generator.integers(1, 60)), int(generator.choice(cores)), bool(blocking)))
        rows += [Row("meet", meeting, core) for core in cores]
    return rows


@pytest.mark.parametrize("seed", range(40))
def test_random_logs_agree_with_the_plain_walk(seed):
    rows = random_rows(seed)
    line = replay(log_of(*rows), RATES)
    assert list(zip(line.start.tolist(), line.end.tolist(), strict=True)) == plain(rows)


@pytest.mark.parametrize("seed", range(5))
def test_no_gap_is_unexplained(seed):
    """What a record waited for ends as the record starts; who used a channel before has moved bytes."""
    rows = random_rows(seed)
    line = replay(log_of(*rows), RATES)
    for i, row in enumerate(rows):
        reason, cause = Reason(line.reason[i]), line.cause[i]
        if row.op == "meet" and reason == BARRIER:
            assert line.start[cause] == line.end[i] - 5
        elif reason in (PIPE, WAIT):
            assert line.end[cause] == line.start[i]
        elif reason == CHANNEL:
            assert cause != i
            assert rows[cause].moved


def test_two_replays_are_equal():
    log = log_of(*random_rows(1))
    first, second = replay(log, RATES), replay(log, RATES)
    for name in ("start", "end", "reason", "cause"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()
