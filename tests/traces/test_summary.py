"""The summary: its figures against plain loops over the records, and its print."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace as changed
from io import StringIO

import pytest
from mlusim.simulator.timing import Reason, Timeline
from mlusim.traces import Peak, Traffic, print_summary, summarise
from rich.console import Console

from tests.traces.handmade import DEVICE, Row, make_log, make_timeline, pipelined

CORES = [0, 1, 5, DEVICE.shape.cores]
FRONT_END = ("wait_io", "wait_all", "meet")


@pytest.fixture(scope="module")
def replayed() -> Timeline:
    return pipelined(CORES, tiles=12)


def instructions(timeline: Timeline) -> list[tuple[int, str, str, int, float, float]]:
    """Index, name, pipe, core, start and end of every record that works in a pipe."""
    log = timeline.log
    found = []
    for i in range(len(log)):
        record, name = log.records[i], log.ops[log.records[i]["op"]].name
        if name not in ("alloc", "free", *FRONT_END):
            pipe = log.pipes[record["pipe"]]
            found.append((i, name, pipe, int(record["core"]), float(timeline.start[i]), float(timeline.end[i])))
    return found


def printed(timeline: Timeline, width: int) -> str:
    text = StringIO()
    print_summary(summarise(timeline), Console(file=text, width=width))
    return text.getvalue()


def test_pipes(replayed: Timeline) -> None:
    busy: dict[str, Counter[int]] = defaultdict(Counter)
    count: Counter[str] = Counter()
    for _, _, pipe, core, start, end in instructions(replayed):
        busy[pipe][core] += end - start  # type: ignore[assignment]
        count[pipe] += 1
    summary = summarise(replayed)
    assert summary.kernel_us == max(replayed.end)
    assert summary.total_us == summary.kernel_us + DEVICE.rates.launch_overhead_us
    assert (summary.records, summary.cores) == (len(replayed.log), len(CORES))
    assert [use.pipe for use in summary.pipes] == ["compute", "io", "scalar"]
    for use in summary.pipes:
        assert use.records == count[use.pipe]
        assert use.busy_us == pytest.approx(sum(busy[use.pipe].values()))
        assert use.mean == pytest.approx(use.busy_us / len(CORES) / summary.kernel_us)
        assert use.max == pytest.approx(max(busy[use.pipe].values()) / summary.kernel_us)


def test_traffic(replayed: Timeline) -> None:
    read: Counter[str] = Counter()
    written: Counter[str] = Counter()
    for i, *_ in instructions(replayed):
        for _, writes, region in replayed.log.regions(i):
            (written if writes else read)[region.space] += region.bytes
    assert summarise(replayed).traffic == tuple(
        Traffic(space, read[space], written[space]) for space in ("gdram", "nram")
    )


def test_lines(replayed: Timeline) -> None:
    us: dict[int, float] = defaultdict(float)
    names: dict[int, str] = {}
    for i, name, _, _, start, end in instructions(replayed):
        us[replayed.log.location(i).line] += end - start
        names[replayed.log.location(i).line] = name
    lines = summarise(replayed).lines
    assert {n.line: n.us for n in lines} == pytest.approx(us)
    assert {n.line: n.share for n in lines} == pytest.approx({line: t / sum(us.values()) for line, t in us.items()})
    assert {n.line: n.top_instruction for n in lines} == names
    assert sum(n.records for n in lines) == len(instructions(replayed))
    assert [round(n.us, 6) for n in lines] == sorted((round(n.us, 6) for n in lines), reverse=True)
    assert [n.line for n in summarise(replayed, top=2).lines] == [n.line for n in lines[:2]]


def test_waits_add_up_to_the_gaps(replayed: Timeline) -> None:
    free: dict[tuple[int, str], float] = defaultdict(float)
    gaps = 0.0
    for _, _, pipe, core, start, end in instructions(replayed):
        gaps += start - free[core, pipe]
        free[core, pipe] = end
    waits = summarise(replayed, top=100).waits
    assert sum(wait.us for wait in waits) == pytest.approx(gaps)
    assert [wait.us for wait in waits] == sorted((wait.us for wait in waits), reverse=True)


def test_a_gap_is_charged_to_what_the_sync_waited_for() -> None:
    # Two syncs and an issue lie between the load and the second add; the third add follows a barrier.
    log = make_log(
        [
            Row("add", line=1),
            Row("load", line=2),
            Row("wait_io", line=3),
            Row("wait_all", line=4),
            Row("load", line=5),
            Row("add", line=6),
            Row("meet", line=7),
            Row("load", line=8),
            Row("add", line=9),
        ]
    )
    timeline = make_timeline(
        log,
        [
            (0.0, 1.0, Reason.LAUNCH, -1),
            (0.0, 5.0, Reason.ISSUE, 0),
            (5.0, 5.0, Reason.WAIT, 1),
            (5.0, 5.0, Reason.WAIT, 2),
            (5.0, 6.0, Reason.WAIT, 3),
            (5.1, 6.0, Reason.ISSUE, 4),
            (6.0, 8.0, Reason.WAIT, 5),
            (8.0, 9.0, Reason.BARRIER, 6),
            (8.1, 9.0, Reason.ISSUE, 7),
        ],
    )
    waits = [(w.reason, w.instruction, w.line, round(w.us, 3), w.records) for w in summarise(timeline).waits]
    # Compute stood idle 1..5.1 for the first load; compute and io stood idle 6..8.1 and 6..8 for the barrier.
    assert waits == [("wait", "load", 2, 4.1, 1), ("barrier", "meet", 7, 4.1, 2)]


def test_peak_is_of_the_fullest_memory_and_counts_shared_bytes_once() -> None:
    def change(op: str, core: int, space: str, owner: int, start: int, size: int) -> Row:
        return Row(op, core, operands=((space, owner, start, size),))

    rows = [
        change("alloc", 0, "nram", 0, 0, 100),
        change("alloc", 0, "nram", 0, 100, 50),
        change("free", 0, "nram", 0, 100, 50),
        change("alloc", 1, "nram", 1, 0, 140),
        change("alloc", 0, "sram", 0, 0, 1000),
        change("alloc", 1, "sram", 0, 0, 1000),
        change("free", 0, "sram", 0, 0, 1000),
        change("alloc", 1, "sram", 0, 1000, 24),
    ]
    timeline = make_timeline(make_log(rows), [(0.0, 0.0, Reason.LAUNCH, -1)] * len(rows))
    budgets = {name: space.bytes for name, space in DEVICE.shape.spaces.items()}
    assert summarise(timeline).peaks == (
        Peak("nram", 0, 150, budgets["nram"]),
        Peak("sram", 0, 1024, budgets["sram"]),
    )


def test_touched_bytes_count_once_wherever_they_overlap() -> None:
    def row(op: str, owner: int, start: int, size: int) -> Row:
        return Row(op, owner, operands=(("nram", owner, start, size),))

    rows = [row("alloc", 0, 0, 1000), row("alloc", 1, 0, 900), row("scalar.load", 1, 0, 900)]
    rows += [
        row("scalar.load", 0, start, size) for start, size in ((100, 50), (120, 100), (0, 10), (130, 5), (990, 10))
    ]
    timeline = make_timeline(make_log(rows), [(0.0, 0.0, Reason.LAUNCH, -1)] * len(rows))
    (peak,) = summarise(timeline).peaks
    assert (peak.owner, peak.bytes, peak.touched) == (0, 1000, 120 + 10 + 10)


def test_summary_is_json(replayed: Timeline) -> None:
    data = json.loads(json.dumps(summarise(replayed).to_dict()))
    assert data["assumed_share"] == replayed.assumed_share
    assert data["pipes"][0]["pipe"] == "compute"


@pytest.mark.parametrize("width", [80, 100])
def test_print_fits_and_needs_no_colour(replayed: Timeline, width: int) -> None:
    text = printed(changed(replayed, shares={"assumed": 0.374, "fitted": 0.126}, not_modelled=("conv", "sort")), width)
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= width
    assert "37 % of the busy time comes from assumed rates, 13 % from fitted ones" in text
    assert "conv, sort" in text
    line = next(line.split() for line in text.splitlines() if line.startswith("demo.mlu:12"))
    (figure,) = (n for n in summarise(replayed).lines if n.line == 12)
    assert line[1] == f"{figure.us:,.3f}"
    assert line[-1] == "scalar.load"


def test_an_empty_log_has_a_summary() -> None:
    timeline = pipelined(cores=[], tiles=0)
    summary = summarise(timeline)
    assert (summary.kernel_us, summary.pipes, summary.waits, summary.lines) == (0.0, (), (), ())
    assert "0 records on 0 cores" in printed(timeline, 80)
