"""Timing of logs written by hand: exact times with their reasons, and random logs against a plain walk."""

import math
from dataclasses import replace

import numpy as np
import pytest
from mlusim.simulator.timing import Reason, replay

from tests.timing.timing_logs import (
    ALONE,
    BARRIER,
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
            [(0, 4, LAUNCH, -1), (4, 10, PIPE, 0), (2, 7, ISSUE, 0)],  # 1 waits for its pipe, the front end does not
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
            id="a tie at a barrier holds nothing up",
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
        # 64 bytes: engine 3 + 1, dram 10, port 20, so 20, then 7 of latency.
        pytest.param([Row("load", 64)], [(0, 27, LAUNCH, -1)], id="the slowest server, then the latency"),
        pytest.param([Row("load", 10)], [(0, 27, LAUNCH, -1)], id="less than a granule is a granule"),
        pytest.param([Row("load", 64, gaps=3)], [(0, 87, LAUNCH, -1)], id="four parts of 16 bytes are four granules"),
        pytest.param(
            [Row("load", 64), Row("load", 64, core=1)],
            [(0, 47, LAUNCH, -1), (0, 47, LAUNCH, -1)],
            id="two cores share the port of their cluster evenly",
        ),
        pytest.param(
            [Row("load", 64), Row("load", 128, core=1)],
            [(0, 47, LAUNCH, -1), (0, 67, LAUNCH, -1)],
            id="and who is left has all of it: 40 us of half the port, 20 of all",
        ),
        pytest.param(
            [Row("load", 64), Row("add", 32, core=1, blocking=True), Row("load", 64, core=1)],
            [(0, 37, LAUNCH, -1), (0, 10, LAUNCH, -1), (10, 47, WAIT, 1)],
            id="who comes later: 10 us alone, 20 together, 10 alone",
        ),
        pytest.param(
            [Row("load", 64), Row("load", 64, core=4)],
            [(0, 27, LAUNCH, -1), (0, 27, LAUNCH, -1)],
            id="two clusters share the dram, which is twice as fast as a port",
        ),
        pytest.param(
            [Row("load", 64), Row("load", 64, core=4), Row("load", 64, core=8)],
            [(0, 37, LAUNCH, -1), (0, 37, LAUNCH, -1), (0, 37, LAUNCH, -1)],
            id="three of them are too many for it",
        ),
        pytest.param(
            [Row("load", 64), Row("load", 64, core=MEMORY_CORE), Row("load", 64, core=MEMORY_CORE + 1)],
            [(0, 47, LAUNCH, -1), (0, 47, LAUNCH, -1), (0, 37, LAUNCH, -1)],
            id="a memory core uses the port of its own cluster",
        ),
        pytest.param(
            [Row("load", 64), Row("load", 64), Row("add", 88, core=4, blocking=True), Row("load", 64, core=4)],
            [(0, 27, LAUNCH, -1), (27, 54, PIPE, 0), (0, 24, LAUNCH, -1), (24, 51, WAIT, 2)],
            id="a load behind another one uses the channel when it is its turn, not when it is issued",
        ),
        pytest.param(
            [Row("load", 64, bytes=4000)], [(0, 27, LAUNCH, -1)], id="the gaps of a strided operand are not moved"
        ),
        pytest.param(
            [Row("load", 64), Row("load", 64, core=1, blocking=True), Row("add", 8, core=1), Row("sync")],
            [(0, 47, LAUNCH, -1), (0, 47, LAUNCH, -1), (47, 51, WAIT, 1), (47, 52, WAIT, 0)],
            id="a blocking load that shares a channel holds its front end",
        ),
    ],
)
def test_channels(rows, expected):
    found = timed(RATES, *rows)
    assert [row[2:] for row in found] == [row[2:] for row in expected]
    assert [row[:2] for row in found] == [pytest.approx(row[:2]) for row in expected]


@pytest.mark.parametrize(
    ("row", "end"),
    [
        pytest.param(Row("put", 64), 27, id="a granule is written"),
        pytest.param(Row("put", 16), 47, id="less is read first: 128 bytes through the port"),
        pytest.param(Row("put", 256, gaps=3), 87, id="four parts of a granule each"),
        pytest.param(Row("put", 64, gaps=3), 167, id="four short parts are read and written"),
        pytest.param(Row("scalar", 3, bytes=12), 13, id="three loads at half an access a cycle, and the latency"),
        pytest.param(Row("poke", 3, bytes=12), 19, id="three stores are three loads besides"),
    ],
)
def test_short_writes_read_the_granule_first(row, end):
    assert timed(RATES, row)[0][1] == end


