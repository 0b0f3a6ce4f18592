"""What a report holds is what the timeline says, it fits its size, and it can load and run nothing but itself."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator.findings import Finding
from mlusim.simulator.log import Location
from mlusim.simulator.timing import Timeline, replay
from mlusim.traces import summarise
from mlusim.traces.report import LaunchShown, ReportPage, write_report
from mlusim.traces.tracks import HIDDEN, rows

from tests.traces.handmade import DEVICE, Row, make_log, pipelined
from tests.traces.report.large import irregular
from tests.traces.report.reading import Read, read


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    return pipelined(cores=[0, 1, 5, DEVICE.shape.cores], tiles=12)


def written(folder: Path, *timelines: Timeline, **more: object) -> Read:
    path = folder / "r.html"
    write_report(ReportPage("k", [LaunchShown("k", one) for one in timelines], **more), path)  # type: ignore[arg-type]
    return read(path)


@pytest.fixture(scope="module")
def report(timeline: Timeline, tmp_path_factory: pytest.TempPathFactory) -> Read:
    return written(tmp_path_factory.mktemp("report"), timeline)


def test_every_record_is_there_with_its_times(report: Read, timeline: Timeline) -> None:
    log, shown = timeline.log, np.flatnonzero(rows(timeline.log) != HIDDEN)
    facts, (start, end) = report.head["launches"][0], report.times(0)
    assert len(start) == len(shown) < len(log)
    assert np.allclose(start * facts["tick_us"], timeline.start[shown], atol=facts["tick_us"])
    assert np.allclose(end * facts["tick_us"], timeline.end[shown], atol=facts["tick_us"])
    records = log.records[shown]
    for name in ("op", "loc"):
        assert (report.column(0, name) == records[name]).all()
    assert (report.summed(0, "task", np.zeros(len(shown))) == records["task"]).all()
    assert (report.summed(0, "work", records["op"]) == records["work"]).all()
    lanes = np.array(facts["lanes"])[report.column(0, "lane")]
    assert (lanes[:, 0] == records["core"]).all()
    assert (lanes[:, 1] == rows(log)[shown]).all()


def test_every_operand_is_there(report: Read, timeline: Timeline) -> None:
    log, shown = timeline.log, np.flatnonzero(rows(timeline.log) != HIDDEN)
    ops = report.head["launches"][0]["ops"]
    slots, starts = [], np.cumsum([0, *(len(op["operands"]) for op in ops)])
    for op in report.column(0, "op").tolist():
        slots += range(starts[op], starts[op + 1])
    offset, size = (report.summed(0, name, np.array(slots)) for name in ("offset", "bytes"))
    space, owner = report.column(0, "space"), report.column(0, "owner")
    lanes, at = np.array(report.head["launches"][0]["lanes"]), 0
    for index, lane in zip(shown.tolist(), report.column(0, "lane").tolist(), strict=True):
        for _, _, region in log.regions(index):
            names = report.head["launches"][0]["spaces"]
            found = names[space[at]], owner[at] + lanes[lane][0], offset[at], size[at]
            assert found == (region.space, region.owner, region.offset, region.bytes)
            at += 1
    assert at == len(offset)


def test_causes_point_at_what_held_a_record_up(report: Read, timeline: Timeline) -> None:
    back, why = report.column(0, "back"), report.column(0, "why")
    start, end = report.times(0)
    waits = np.flatnonzero(np.array([report.head["launches"][0]["reasons"][str(one)] for one in why]) == "wait")
    assert len(waits)
    cause = waits - back[waits]
    assert (back[waits] != 0).all()
    assert (end[cause] <= start[waits] + 1).all()


def test_figures_are_those_of_the_summary(report: Read, timeline: Timeline) -> None:
    facts = report.head["launches"][0]
    summary = summarise(timeline, len(timeline.log)).to_dict()
    assert facts["summary"]["pipes"] == [dict(one) for one in summary["pipes"]]
    assert facts["summary"]["total_us"] == timeline.total_us
    moved = sum(
        sum(values) for one in facts["bandwidth"] if one["channel"] == "dram" for values in one["units"].values()
    )
    traffic = next(one for one in summary["traffic"] if one["space"] == "gdram")
    step_us = timeline.end.max() / 1024
    assert moved * step_us * 1e3 == pytest.approx(traffic["read"] + traffic["written"], rel=0.05)
    ends = facts["balance"]["end"]
    assert max(ends) == pytest.approx(timeline.end.max(), abs=1e-4)


def rectangles(report: Read, prefix: str) -> list[tuple[int, ...]]:
    memory = report.column(0, f"{prefix}_memory")
    plain = [report.column(0, f"{prefix}_{name}") for name in ("offset", "bytes")]
    times = [report.summed(0, f"{prefix}_{name}", memory) for name in ("begin", "end")]
    return sorted(zip(memory.tolist(), *(column.tolist() for column in (*plain, *times)), strict=True))


def test_bytes_live_from_the_first_write_to_the_last_read(tmp_path: Path) -> None:
    """Twice: a load into one half of a variable, a read of it; the other half is never touched."""
    half, memory = ("nram", 0, 0, 64), ("gdram", 0, 0, 64)
    other = ("nram", 0, 256, 64)
    rows_ = [Row("alloc", 0, 2, 0, (("nram", 0, 0, 128),))]
    for _ in range(2):
        rows_ += [
            Row("load", 0, 5, 64, (half, memory)), Row("wait_io", 0, 6),
            Row("add", 0, 7, 64, (other, half, half)), Row("wait_all", 0, 8),
        ]  # fmt: skip
    timeline = replay(make_log([*rows_, Row("free", 0, 9, 0, (("nram", 0, 0, 128),))]), DEVICE.rates)
    report = written(tmp_path, timeline)
    start, end = report.times(0)  # load, wait, add, wait, load, wait, add, wait
    assert rectangles(report, "held") == [(0, 0, 128, 0, report.head["launches"][0]["last"])]
    lives = rectangles(report, "live")
    assert lives == [
        (0, 0, 64, start[0], end[2]), (0, 0, 64, start[4], end[6]), (0, 256, 64, start[2], end[6]),
    ]  # fmt: skip


def test_a_byte_that_is_overwritten_in_place_lives_once(tmp_path: Path) -> None:
    """An instruction reads and writes the same 64 bytes: what it read ends where its result begins."""
    half, memory = ("nram", 0, 0, 64), ("gdram", 0, 0, 64)
    rows_ = [
        Row("load", 0, 5, 64, (half, memory)), Row("wait_io", 0, 6),
        Row("add", 0, 7, 64, (half, half, half)), Row("wait_all", 0, 8),
        Row("store", 0, 9, 64, (memory, half)),
    ]  # fmt: skip
    report = written(tmp_path, replay(make_log(rows_), DEVICE.rates))
    start, end = report.times(0)
    assert rectangles(report, "live") == [(0, 0, 64, start[0], start[2]), (0, 0, 64, start[2], end[4])]


def test_a_long_log_is_condensed_and_says_so(
    timeline: Timeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written(tmp_path, timeline)
    monkeypatch.setattr("mlusim.traces.report.facts._DRAWN", 100)
    report = written(tmp_path, timeline)
    facts = report.head["launches"][0]
    assert 20 < facts["columns"]["lane"]["count"] <= 100
    assert "offset" not in facts["columns"]
    assert "of 432 records: short ones" in facts["left_out"][0]
    assert int(report.column(0, "several").sum()) + facts["columns"]["lane"]["count"] == 432
    assert facts["summary"] == whole.head["launches"][0]["summary"]
    assert report.times(0)[1].max() == whole.times(0)[1].max()


@pytest.mark.slow
def test_an_irregular_log_of_100000_records_fits(tmp_path: Path) -> None:
    report = written(tmp_path, replay(irregular(100_000), DEVICE.rates))
    size = (tmp_path / "r.html").stat().st_size
    print(f"report of 100,000 irregular records: {size:,} bytes")
    assert size <= 1_500_000
    left = report.head["launches"][0]["left_out"]
    assert report.head["launches"][0]["columns"]["lane"]["count"] == 100_000 or left


# --- what a report cannot do ---

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>&\"'\u202e\ud800"


def test_the_policy_lets_run_what_is_in_the_file_and_nothing_else(report: Read) -> None:
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', report.text)
    assert policy
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy[1]
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", report.text, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert len(re.findall(r"<script", report.text)) == 2


def test_names_messages_and_sources_of_strangers_are_data(timeline: Timeline, tmp_path: Path) -> None:
    source = tmp_path / "evil.mlu"
    source.write_text(f"// {EVIL[:-1]}\n" * 3, encoding="utf-8")
    log = replace(
        timeline.log, launch={"kernel": EVIL}, device=EVIL,
        locations=tuple(Location(str(source), place.line) for place in timeline.log.locations),
        ops=tuple(replace(op, name=EVIL + op.name) for op in timeline.log.ops),
    )  # fmt: skip
    finding = Finding("bounds", EVIL, location=Location(str(source), 2))
    path = tmp_path / "r.html"
    launch = LaunchShown(EVIL, replace(timeline, log=log))
    write_report(ReportPage(EVIL, [launch], [finding], folders=[tmp_path]), path)
    text = path.read_text(encoding="utf-8")
    assert len(re.findall(r"</script", text)) == 2
    assert "<img" not in text
    assert "alert(1)&lt;/script&gt;" in text  # in the title, as text
    head = read(path).head
    assert head["findings"][0]["message"].startswith("</script>")
    assert head["sources"][0]["text"].startswith("// </script>")


def test_only_sources_below_the_folders_are_read(timeline: Timeline, tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    for path in (inside / "k.mlu", outside / "k.mlu", inside / "secret", inside / "large.h"):
        path.write_text("text", encoding="utf-8")
    (inside / "large.h").write_bytes(b"x" * ((1 << 20) + 1))
    (inside / "link.mlu").symlink_to(outside / "k.mlu")
    (inside / "round.mlu").symlink_to(inside / "round.mlu")
    names = ["in/k.mlu", "out/k.mlu", "in/../out/k.mlu", "in/link.mlu", "in/secret", "in/none.h", "in/large.h", "in",
             "in/round.mlu", "in/\0.mlu"]  # fmt: skip
    places = tuple(Location(str(tmp_path / name), 1) for name in names)
    log = replace(timeline.log, locations=(places * 3)[: len(timeline.log.locations)])
    report = written(tmp_path, replace(timeline, log=log), folders=[inside])
    notes = {one["path"].removeprefix(f"{tmp_path}/"): (one["text"], one["note"]) for one in report.head["sources"]}
    assert notes["in/k.mlu"] == ("text", "")
    for name in names[1:]:
        text, note = notes[name]
        assert text == "", name
        assert note.startswith("not shown: "), name
    assert "outside" in notes["in/link.mlu"][1]


def test_times_that_are_no_numbers_are_refused(timeline: Timeline, tmp_path: Path) -> None:
    with pytest.raises(OverflowError, match="look at the rates"):
        written(tmp_path, replace(timeline, total_us=float("inf")))
    assert not (tmp_path / "r.html").exists()


def test_a_log_without_records_has_a_report(tmp_path: Path) -> None:
    report = written(tmp_path, replay(make_log([]), DEVICE.rates))
    assert report.head["launches"][0]["lanes"] == []
