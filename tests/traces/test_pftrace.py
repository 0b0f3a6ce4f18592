"""Traces of Perfetto's packets: what the JSON says, in a tenth of the bytes, in an order that is stated."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from mlusim.simulator.timing import Timeline, replay
from mlusim.traces import Shown, write_program_trace, write_trace

from tests.traces.handmade import DEVICE, make_log, pipelined
from tests.traces.wire import Packets

CORES = ("core 00 (cluster 0)", "core 01 (cluster 0)")


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    return pipelined(cores=[0, 1, 5, 10, DEVICE.shape.cores], tiles=12)


@pytest.fixture(scope="module")
def packets(timeline: Timeline, tmp_path_factory: pytest.TempPathFactory) -> Packets:
    path = tmp_path_factory.mktemp("packets") / "t.pftrace"
    write_trace(timeline, path)
    return Packets(path)


def test_it_says_what_the_json_says(timeline: Timeline, packets: Packets, tmp_path: Path) -> None:
    write_trace(timeline, tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    names = {(e["name"], e["pid"], e["tid"]): e["args"].get("name") for e in events if e["ph"] == "M"}
    wanted = Counter(
        (
            names["process_name", e["pid"], e["pid"]], names["thread_name", e["pid"], e["tid"]], e["name"],
            int(e["ts"] * 1000), e["args"]["work"], e["args"]["task"], e["args"]["source"], e["args"]["dtypes"],
            e["args"]["reason"].rpartition(",")[0] or e["args"]["reason"],  # without the times
            tuple(sorted((name, place["region"]) for name, place in e["args"]["operands"].items())),
        )
        for e in events if e["ph"] == "X"
    )  # fmt: skip
    found = Counter(
        (
            *packets.path(one.track), one.name, one.start, one.arguments["work"], one.arguments["task"],
            one.arguments["source"], one.arguments["dtypes"], one.arguments["reason"],
            tuple(sorted((k.removeprefix("operands."), v) for k, v in one.arguments.items() if k.startswith("oper"))),
        )
        for one in packets.slices
    )  # fmt: skip
    assert found == wanted
    ends = sorted(int(e["ts"] * 1000) + round(e["dur"] * 1000) for e in events if e["ph"] == "X")
    assert sorted(one.end for one in packets.slices) == ends


def test_rows_stand_in_the_order_of_the_pipes_and_cores_in_that_of_their_numbers(packets: Packets) -> None:
    groups = sorted(name for name, parent, _ in packets.tracks.values() if not parent)  # so does Perfetto
    assert groups[0] == f"(device) {DEVICE.name}"
    assert groups[1:] == [
        "cluster 0 memory core", "core 00 (cluster 0)", "core 01 (cluster 0)", "core 05 (cluster 1)",
        "core 10 (cluster 2)",
    ]  # fmt: skip
    mine = [track for track, (name, _, _) in packets.tracks.items() if name == "core 05 (cluster 1)"]
    rows = [(rank, name) for name, parent, rank in packets.tracks.values() if [parent] == mine]
    assert [name for _, name in sorted(rows)] == ["front end", "compute", "io", "scalar", "NRAM in use", "NRAM live"]


def test_arrows_have_both_ends_and_do_not_run_backwards(packets: Packets) -> None:
    begun = {end: one for one in packets.slices for end in one.flows[0]}
    ended = {end: one for one in packets.slices for end in one.flows[1]}
    assert begun.keys() == ended.keys() != set()
    assert all(begun[end].start <= ended[end].start for end in begun)
    assert all(ended[end].arguments["reason"].split(": ")[1].startswith(begun[end].name) for end in begun)


def test_memory_that_is_live_comes_and_goes(packets: Packets) -> None:
    steps = {packets.path(track): values for track, values in packets.counters.items()}
    declared, live = (steps["core 05 (cluster 1)", name] for name in ("NRAM in use", "NRAM live"))
    assert len({value for _, value in live}) > len({value for _, value in declared})
    assert max(value for _, value in live) <= max(value for _, value in declared)
    assert live[-1][1] == declared[-1][1] == 0


def test_it_is_small(tmp_path: Path) -> None:
    timeline = pipelined(cores=list(range(8)), tiles=200)
    write_trace(timeline, tmp_path / "t.pftrace")
    write_trace(timeline, tmp_path / "again.pftrace")
    data = (tmp_path / "t.pftrace").read_bytes()
    assert data == (tmp_path / "again.pftrace").read_bytes()
    records = len(Packets(tmp_path / "t.pftrace").slices)
    print(f"{records:,} records: {len(data) / records:.0f} bytes each, {len(gzip.compress(data)) / records:.1f} packed")
    assert len(data) <= 150 * records
    assert len(gzip.compress(data)) <= 15 * records


def test_launches_of_a_program_follow_each_other_in_their_queues(tmp_path: Path) -> None:
    one, two = (pipelined(cores=[0, 1], tiles=tiles) for tiles in (2, 3))
    shown = [Shown(one, 1.0, 0, 0, "k.mlu:1"), Shown(two, 100.0, 1, 0, "k.mlu:2"), Shown(one, 50.0, 0, 1, "k.mlu:3")]
    write_program_trace(shown, tmp_path / "p.pftrace")
    packets = Packets(tmp_path / "p.pftrace")
    queues = [(packets.path(s.track), s.start, s.arguments["source"]) for s in packets.slices if "dim" in s.arguments]
    assert queues == [
        ((f"(device) 0 {DEVICE.name}", "queue 0"), 1000, "k.mlu:1"),
        ((f"(device) 0 {DEVICE.name}", "queue 1"), 100_000, "k.mlu:2"),
        ((f"(device) 1 {DEVICE.name}", "queue 0"), 50_000, "k.mlu:3"),
    ]
    drawn = Counter(packets.path(s.track)[0] for s in packets.slices if "dim" not in s.arguments)
    assert set(drawn) == {
        "core 00 (cluster 0)",
        "core 01 (cluster 0)",
        *(f"device 1 core 0{n} (cluster 0)" for n in "01"),
    }


def test_a_trace_without_records(tmp_path: Path) -> None:
    write_trace(replay(make_log([]), DEVICE.rates), tmp_path / "t.pftrace")
    assert Packets(tmp_path / "t.pftrace").slices == []