def test_tasks_are_handed_out_one_after_the_other():
    rates = replace(ALONE, task_us=10.0)
    rows = [Row("add", 80, task=0), Row("add", 8, core=1, task=1), Row("add", 8, task=2), Row("add", 8, task=3)]
    # Task 2 begins when its core is free, at 22; task 3 when it is handed out, at 30.
    assert timed(rates, *rows) == [
        (0, 22, LAUNCH, -1), (10, 14, LAUNCH, -1), (22, 26, LAUNCH, 0), (30, 34, LAUNCH, -1)
    ]  # fmt: skip


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
        path: replace(fact, kind="documented" if path in known else "assumed") for path, fact in RATES.facts.items()
    }
    assert replay(log_of(Row("load", 64)), replace(RATES, facts=facts)).assumed_share == pytest.approx(share)


# --- random logs -----------------------------------------------------------------------------------------------------


def plain(rows):
    """(start, end) of every row: of all that could happen next on any core the earliest does, until nothing is left.

    Bytes flow: between two events every transfer has its even share of each server, and loses so many.
    """
    queues = {
        core: [i for i, row in enumerate(rows) if row.core == core] for core in sorted({row.core for row in rows})
    }
    now, at = dict.fromkeys(queues, 0.0), dict.fromkeys(queues, 0)
    held = {}  # core: record that its front end waits for
    free = {(core, pipe): 0.0 for core in queues for pipe in PIPES}
    waiting = {key: [] for key in free}  # issued and not started: (record, time of issue)
    flowing = {}  # record: bytes left on every server
    clock, start, end, arrived = 0.0, {}, {}, {}

    def pipe_of(i):
        return PIPE_OF.get(rows[i].op, "compute")

    def sync(i):
        return bool(OPS[rows[i].op].waits)

    def servers(i):
        core = rows[i].core
        return "dram", ("port", core // 4 if core < SHAPE.cores else core - SHAPE.cores)

    def busy(i):
        engine = RATES.engines[OPS[rows[i].op].engine]
        work = 0 if rows[i].op == "meet" else rows[i].work
        return engine.startup_cycles + math.ceil(work / engine.quantum) * engine.quantum / engine.per_cycle

    def speed(server):
        return (6.4 if server == "dram" else 3.2) / sum(server in left for left in flowing.values())

    def flow(until):
        nonlocal clock
        speeds = {server: speed(server) for left in flowing.values() for server in left}
        for left in flowing.values():
            for server in list(left):
                left[server] -= speeds[server] * (until - clock)
                if left[server] < 1e-9:
                    del left[server]
        clock = until

    def done(i, time):
        end[i] = time
        if not sync(i):
            free[rows[i].core, pipe_of(i)] = time
        if held.get(rows[i].core) == i:
            now[rows[i].core] = time
            del held[rows[i].core]

    while True:
        possible = [
            (clock + min([bytes / speed(server) for server, bytes in left.items()], default=0.0), -1, 0, i, "flow")
            for i, left in flowing.items()
        ]
        moving = {(rows[i].core, pipe_of(i)) for i in flowing}
        for (core, pipe), line in waiting.items():
            if line and (core, pipe) not in moving:
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
                if not any(waiting[core, pipe] or (core, pipe) in moving for pipe in gate):
                    time = max([now[core], *(free[core, pipe] for pipe in gate)])
                    possible.append((time, 0, core, i, "hold"))
        if not possible:
            break
        time, _, core, i, what = min(possible)
        flow(max(time, clock))
        if what == "flow":
            if not flowing[i]:
                del flowing[i]
                done(i, max(time, start[i] + busy(i)) + 7)
            continue
        if what == "start":
            waiting[core, pipe_of(i)].pop(0)
            start[i] = time
            if rows[i].moved:
                flowing[i] = dict.fromkeys(servers(i), rows[i].moved)
            else:
                done(i, time + busy(i))
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
                    done(other, time + 5)
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
            rows.append(Row(op, int(generator.integers(1, 200)), int(generator.choice(cores)), bool(blocking)))
        rows += [Row("meet", meeting, core) for core in cores]
    return rows


@pytest.mark.parametrize("seed", range(40))
def test_random_logs_agree_with_the_plain_walk(seed):
    rows = random_rows(seed)
    line = replay(log_of(*rows), RATES)
    expected = np.array(plain(rows))
    np.testing.assert_allclose(line.start, expected[:, 0], rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(line.end, expected[:, 1], rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_no_gap_is_unexplained(seed):
    """What a record waited for ends as the record starts."""
    rows = random_rows(seed)
    line = replay(log_of(*rows), RATES)
    for i, row in enumerate(rows):
        reason, cause = Reason(line.reason[i]), line.cause[i]
        if row.op == "meet" and reason == BARRIER:
            assert line.start[cause] == line.end[i] - 5
        elif reason in (PIPE, WAIT):
            assert line.end[cause] == line.start[i]


def test_two_replays_are_equal():
    log = log_of(*random_rows(1))
    first, second = replay(log, RATES), replay(log, RATES)
    for name in ("start", "end", "reason", "cause"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()
