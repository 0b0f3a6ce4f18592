"""The trace file: valid, complete, exact, and all or nothing."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator.log import Location
from mlusim.simulator.timing import Reason, Timeline
from mlusim.traces import write_trace

from tests.traces.handmade import DEVICE, LOCATIONS, OPS, Row, make_log, make_timeline, pipelined

Event = dict[str, Any]


def trace(timeline: Timeline, folder: Path) -> dict[str, Any]:
    path = folder / "trace.json"
    write_trace(timeline, path)
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def of(events: list[Event], phase: str) -> list[Event]:
    return [event for event in events if event["ph"] == phase]


def ns(event: Event, key: str = "ts") -> int:
    """A time as Perfetto takes it: multiplied in double precision and cut off."""
    return int(event[key] * 1000.0)


@pytest.fixture(scope="module")
def replayed() -> Timeline:
    return pipelined(cores=[0, 1, 5, DEVICE.shape.cores], tiles=12)


@pytest.fixture
def events(replayed: Timeline, tmp_path: Path) -> list[Event]:
    found: list[Event] = trace(replayed, tmp_path)["traceEvents"]
    return found


@pytest.fixture
def six() -> Timeline:
    """Take memory, load, wait, add on core 5; meet with its memory core; the arrival of that one is the late one."""
    memory_core = DEVICE.shape.cores + 1
    log = make_log(
        [
            Row("alloc", 5, 1, 0, (("nram", 5, 0x100, 64),), 7),
            Row("load", 5, 2, 64, (("nram", 5, 0x100, 64), ("gdram", 0, 0x1000, 64)), 7),
            Row("wait_io", 5, 3, 0, (), 7),
            Row("meet", 5, 4, 0, (), 7),
            Row("meet", memory_core, 4, 0, (), 9),
            Row("free", 5, 5, 0, (("nram", 5, 0x100, 64),), 7),
        ]
    )
    return make_timeline(
        log,
        [
            (0.0, 0.0, Reason.LAUNCH, -1),
            (0.001, 0.065, Reason.ISSUE, 0),
            (0.065, 0.07, Reason.WAIT, 1),
            (0.07, 1.5, Reason.BARRIER, 4),
            (1.001, 1.5, Reason.LAUNCH, -1),
            (1.5, 1.5, Reason.BARRIER, 4),
        ],
    )


def test_exact_events(six: Timeline, tmp_path: Path) -> None:
    document = trace(six, tmp_path)
    events = document["traceEvents"]
    named = {(e["name"], e["pid"], e["tid"]): next(iter(e["args"].values())) for e in of(events, "M")}
    assert named == {
        ("process_name", 1, 1): "device mlu370-x4",
        ("process_sort_index", 1, 1): 0,
        ("process_name", 105, 105): "core 05 (cluster 1)",
        ("process_sort_index", 105, 105): 7,
        ("process_name", 133, 133): "cluster 1 memory core",
        ("process_sort_index", 133, 133): 10,
        ("thread_name", 105, 105000): "front end",
        ("thread_sort_index", 105, 105000): 0,
        ("thread_name", 105, 105002): "io",
        ("thread_sort_index", 105, 105002): 2,
        ("thread_name", 133, 133000): "front end",
        ("thread_sort_index", 133, 133000): 0,
    }
    load, wait, meet, late = of(events, "X")
    assert load == {
        "ph": "X",
        "name": "load",
        "pid": 105,
        "tid": 105002,
        "ts": 0.001,
        "dur": 0.064,
        "args": {
            "dtypes": "float32",
            "operands": {
                "dst": {"region": "nram[5] 0x100..0x140", "bytes": 64},
                "src": {"region": "gdram[0] 0x1000..0x1040", "bytes": 64},
            },
            "work": 64,
            "source": "/src/demo.mlu:2",
            "task": 7,
            "reason": "program order: alloc, core 5, 0.000..0.000 us",
        },
    }
    assert wait["args"]["reason"] == "waited: load, core 5, 0.001..0.065 us"
    assert meet["args"]["reason"] == "barrier, the last to arrive: meet, core 33, 1.001..1.500 us"
    assert late["args"]["reason"] == "start of the task"
    arrows = [(e["ph"], e["name"], e["id"], e["tid"], ns(e)) for e in events if e["ph"] in "sf"]
    assert arrows == [
        ("s", "wait", 3, 105002, 64),  # the last nanosecond of the load
        ("f", "wait", 3, 105000, 65),
        ("s", "barrier", 4, 133000, 1001),  # the arrival, under which both wait
        ("f", "barrier", 4, 105000, 1001),
    ]
    counters = [(e["name"], e["pid"], ns(e), e["args"]) for e in of(events, "C")]
    assert counters == [
        ("DRAM bandwidth", 1, 1, {"GB/s": 1.0}),  # 64 bytes in 64 ns
        ("DRAM bandwidth", 1, 65, {"GB/s": 0.0}),
        ("NRAM in use", 105, 0, {"bytes": 64}),
        ("NRAM in use", 105, 1500, {"bytes": 0}),
        ("NRAM live", 105, 1, {"bytes": 64}),
        ("NRAM live", 105, 65, {"bytes": 0}),  # nothing reads it
    ]
    assert document["displayTimeUnit"] == "ns"
    assert document["otherData"].pop("summary")["records"] == len(six.log)
    assert document["otherData"] == {
        "device": "mlu370-x4",
        "total_us": 1.5 + DEVICE.rates.launch_overhead_us,
        "assumed_share": 0.25,
        "fitted_share": 0.5,
        "not_modelled": [],
    }


def test_every_event_has_a_named_row(events: list[Event], replayed: Timeline) -> None:
    processes = {e["pid"] for e in of(events, "M") if e["name"] == "process_name"}
    rows = {(e["pid"], e["tid"]) for e in of(events, "M") if e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in events if e["ph"] in "Xsf"} == rows
    assert {e["pid"] for e in events} == processes
    assert len({tid for _, tid in rows}) == len(rows), "Perfetto names a thread by its id alone"
    drawn = Counter(e["name"] for e in of(events, "X"))
    logged = Counter(replayed.log.ops[op].name for op in replayed.log.records["op"])
    assert drawn == {name: count for name, count in logged.items() if name not in ("alloc", "free")}


def test_instructions_of_a_row_do_not_overlap(events: list[Event]) -> None:
    rows = defaultdict(list)
    for event in of(events, "X"):
        rows[event["tid"]].append((ns(event), ns(event) + ns(event, "dur")))
    for spans in rows.values():
        spans.sort()
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))


def test_arrows_are_paired_and_bind_to_cause_and_effect(events: list[Event], replayed: Timeline) -> None:
    begins, ends = ({e["id"]: e for e in of(events, phase)} for phase in "sf")
    kinds = {Reason.WAIT: "wait", Reason.BARRIER: "barrier"}
    waits = {i: kinds[Reason(r)] for i, r in enumerate(replayed.reason.tolist()) if r in kinds}
    waits = {i: kind for i, kind in waits.items() if OPS[replayed.log.records["op"][i]].name not in ("alloc", "free")}
    assert set(waits.values()) == set(kinds.values()), "the kernel must show every kind of arrow"
    assert len(begins) == len(of(events, "s")), "an id is used twice"
    assert {index - 1: e["name"] for index, e in begins.items()} == waits
    assert {index - 1: e["name"] for index, e in ends.items()} == waits
    for number, begin in begins.items():
        end, index = ends[number], number - 1
        cause = replayed.cause[index]
        assert end["bp"] == "e"
        assert ns(begin) <= ns(end)
        for event, record in ((begin, cause), (end, index)):
            assert event["pid"] == 100 + replayed.log.records["core"][record]
            assert round(replayed.start[record] * 1e3) <= ns(event) < round(replayed.end[record] * 1e3)


def test_counters_stay_positive_and_end_at_zero(events: list[Event]) -> None:
    tracks = defaultdict(list)
    for event in of(events, "C"):
        (value,) = event["args"].values()
        tracks[event["pid"], event["name"]].append((ns(event), value))
    assert {name for _, name in tracks} == {"NRAM in use", "NRAM live", "DRAM bandwidth"}
    for steps in tracks.values():
        assert [time for time, _ in steps] == sorted({time for time, _ in steps})
        assert min(value for _, value in steps) == 0
        assert max(value for _, value in steps) > 0
        assert steps[-1][1] == 0


def test_bandwidth_carries_all_bytes(events: list[Event], replayed: Timeline) -> None:
    steps = [(ns(e), e["args"]["GB/s"]) for e in of(events, "C") if e["name"] == "DRAM bandwidth"]
    area = sum(level * (after - time) for (time, level), (after, _) in itertools.pairwise(steps))
    gdram = sum(
        region.bytes
        for i in range(len(replayed.log))
        for _, _, region in replayed.log.regions(i)
        if region.space == "gdram"
    )
    assert area == pytest.approx(gdram, rel=1e-3)


def test_memory_of_a_broken_launch_goes_at_its_end(tmp_path: Path) -> None:
    log = make_log([Row("alloc", operands=(("nram", 0, 0, 32),)), Row("add", work=128)])
    timeline = make_timeline(log, [(0.0, 0.0, Reason.LAUNCH, -1), (0.0, 2.0, Reason.LAUNCH, -1)])
    counters = of(trace(timeline, tmp_path)["traceEvents"], "C")
    assert [(e["ts"], e["args"]["bytes"]) for e in counters] == [(0.0, 32), (2.0, 0)]


def test_places_are_those_of_the_log(replayed: Timeline, tmp_path: Path) -> None:
    operands = replayed.log.operands.copy()  # of all records, some across lanes, some without bytes
    operands["lanes"], operands["lane"] = np.arange(len(operands)) % 3, np.arange(len(operands)) % 5
    operands["bytes"][::7] = 0
    log = changed(replayed.log, operands=operands)
    found = of(trace(changed(replayed, log=log), tmp_path)["traceEvents"], "X")
    shown = [index for index in range(len(log)) if log.op(index).name not in ("alloc", "free")]
    for index, event in zip(shown, found, strict=True):
        places = {name: region for name, _, region in log.regions(index) if region.bytes}
        assert {name: one["region"] for name, one in event["args"]["operands"].items()} == {
            name: str(region) for name, region in places.items()
        }
        assert [one["bytes"] for one in event["args"]["operands"].values()] == [
            region.bytes * max(region.lanes, 1) for region in places.values()
        ]


def test_names_are_escaped(six: Timeline, tmp_path: Path) -> None:
    name, file = 'lo"ad\\<T>\n', 'C:\\kernels\\"mü".mlu'
    ops = tuple(changed(op, name=name) if op.name == "load" else op for op in OPS)
    places = (LOCATIONS[0], Location(file, 2), *LOCATIONS[2:])
    log = changed(six.log, ops=ops, locations=places)
    load, wait, *_ = of(trace(changed(six, log=log), tmp_path)["traceEvents"], "X")
    assert (load["name"], load["args"]["source"]) == (name, f"{file}:2")
    assert wait["args"]["reason"] == f"waited: {name}, core 5, 0.001..0.065 us"


def test_times_survive_a_reader_that_cuts_off(tmp_path: Path) -> None:
    count = 5000  # one in 170 whole nanoseconds is below itself after a division and a multiplication by 1000
    log = make_log([Row("add")] * count)
    times = [(n / 1e3, (n + 1) / 1e3, Reason.PIPE, n - 1) for n in range(count)]
    found = of(trace(make_timeline(log, times), tmp_path)["traceEvents"], "X")
    assert [(ns(e), ns(e, "dur")) for e in found] == [(n, 1) for n in range(count)]


def test_equal_timelines_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        write_trace(pipelined(cores=[0, 4], tiles=3), tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_failing_write_leaves_the_old_file(six: Timeline, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    write_trace(six, path)
    before = path.read_bytes()
    broken = changed(six, cause=np.full(len(six.log), 10**6))  # fails when the first instruction is written
    with pytest.raises(IndexError):
        write_trace(broken, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError):
        write_trace(six, tmp_path / "missing" / "trace.json")


def test_an_empty_log_is_a_valid_trace(tmp_path: Path) -> None:
    timeline = changed(pipelined(cores=[], tiles=0), total_us=5.0)
    assert {e["ph"] for e in trace(timeline, tmp_path)["traceEvents"]} == {"M"}


@pytest.mark.slow
def test_a_long_log(tmp_path: Path) -> None:
    timeline = pipelined(cores=range(8), tiles=1400)
    assert len(timeline.log) > 100_000
    found = trace(timeline, tmp_path)["traceEvents"]
    assert len(of(found, "X")) == len(timeline.log) - 16
